#include "verifier/machine/decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "bundle/status.h"
#include "llvm/ADT/APInt.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"
#include "verifier/machine/attributes.h"

namespace quern::verifier {

static absl::Status Unsupported(const std::string& what) {
  return absl::UnimplementedError(what + " is not supported");
}

absl::StatusOr<Type> Decoder::TypeOf(const llvm::Value& value) const {
  const std::optional<Type> type = DecodeType(value.getType());
  if (!type.has_value()) return Unsupported("a value of this type");
  return *type;
}

int Decoder::Value(const llvm::Value* value) const { return numbers_.at(value); }

int Decoder::Fresh(const Type& type) {
  out_->values.push_back(type);
  return static_cast<int>(out_->values.size()) - 1;
}

Instruction& Decoder::Emit(Opcode opcode, const Type& type, int result, std::vector<int> operands) {
  out_->code.push_back({.opcode = opcode,
                        .type = type,
                        .from = {},
                        .result = result,
                        .first = static_cast<int32_t>(out_->operands.size()),
                        .count = static_cast<int32_t>(operands.size())});
  out_->operands.insert(out_->operands.end(), operands.begin(), operands.end());
  origins_.push_back(at_);
  return out_->code.back();
}

Instruction& Decoder::EmitResult(Opcode opcode, const llvm::Instruction& instruction,
                                 std::vector<int> operands) {
  const int result = Value(&instruction);
  return Emit(opcode, out_->values[result], result, std::move(operands));
}

absl::Status Decoder::NumberConstant(const llvm::Constant& constant) {
  if (numbers_.contains(&constant)) return absl::OkStatus();
  QUERN_ASSIGN_OR_RETURN(Constant decoded, tables_.globals.Decode(constant));
  numbers_.emplace(&constant, Fresh(decoded.type));
  out_->constants.push_back(std::move(decoded));
  return absl::OkStatus();
}

// A reduction is unrolled, and extracts lanes by constants of its own.
absl::Status Decoder::NumberReduction(const llvm::IntrinsicInst& call) {
  const llvm::Value* vector = call.getArgOperand(call.arg_size() - 1);
  QUERN_ASSIGN_OR_RETURN(const Type type, TypeOf(*vector));
  llvm::Type* i32 = llvm::Type::getInt32Ty(call.getContext());
  for (uint32_t lane = 0; lane < type.lanes; ++lane) {
    QUERN_RETURN_IF_ERROR(NumberConstant(*llvm::ConstantInt::get(i32, lane)));
  }
  return absl::OkStatus();
}

// Operands that never become registers: callees, and the immediates of some intrinsics.
static bool NeedsRegister(const llvm::Use& use) {
  const llvm::Value* value = use.get();
  if (!llvm::isa<llvm::Constant>(value) || llvm::isa<llvm::Function>(value)) return false;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  return call == nullptr || !call->isArgOperand(&use) ||
         !call->paramHasAttr(call->getArgOperandNo(&use), llvm::Attribute::ImmArg) ||
         call->getIntrinsicID() == llvm::Intrinsic::abs;
}

static bool IsReduction(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr &&
         llvm::Intrinsic::getBaseName(call->getIntrinsicID()).starts_with("llvm.vector.reduce.");
}

absl::Status Decoder::NumberConstants() {
  for (const llvm::BasicBlock& block : source_) {
    for (const llvm::Instruction& instruction : block) {
      at_ = &instruction;
      for (const llvm::Use& use : instruction.operands()) {
        if (!NeedsRegister(use)) continue;
        QUERN_RETURN_IF_ERROR(NumberConstant(*llvm::cast<llvm::Constant>(use.get())));
      }
      if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
        for (const auto& item : choice->cases()) {
          QUERN_RETURN_IF_ERROR(NumberConstant(*item.getCaseValue()));
        }
      }
      if (IsReduction(instruction)) {
        QUERN_RETURN_IF_ERROR(NumberReduction(llvm::cast<llvm::IntrinsicInst>(instruction)));
      }
    }
  }
  at_ = nullptr;
  return absl::OkStatus();
}

absl::Status Decoder::NumberResults() {
  for (const llvm::BasicBlock& block : source_) {
    for (const llvm::Instruction& instruction : block) {
      if (instruction.getType()->isVoidTy()) continue;
      at_ = &instruction;
      QUERN_ASSIGN_OR_RETURN(const Type type, TypeOf(instruction));
      numbers_.emplace(&instruction, Fresh(type));
    }
  }
  at_ = nullptr;
  return absl::OkStatus();
}

