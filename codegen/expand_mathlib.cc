#include "codegen/expand_mathlib.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "mathlib/functions.h"
#include "mathlib/mathlib.h"

namespace quern::codegen {

namespace {

// The builder of mathlib/functions.h that emits instructions before another one.
class Emitter {
 public:
  using F = llvm::Value*;
  using D = llvm::Value*;
  using I = llvm::Value*;
  using L = llvm::Value*;
  using M = llvm::Value*;
  using Value = llvm::Value*;

  // `type`: float, or a vector of floats.
  Emitter(llvm::Instruction* before, llvm::Type* type)
      : builder_(before),
        float_(type),
        double_(type->getWithNewType(builder_.getDoubleTy())),
        int_(type->getWithNewType(builder_.getInt32Ty())),
        long_(type->getWithNewType(builder_.getInt64Ty())) {}

  Value Float(float x) { return llvm::ConstantFP::get(float_, llvm::APFloat(x)); }
  Value Double(double x) { return llvm::ConstantFP::get(double_, llvm::APFloat(x)); }
  Value Int(uint32_t x) { return llvm::ConstantInt::get(int_, x); }
  Value Long(uint64_t x) { return llvm::ConstantInt::get(long_, x); }

  Value Add(Value x, Value y) {
    return IsFloat(x) ? builder_.CreateFAdd(x, y) : builder_.CreateAdd(x, y);
  }
  Value Sub(Value x, Value y) {
    return IsFloat(x) ? builder_.CreateFSub(x, y) : builder_.CreateSub(x, y);
  }
  Value Mul(Value x, Value y) {
    return IsFloat(x) ? builder_.CreateFMul(x, y) : builder_.CreateMul(x, y);
  }
  Value Div(Value x, Value y) { return builder_.CreateFDiv(x, y); }
  Value Fma(Value x, Value y, Value z) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  }
  Value Abs(Value x) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value Negate(Value x) { return builder_.CreateFNeg(x); }

  Value Less(Value x, Value y) { return builder_.CreateFCmpOLT(x, y); }
  Value Equal(Value x, Value y) {
    return IsFloat(x) ? builder_.CreateFCmpOEQ(x, y) : builder_.CreateICmpEQ(x, y);
  }
  Value IsNaN(Value x) { return builder_.CreateFCmpUNO(x, x); }
  Value Not(Value x) { return builder_.CreateNot(x); }
  Value Select(Value condition, Value x, Value y) { return builder_.CreateSelect(condition, x, y); }

