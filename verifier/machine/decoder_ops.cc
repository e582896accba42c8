// The parts of Decoder about single instructions.
#include <optional>
#include <utility>

#include "bundle/status.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "verifier/machine/decoder.h"

namespace quern::verifier {

static constexpr uint64_t kMaxAllocaBytes = 64 << 20;

static absl::Status Unsupported(const std::string& what) {
  return absl::UnimplementedError(what + " is not supported");
}

static std::optional<BinaryOp> DecodeBinaryOp(llvm::Instruction::BinaryOps op) {
  switch (op) {
    case llvm::Instruction::Add:
      return BinaryOp::kAdd;
    case llvm::Instruction::Sub:
      return BinaryOp::kSub;
    case llvm::Instruction::Mul:
      return BinaryOp::kMul;
    case llvm::Instruction::UDiv:
      return BinaryOp::kUDiv;
    case llvm::Instruction::SDiv:
      return BinaryOp::kSDiv;
    case llvm::Instruction::URem:
      return BinaryOp::kURem;
    case llvm::Instruction::SRem:
      return BinaryOp::kSRem;
    case llvm::Instruction::Shl:
      return BinaryOp::kShl;
    case llvm::Instruction::LShr:
      return BinaryOp::kLShr;
    case llvm::Instruction::AShr:
      return BinaryOp::kAShr;
    case llvm::Instruction::And:
      return BinaryOp::kAnd;
    case llvm::Instruction::Or:
      return BinaryOp::kOr;
    case llvm::Instruction::Xor:
      return BinaryOp::kXor;
    case llvm::Instruction::FAdd:
      return BinaryOp::kFAdd;
    case llvm::Instruction::FSub:
      return BinaryOp::kFSub;
    case llvm::Instruction::FMul:
      return BinaryOp::kFMul;
    case llvm::Instruction::FDiv:
      return BinaryOp::kFDiv;
    case llvm::Instruction::FRem:
      return BinaryOp::kFRem;
    default:
      return std::nullopt;
  }
}

static uint8_t BinaryFlagBits(const llvm::BinaryOperator& binary) {
  uint8_t flags = 0;
  if (llvm::isa<llvm::OverflowingBinaryOperator>(binary)) {
    if (binary.hasNoUnsignedWrap()) flags |= Instruction::kNuw;
    if (binary.hasNoSignedWrap()) flags |= Instruction::kNsw;
  }
  if (llvm::isa<llvm::PossiblyExactOperator>(binary) && binary.isExact()) {
    flags |= Instruction::kExact;
  }
  const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&binary);
  if (disjoint != nullptr && disjoint->isDisjoint()) flags |= Instruction::kDisjoint;
  return flags;
}

// LLVM numbers float predicates 0 to 15 as we do, and integer predicates from 32.
static Predicate DecodePredicate(llvm::CmpInst::Predicate predicate) {
  static_assert(llvm::CmpInst::FCMP_TRUE == static_cast<int>(Predicate::kFTrue));
  static_assert(llvm::CmpInst::ICMP_SLE - llvm::CmpInst::ICMP_EQ ==
                static_cast<int>(Predicate::kISle) - static_cast<int>(Predicate::kEq));
  const int number = predicate;
  if (number <= static_cast<int>(Predicate::kFTrue)) return static_cast<Predicate>(number);
  return static_cast<Predicate>(number - llvm::CmpInst::ICMP_EQ + static_cast<int>(Predicate::kEq));
}

absl::Status Decoder::DecodeAlloca(const llvm::AllocaInst& alloca) {
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(alloca.getArraySize());
  const llvm::TypeSize size = tables_.layout.getTypeAllocSize(alloca.getAllocatedType());
  if (count == nullptr || size.isScalable() || alloca.isUsedWithInAlloca() ||
      alloca.isSwiftError()) {
    return Unsupported("an alloca of no constant size");
  }
  const uint64_t most = kMaxAllocaBytes / std::max<uint64_t>(size.getFixedValue(), 1);
  if (count->getValue().ugt(most)) return Unsupported("an alloca above 64 MiB");
  Instruction& emitted = EmitResult(Opcode::kAlloca, alloca, {});
  emitted.immediate = alloca.getAlign().value();
  emitted.immediate2 = static_cast<int64_t>(size.getFixedValue() * count->getZExtValue());
  return absl::OkStatus();
}