absl::Status Decoder::Decode(Function* out) {
  out_ = out;
  out->name = source_.getName().str();
  out->num_parameters = static_cast<int>(source_.arg_size());
  for (const llvm::Argument& argument : source_.args()) {
    QUERN_ASSIGN_OR_RETURN(const Type type, TypeOf(argument));
    numbers_.emplace(&argument, Fresh(type));
  }
  const std::optional<Type> result = DecodeType(source_.getReturnType());
  if (!result.has_value() || result->kind == Type::kPointer) {
    return Unsupported("a result of this type");
  }
  out->result = *result;
  QUERN_RETURN_IF_ERROR(NumberConstants());
  QUERN_RETURN_IF_ERROR(NumberResults());
  for (const llvm::BasicBlock& block : source_) {
    starts_.emplace(&block, static_cast<int>(out->code.size()));
    for (const llvm::Instruction& instruction : block) {
      at_ = &instruction;
      const std::string problem = CheckAnnotations(instruction);
      if (!problem.empty()) return absl::UnimplementedError(problem);
      QUERN_RETURN_IF_ERROR(DecodeInstruction(instruction));
    }
  }
  for (size_t i = 0; i < out->edges.size(); ++i) {
    out->edges[i].target = starts_.at(edge_targets_[i]);
  }
  at_ = nullptr;
  return absl::OkStatus();
}

// Puts moves, which happen at once, in an order; a cycle goes through a fresh value.
template <class FreshFor>
static std::vector<Edge::Move> Sequentialise(std::vector<Edge::Move> pending, FreshFor fresh_for) {
  std::vector<Edge::Move> ordered;
  std::erase_if(pending, [](const Edge::Move& move) { return move.from == move.to; });
  while (!pending.empty()) {
    auto free = std::find_if(pending.begin(), pending.end(), [&](const Edge::Move& move) {
      return std::none_of(pending.begin(), pending.end(),
                          [&](const Edge::Move& other) { return other.from == move.to; });
    });
    if (free != pending.end()) {
      ordered.push_back(*free);
      pending.erase(free);
      continue;
    }
    const int saved = pending.front().to;
    const int copy = fresh_for(saved);
    ordered.push_back({.from = saved, .to = copy});
    for (Edge::Move& move : pending) {
      if (move.from == saved) move.from = copy;
    }
  }
  return ordered;
}

int Decoder::MakeEdge(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  std::vector<Edge::Move> moves;
  for (const llvm::PHINode& phi : to.phis()) {
    moves.push_back({.from = Value(phi.getIncomingValueForBlock(&from)), .to = Value(&phi)});
  }
  Edge edge;
  edge.moves =
      Sequentialise(std::move(moves), [this](int value) { return Fresh(out_->values[value]); });
  out_->edges.push_back(std::move(edge));
  edge_targets_.push_back(&to);
  return static_cast<int>(out_->edges.size()) - 1;
}

absl::Status Decoder::DecodeControl(const llvm::Instruction& instruction) {
  const llvm::BasicBlock& block = *instruction.getParent();
  if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    const int first = MakeEdge(block, *branch->getSuccessor(0));
    if (branch->isUnconditional()) {
      Emit(Opcode::kBranch, {}, -1, {}).index = first;
      return absl::OkStatus();
    }
    MakeEdge(block, *branch->getSuccessor(1));
    Emit(Opcode::kCondBranch, {}, -1, {Value(branch->getCondition())}).index = first;
    return absl::OkStatus();
  }
  if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    QUERN_ASSIGN_OR_RETURN(const Type type, TypeOf(*choice->getCondition()));
    Switch decoded;
    for (const auto& item : choice->cases()) {
      decoded.cases.push_back({.constant = Value(item.getCaseValue()),
                               .edge = MakeEdge(block, *item.getCaseSuccessor())});
    }
    decoded.otherwise = MakeEdge(block, *choice->getDefaultDest());
    // The result holds the outcome of each comparison.
    Emit(Opcode::kSwitch, type, Fresh({.kind = Type::kInt, .bits = 1}),
         {Value(choice->getCondition())})
        .index = static_cast<int>(out_->switches.size());
    out_->switches.push_back(std::move(decoded));
    return absl::OkStatus();
  }
  if (const auto* leave = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
    std::vector<int> operands;
    if (leave->getReturnValue() != nullptr) operands.push_back(Value(leave->getReturnValue()));
    Emit(Opcode::kReturn, out_->result, -1, operands);
    return absl::OkStatus();
  }
  if (llvm::isa<llvm::UnreachableInst>(instruction)) {
    Emit(Opcode::kUnreachable, {}, -1, {});
    return absl::OkStatus();
  }
  return Unsupported("this terminator");
}