  Value And(Value x, Value y) { return builder_.CreateAnd(x, y); }
  Value Or(Value x, Value y) { return builder_.CreateOr(x, y); }
  Value Xor(Value x, Value y) { return builder_.CreateXor(x, y); }
  Value ShiftLeft(Value x, int bits) { return builder_.CreateShl(x, bits); }
  Value ShiftRight(Value x, int bits) { return builder_.CreateLShr(x, bits); }
  Value ShiftRightSigned(Value x, int bits) { return builder_.CreateAShr(x, bits); }
  Value Funnel(Value high, Value low, Value bits) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fshl, {int_}, {high, low, bits});
  }

  Value Bits(Value x) {
    return builder_.CreateBitCast(x, x->getType()->getScalarType()->isFloatTy() ? int_ : long_);
  }
  Value FromBits(Value x) {
    return builder_.CreateBitCast(
        x, x->getType()->getScalarType()->isIntegerTy(32) ? float_ : double_);
  }
  Value Widen(Value x) { return builder_.CreateFPExt(x, double_); }
  Value Narrow(Value x) { return builder_.CreateFPTrunc(x, float_); }
  Value Extend(Value x) { return builder_.CreateZExt(x, long_); }
  Value Truncate(Value x) { return builder_.CreateTrunc(x, int_); }
  Value FromSigned(Value x) { return builder_.CreateSIToFP(x, float_); }
  Value WideFromSigned(Value x) { return builder_.CreateSIToFP(x, double_); }
  Value WideFromUnsigned(Value x) { return builder_.CreateUIToFP(x, double_); }

  // In a block of its own, which is entered if any lane needs it.
  template <class Make>
  std::pair<Value, Value> Rarely(Value condition, std::pair<Value, Value> usual, Make make) {
    Value any = condition->getType()->isVectorTy() ? builder_.CreateOrReduce(condition) : condition;
    llvm::Instruction* after = &*builder_.GetInsertPoint();
    llvm::BasicBlock* before = after->getParent();
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(any, after->getIterator(), false);
    builder_.SetInsertPoint(end);
    const std::pair<Value, Value> made = make();
    const std::pair<Value, Value> chosen = {Select(condition, made.first, usual.first),
                                            Select(condition, made.second, usual.second)};
    llvm::BasicBlock* then = end->getParent();
    builder_.SetInsertPoint(after->getParent(), after->getParent()->begin());
    const auto join = [&](Value yes, Value no) {
      llvm::PHINode* phi = builder_.CreatePHI(yes->getType(), 2);
      phi->addIncoming(yes, then);
      phi->addIncoming(no, before);
      return phi;
    };
    const std::pair<Value, Value> joined = {join(chosen.first, usual.first),
                                            join(chosen.second, usual.second)};
    builder_.SetInsertPoint(after);
    return joined;
  }

 private:
  static bool IsFloat(Value x) { return x->getType()->isFPOrFPVectorTy(); }

  llvm::IRBuilder<> builder_;
  llvm::Type *float_, *double_, *int_, *long_;
};

}  // namespace

template <llvm::Value* (mathlib::Functions<Emitter>::*Function)(llvm::Value*)>
static llvm::Value* Emit(Emitter& emitter, llvm::CallInst& call) {
  return (mathlib::Functions<Emitter>(emitter).*Function)(call.getArgOperand(0));
}

template <llvm::Value* (mathlib::Functions<Emitter>::*Function)(llvm::Value*, llvm::Value*)>
static llvm::Value* Emit(Emitter& emitter, llvm::CallInst& call) {
  return (mathlib::Functions<Emitter>(emitter).*Function)(call.getArgOperand(0),
                                                          call.getArgOperand(1));
}

static llvm::Value* EmitBody(std::string_view name, llvm::CallInst& call) {
  Emitter emitter(&call, call.getType());
#define QUERN_MATHLIB(function, member, ...) \
  if (name == #function) return Emit<&mathlib::Functions<Emitter>::member>(emitter, call);
#include "mathlib/functions.def"
#undef QUERN_MATHLIB
  return nullptr;
}

static bool Fits(const llvm::Function& function, const mathlib::Callee& callee) {
  llvm::Type* type = llvm::Type::getFloatTy(function.getContext());
  if (callee.lanes > 1) type = llvm::FixedVectorType::get(type, callee.lanes);
  const std::vector<llvm::Type*> arguments(callee.contract->arguments, type);
  return function.getFunctionType() == llvm::FunctionType::get(type, arguments, false);
}

static absl::Status ExpandCalls(llvm::Function& function, const mathlib::Callee& callee) {
  const std::string name = absl::StrCat("LLVM IR: @", function.getName().str());
  if (!function.isDeclaration()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ", of mathlib, is defined"));
  }
  if (!Fits(function, callee)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is not declared as mathlib has it"));
  }
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : function.users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != &function) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is used other than by a call"));
    }
    calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    llvm::Value* result = EmitBody(callee.contract->name, *call);
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  function.eraseFromParent();
  return absl::OkStatus();
}

absl::Status ExpandMathlib(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const llvm::StringRef symbol = function.getName();
    const auto callee = mathlib::ParseSymbol(std::string_view(symbol.data(), symbol.size()));
    if (callee.has_value()) QUERN_RETURN_IF_ERROR(ExpandCalls(function, *callee));
  }
  return absl::OkStatus();
}

}  // namespace quern::codegen
