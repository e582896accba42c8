#include "verifier/testing/mutation.h"

#include <vector>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

namespace quern::verifier {

using llvm::Instruction;

namespace {

class Mutator {
 public:
  Mutator(llvm::Function& function, std::mt19937_64& random)
      : function_(function), random_(random), dominators_(function) {
    for (Instruction& instruction : llvm::instructions(function)) all_.push_back(&instruction);
  }

  // Empty: the draw fits nothing.
  std::string Change() {
    if (all_.empty()) return "";
    Instruction& at = *all_[Below(all_.size())];
    std::string before;
    llvm::raw_string_ostream(before) << at;
    struct Kind {
      const char* name;
      bool (Mutator::*change)(Instruction&);
    };
    static constexpr Kind kKinds[] = {{"swaps operands", &Mutator::SwapOperands},
                                      {"takes another operand", &Mutator::OtherOperand},
                                      {"takes another operand", &Mutator::OtherOperand},
                                      {"changes a constant", &Mutator::OtherConstant},
                                      {"changes a constant", &Mutator::OtherConstant},
                                      {"changes the operator", &Mutator::OtherOperator},
                                      {"changes the predicate", &Mutator::OtherPredicate},
                                      {"changes flags", &Mutator::OtherFlags},
                                      {"changes the alignment", &Mutator::OtherAlignment},
                                      {"swaps the branch", &Mutator::SwapBranch},
                                      {"drops the store", &Mutator::DropStore},
                                      {"bypasses", &Mutator::Bypass}};
    const Kind& kind = kKinds[Below(std::size(kKinds))];
    if (!(this->*kind.change)(at)) return "";
    return std::string(kind.name) + " of" + before;
  }

 private:
  size_t Below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }

  bool SwapOperands(Instruction& at) {
    if (at.getNumOperands() < 2 || llvm::isa<llvm::PHINode, llvm::CallBase>(at)) return false;
    const unsigned first = llvm::isa<llvm::SelectInst>(at) ? 1 : 0;
    if (at.getNumOperands() < first + 2) return false;
    llvm::Value *a = at.getOperand(first), *b = at.getOperand(first + 1);
    if (a == b || a->getType() != b->getType()) return false;
    at.setOperand(first, b);
    at.setOperand(first + 1, a);
    return true;
  }

  // A value of the same type that dominates the instruction.
  bool OtherOperand(Instruction& at) {
    if (at.getNumOperands() == 0 || llvm::isa<llvm::PHINode>(at)) return false;
    llvm::Use& use = at.getOperandUse(static_cast<unsigned>(Below(at.getNumOperands())));
    if (llvm::isa<llvm::BasicBlock, llvm::Function>(use.get())) return false;
    std::vector<llvm::Value*> others;
    for (llvm::Argument& argument : function_.args()) {
      if (argument.getType() == use->getType() && &argument != use.get()) {
        others.push_back(&argument);
      }
    }
    for (Instruction* other : all_) {
      if (other->getType() == use->getType() && other != use.get() &&
          dominators_.dominates(other, use)) {
        others.push_back(other);
      }
    }
    if (others.empty()) return false;
    use.set(others[Below(others.size())]);
    return true;
  }

  bool OtherConstant(Instruction& at) {
    std::vector<llvm::Use*> uses;
    for (llvm::Use& use : at.operands()) {
      llvm::Type* scalar = use->getType()->getScalarType();
      const bool number = scalar->isIntegerTy() || scalar->isFloatingPointTy();
      if (llvm::isa<llvm::Constant>(use.get()) && number) uses.push_back(&use);
    }
    if (uses.empty()) return false;
    llvm::Use& use = *uses[Below(uses.size())];
    llvm::Type* type = use->getType();
    auto* constant = llvm::cast<llvm::Constant>(use.get());
    if (auto* splat = type->isVectorTy() ? constant->getSplatValue() : nullptr) constant = splat;
    llvm::Constant* other = nullptr;
    if (auto* integer = llvm::dyn_cast<llvm::ConstantInt>(constant)) {
      const llvm::APInt& value = integer->getValue();
      const llvm::APInt choices[] = {value + 1,
                                     value - 1,
                                     -value,
                                     value.shl(1),
                                     value.lshr(1),
                                     llvm::APInt::getZero(value.getBitWidth()),
                                     llvm::APInt(value.getBitWidth(), random_(), false, true)};
      other = llvm::ConstantInt::get(type, choices[Below(std::size(choices))]);
    } else if (auto* real = llvm::dyn_cast<llvm::ConstantFP>(constant)) {
      const double value = real->getValueAPF().isInfinity() ? 0 : 1;
      constexpr double kChoices[] = {0, -0.0, 1, -1, 0.5, 2, 1e-3, 65536};
      other = llvm::ConstantFP::get(type, value * kChoices[Below(std::size(kChoices))]);
    }
    if (other == nullptr || other == use.get()) return false;
    use.set(other);
    return true;
  }