absl::Status Decoder::DecodeGep(const llvm::GetElementPtrInst& gep) {
  const llvm::GEPNoWrapFlags no_wrap = gep.getNoWrapFlags();
  const int base = Value(gep.getPointerOperand());
  std::vector<GepOperand> steps;
  for (auto it = llvm::gep_type_begin(gep); it != llvm::gep_type_end(gep); ++it) {
    const llvm::Value* index = it.getOperand();
    const auto* splat = llvm::dyn_cast<llvm::Constant>(index);
    if (splat != nullptr && index->getType()->isVectorTy()) splat = splat->getSplatValue();
    const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(splat);
    if (llvm::StructType* structure = it.getStructTypeOrNull()) {
      if (constant == nullptr) return Unsupported("this structure index");
      const llvm::TypeSize offset =
          tables_.layout.getStructLayout(structure)->getElementOffset(constant->getZExtValue());
      if (offset.isScalable()) return Unsupported("a scalable structure");
      steps.push_back({.value = -1, .scale = static_cast<int64_t>(offset.getFixedValue())});
      continue;
    }
    const llvm::TypeSize stride = it.getSequentialElementStride(tables_.layout);
    if (stride.isScalable()) return Unsupported("a scalable type");
    const int64_t scale = static_cast<int64_t>(stride.getFixedValue());
    if (constant == nullptr) {
      steps.push_back({.value = Value(index), .scale = scale});
      continue;
    }
    int64_t bytes = 0;
    if (__builtin_mul_overflow(scale, constant->getSExtValue(), &bytes)) {
      return Unsupported("an offset above 2^63");
    }
    // A zero step changes nothing, but with `inbounds` it still says that the base is in bounds.
    if (bytes != 0 || steps.empty()) steps.push_back({.value = -1, .scale = bytes});
  }
  Instruction& emitted = EmitResult(Opcode::kGep, gep, {base});
  emitted.index = static_cast<int>(out_->geps.size());
  if (no_wrap.isInBounds()) emitted.flags |= Instruction::kInbounds;
  if (no_wrap.hasNoUnsignedSignedWrap()) emitted.flags |= Instruction::kNusw;
  if (no_wrap.hasNoUnsignedWrap()) emitted.flags |= Instruction::kNuw;
  if (out_->values[base].lanes < emitted.type.lanes) emitted.flags |= Instruction::kSplat;
  out_->geps.push_back(std::move(steps));
  return absl::OkStatus();
}

static std::optional<CastOp> DecodeCastOp(llvm::Instruction::CastOps op) {
  switch (op) {
    case llvm::Instruction::Trunc:
      return CastOp::kTrunc;
    case llvm::Instruction::ZExt:
      return CastOp::kZExt;
    case llvm::Instruction::SExt:
      return CastOp::kSExt;
    case llvm::Instruction::FPTrunc:
      return CastOp::kFPTrunc;
    case llvm::Instruction::FPExt:
      return CastOp::kFPExt;
    case llvm::Instruction::FPToUI:
      return CastOp::kFPToUI;
    case llvm::Instruction::FPToSI:
      return CastOp::kFPToSI;
    case llvm::Instruction::UIToFP:
      return CastOp::kUIToFP;
    case llvm::Instruction::SIToFP:
      return CastOp::kSIToFP;
    case llvm::Instruction::BitCast:
      return CastOp::kBitcast;
    default:
      return std::nullopt;
  }
}

absl::Status Decoder::DecodeCast(const llvm::CastInst& cast) {
  const std::optional<CastOp> op = DecodeCastOp(cast.getOpcode());
  QUERN_ASSIGN_OR_RETURN(const Type from, TypeOf(*cast.getOperand(0)));
  if (!op.has_value()) return Unsupported("this conversion");
  QUERN_ASSIGN_OR_RETURN(const Type to, TypeOf(cast));
  const bool reshapes = from.lanes != to.lanes;
  if (op == CastOp::kBitcast && ((from.kind == Type::kPointer) != (to.kind == Type::kPointer) ||
                                 (reshapes && (from.bits % 8 != 0 || to.bits % 8 != 0)))) {
    return Unsupported("this bitcast");
  }
  Instruction& emitted = EmitResult(Opcode::kCast, cast, {Value(cast.getOperand(0))});
  emitted.code = static_cast<uint8_t>(*op);
  emitted.from = from;
  const auto* nneg = llvm::dyn_cast<llvm::PossiblyNonNegInst>(&cast);
  if (nneg != nullptr && nneg->hasNonNeg()) emitted.flags |= Instruction::kNNeg;
  if (const auto* trunc = llvm::dyn_cast<llvm::TruncInst>(&cast)) {
    if (trunc->hasNoUnsignedWrap()) emitted.flags |= Instruction::kNuw;
    if (trunc->hasNoSignedWrap()) emitted.flags |= Instruction::kNsw;
  }
  return absl::OkStatus();
}

}  // namespace quern::verifier