absl::Status Decoder::DecodeLoad(const llvm::LoadInst& load) {
  const int result = Value(&load);
  if (!load.isSimple()) return Unsupported("a volatile or atomic access");
  if (!InMemory(out_->values[result])) {
    return Unsupported("memory of type " + Name(out_->values[result]));
  }
  EmitResult(Opcode::kLoad, load, {Value(load.getPointerOperand())}).immediate =
      load.getAlign().value();
  return absl::OkStatus();
}

absl::Status Decoder::DecodeStore(const llvm::StoreInst& store) {
  const int value = Value(store.getValueOperand());
  if (!store.isSimple()) return Unsupported("a volatile or atomic access");
  if (!InMemory(out_->values[value])) {
    return Unsupported("memory of type " + Name(out_->values[value]));
  }
  Emit(Opcode::kStore, out_->values[value], -1, {value, Value(store.getPointerOperand())})
      .immediate = store.getAlign().value();
  return absl::OkStatus();
}

absl::Status Decoder::DecodeInstruction(const llvm::Instruction& instruction) {
  if (instruction.isTerminator()) return DecodeControl(instruction);
  if (llvm::isa<llvm::PHINode>(instruction)) return absl::OkStatus();  // see MakeEdge
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return DecodeCall(*call);
  if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    return DecodeGep(*gep);
  }
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return DecodeCast(*cast);
  if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    return DecodeAlloca(*alloca);
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return DecodeLoad(*load);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return DecodeStore(*store);
  }
  std::vector<int> operands;
  for (const llvm::Use& use : instruction.operands()) {
    const auto found = numbers_.find(use.get());
    if (found == numbers_.end()) return Unsupported("this instruction");
    operands.push_back(found->second);
  }
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    const std::optional<BinaryOp> op = DecodeBinaryOp(binary->getOpcode());
    if (!op.has_value()) return Unsupported("this instruction");
    Instruction& emitted = EmitResult(Opcode::kBinary, instruction, operands);
    emitted.code = static_cast<uint8_t>(*op);
    emitted.flags = BinaryFlagBits(*binary);
    return absl::OkStatus();
  }
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction)) {
    Instruction& emitted =
        Emit(Opcode::kCompare, out_->values[operands[0]], Value(&instruction), operands);
    emitted.code = static_cast<uint8_t>(DecodePredicate(compare->getPredicate()));
    const auto* integer = llvm::dyn_cast<llvm::ICmpInst>(compare);
    if (integer != nullptr && integer->hasSameSign()) emitted.flags |= Instruction::kSameSign;
    return absl::OkStatus();
  }
  switch (instruction.getOpcode()) {
    case llvm::Instruction::FNeg:
      EmitResult(Opcode::kNegate, instruction, operands);
      return absl::OkStatus();
    case llvm::Instruction::Freeze:
      EmitResult(Opcode::kFreeze, instruction, operands);
      return absl::OkStatus();
    case llvm::Instruction::Select: {
      Instruction& emitted = EmitResult(Opcode::kSelect, instruction, operands);
      if (out_->values[operands[0]].lanes < emitted.type.lanes) {
        emitted.flags |= Instruction::kSplat;
      }
      return absl::OkStatus();
    }
    case llvm::Instruction::ExtractElement:
      Emit(Opcode::kExtract, out_->values[operands[0]], Value(&instruction), operands);
      return absl::OkStatus();
    case llvm::Instruction::InsertElement:
      EmitResult(Opcode::kInsert, instruction, operands);
      return absl::OkStatus();
    case llvm::Instruction::ShuffleVector: {
      const llvm::ArrayRef<int> mask =
          llvm::cast<llvm::ShuffleVectorInst>(instruction).getShuffleMask();
      Instruction& emitted =
          Emit(Opcode::kShuffle, out_->values[operands[0]], Value(&instruction), operands);
      emitted.index = static_cast<int>(out_->masks.size());
      out_->masks.emplace_back(mask.begin(), mask.end());
      return absl::OkStatus();
    }
    default:
      return Unsupported("this instruction");
  }
}

}  // namespace quern::verifier