  bool OtherOperator(Instruction& at) {
    auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&at);
    if (binary == nullptr) return false;
    static constexpr Instruction::BinaryOps kFloat[] = {Instruction::FAdd, Instruction::FSub,
                                                        Instruction::FMul, Instruction::FDiv};
    static constexpr Instruction::BinaryOps kInteger[] = {
        Instruction::Add,  Instruction::Sub,  Instruction::Mul,  Instruction::And,
        Instruction::Or,   Instruction::Xor,  Instruction::Shl,  Instruction::LShr,
        Instruction::AShr, Instruction::UDiv, Instruction::SDiv, Instruction::URem,
        Instruction::SRem};
    const bool real = at.getType()->isFPOrFPVectorTy();
    const auto code =
        real ? kFloat[Below(std::size(kFloat))] : kInteger[Below(std::size(kInteger))];
    if (code == binary->getOpcode()) return false;
    auto* other = llvm::BinaryOperator::Create(code, at.getOperand(0), at.getOperand(1), "",
                                               at.getIterator());
    Replace(at, other);
    return true;
  }

  bool OtherPredicate(Instruction& at) {
    auto* compare = llvm::dyn_cast<llvm::CmpInst>(&at);
    if (compare == nullptr) return false;
    const bool real = llvm::isa<llvm::FCmpInst>(at);
    const unsigned first =
        real ? llvm::CmpInst::FIRST_FCMP_PREDICATE : llvm::CmpInst::FIRST_ICMP_PREDICATE;
    const unsigned last =
        real ? llvm::CmpInst::LAST_FCMP_PREDICATE : llvm::CmpInst::LAST_ICMP_PREDICATE;
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(first + Below(last - first + 1));
    if (predicate == compare->getPredicate()) return false;
    compare->setPredicate(predicate);
    return true;
  }

  bool OtherFlags(Instruction& at) {
    if (llvm::isa<llvm::OverflowingBinaryOperator>(at)) {
      if (Below(2) == 0) {
        at.setHasNoSignedWrap(!at.hasNoSignedWrap());
      } else {
        at.setHasNoUnsignedWrap(!at.hasNoUnsignedWrap());
      }
      return true;
    }
    if (llvm::isa<llvm::PossiblyExactOperator>(at)) {
      at.setIsExact(!at.isExact());
      return true;
    }
    if (llvm::isa<llvm::PossiblyNonNegInst>(at)) {
      at.setNonNeg(!at.hasNonNeg());
      return true;
    }
    if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&at)) {
      gep->setNoWrapFlags(Below(2) == 0 ? llvm::GEPNoWrapFlags::all()
                                        : llvm::GEPNoWrapFlags::none());
      return true;
    }
    return false;
  }

  bool OtherAlignment(Instruction& at) {
    const llvm::Align align(uint64_t{1} << Below(8));
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      load->setAlignment(align);
      return true;
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      store->setAlignment(align);
      return true;
    }
    return false;
  }

  bool SwapBranch(Instruction& at) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(&at);
    if (branch == nullptr || !branch->isConditional()) return false;
    branch->swapSuccessors();
    return true;
  }

  bool DropStore(Instruction& at) {
    if (!llvm::isa<llvm::StoreInst>(at)) return false;
    std::erase(all_, &at);
    at.eraseFromParent();
    return true;
  }

  // Its users take one of its operands instead.
  bool Bypass(Instruction& at) {
    if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(at) || at.getType()->isVoidTy()) return false;
    std::vector<llvm::Value*> operands;
    for (llvm::Value* operand : at.operands()) {
      if (operand->getType() == at.getType()) operands.push_back(operand);
    }
    if (operands.empty() || at.use_empty()) return false;
    at.replaceAllUsesWith(operands[Below(operands.size())]);
    return true;
  }

  void Replace(Instruction& old, Instruction* made) {
    old.replaceAllUsesWith(made);
    std::replace(all_.begin(), all_.end(), &old, made);
    old.eraseFromParent();
  }

  llvm::Function& function_;
  std::mt19937_64& random_;
  llvm::DominatorTree dominators_;
  std::vector<Instruction*> all_;
};

}  // namespace

std::optional<MutatedIr> MutateIr(const std::string& llvm_ir, std::mt19937_64& random) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(llvm_ir, diagnostic, context);
  if (!module) return std::nullopt;
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : *module) {
    if (!function.isDeclaration()) functions.push_back(&function);
  }
  if (functions.empty()) return std::nullopt;
  MutatedIr result;
  const int changes = 1 + static_cast<int>(random() % 4 == 0) + static_cast<int>(random() % 8 == 0);
  for (int made = 0, tries = 0; made < changes && tries < 100; ++tries) {
    llvm::Function& function = *functions[random() % functions.size()];
    const std::string change = Mutator(function, random).Change();
    if (change.empty()) continue;
    ++made;
    result.what += (result.what.empty() ? "" : "; ") + change;
  }
  if (result.what.empty() || llvm::verifyModule(*module)) return std::nullopt;
  llvm::raw_string_ostream(result.text) << *module;
  return result;
}

}  // namespace quern::verifier
