// The parts of Decoder about calls and intrinsics.
#include <optional>
#include <utility>

#include "bundle/status.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "verifier/machine/attributes.h"
#include "verifier/machine/decoder.h"
#include "verifier/machine/library.h"

namespace quern::verifier {

static absl::Status Unsupported(const std::string& what) {
  return absl::UnimplementedError(what + " is not supported");
}

static std::optional<Intrinsic> Lanewise(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::fma:
      return Intrinsic::kFma;
    case llvm::Intrinsic::fabs:
      return Intrinsic::kFAbs;
    case llvm::Intrinsic::copysign:
      return Intrinsic::kCopySign;
    case llvm::Intrinsic::sqrt:
      return Intrinsic::kSqrt;
    case llvm::Intrinsic::minnum:
      return Intrinsic::kMinNum;
    case llvm::Intrinsic::maxnum:
      return Intrinsic::kMaxNum;
    case llvm::Intrinsic::minimum:
      return Intrinsic::kMinimum;
    case llvm::Intrinsic::maximum:
      return Intrinsic::kMaximum;
    case llvm::Intrinsic::minimumnum:
      return Intrinsic::kMinimumNum;
    case llvm::Intrinsic::maximumnum:
      return Intrinsic::kMaximumNum;
    case llvm::Intrinsic::floor:
      return Intrinsic::kFloor;
    case llvm::Intrinsic::ceil:
      return Intrinsic::kCeil;
    case llvm::Intrinsic::trunc:
      return Intrinsic::kTruncate;
    case llvm::Intrinsic::rint:
      return Intrinsic::kRint;
    case llvm::Intrinsic::nearbyint:
      return Intrinsic::kNearbyInt;
    case llvm::Intrinsic::round:
      return Intrinsic::kRound;
    case llvm::Intrinsic::roundeven:
      return Intrinsic::kRoundEven;
    case llvm::Intrinsic::smin:
      return Intrinsic::kSMin;
    case llvm::Intrinsic::smax:
      return Intrinsic::kSMax;
    case llvm::Intrinsic::umin:
      return Intrinsic::kUMin;
    case llvm::Intrinsic::umax:
      return Intrinsic::kUMax;
    case llvm::Intrinsic::abs:
      return Intrinsic::kAbs;
    case llvm::Intrinsic::exp:
      return Intrinsic::kExp;
    case llvm::Intrinsic::exp2:
      return Intrinsic::kExp2;
    case llvm::Intrinsic::log:
      return Intrinsic::kLog;
    case llvm::Intrinsic::log2:
      return Intrinsic::kLog2;
    case llvm::Intrinsic::log10:
      return Intrinsic::kLog10;
    case llvm::Intrinsic::sin:
      return Intrinsic::kSin;
    case llvm::Intrinsic::cos:
      return Intrinsic::kCos;
    case llvm::Intrinsic::tan:
      return Intrinsic::kTan;
    case llvm::Intrinsic::tanh:
      return Intrinsic::kTanh;
    case llvm::Intrinsic::pow:
      return Intrinsic::kPow;
    default:
      return std::nullopt;
  }
}

// How a reduction combines two lanes.
struct Combiner {
  Opcode opcode = Opcode::kBinary;
  uint8_t code = 0;
};

static Combiner Combine(BinaryOp op) { return {Opcode::kBinary, static_cast<uint8_t>(op)}; }
static Combiner Combine(Intrinsic op) { return {Opcode::kLanewise, static_cast<uint8_t>(op)}; }

static std::optional<Combiner> ReductionCombiner(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::vector_reduce_add:
      return Combine(BinaryOp::kAdd);
    case llvm::Intrinsic::vector_reduce_mul:
      return Combine(BinaryOp::kMul);
    case llvm::Intrinsic::vector_reduce_and:
      return Combine(BinaryOp::kAnd);
    case llvm::Intrinsic::vector_reduce_or:
      return Combine(BinaryOp::kOr);
    case llvm::Intrinsic::vector_reduce_xor:
      return Combine(BinaryOp::kXor);
    case llvm::Intrinsic::vector_reduce_fadd:
      return Combine(BinaryOp::kFAdd);
    case llvm::Intrinsic::vector_reduce_fmul:
      return Combine(BinaryOp::kFMul);
    case llvm::Intrinsic::vector_reduce_smin:
      return Combine(Intrinsic::kSMin);
    case llvm::Intrinsic::vector_reduce_smax:
      return Combine(Intrinsic::kSMax);
    case llvm::Intrinsic::vector_reduce_umin:
      return Combine(Intrinsic::kUMin);
    case llvm::Intrinsic::vector_reduce_umax:
      return Combine(Intrinsic::kUMax);
    case llvm::Intrinsic::vector_reduce_fmin:
      return Combine(Intrinsic::kMinNum);
    case llvm::Intrinsic::vector_reduce_fmax:
      return Combine(Intrinsic::kMaxNum);
    case llvm::Intrinsic::vector_reduce_fminimum:
      return Combine(Intrinsic::kMinimum);
    case llvm::Intrinsic::vector_reduce_fmaximum:
      return Combine(Intrinsic::kMaximum);
    default:
      return std::nullopt;
  }
}

// In lane order, which is what the language reference says without `reassoc`, and allowed for
// those that may be done in any order.
absl::Status Decoder::DecodeReduction(const llvm::IntrinsicInst& call) {
  const Combiner combiner = *ReductionCombiner(call.getIntrinsicID());
  const llvm::Value* vector = call.getArgOperand(call.arg_size() - 1);
  const Type type = out_->values[Value(vector)];
  llvm::Type* i32 = llvm::Type::getInt32Ty(call.getContext());
  int total = call.arg_size() == 2 ? Value(call.getArgOperand(0)) : -1;
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const bool last = i + 1 == type.lanes;
    const int result = Value(&call);
    const int lane = last && total < 0 ? result : Fresh(type.scalar());
    Emit(Opcode::kExtract, type, lane, {Value(vector), Value(llvm::ConstantInt::get(i32, i))});
    if (total >= 0) {
      const int sum = last ? result : Fresh(type.scalar());
      Emit(combiner.opcode, type.scalar(), sum, {total, lane}).code = combiner.code;
      total = sum;
    } else {
      total = lane;
    }
  }
  return absl::OkStatus();
}

absl::Status Decoder::DecodeMasked(const llvm::IntrinsicInst& call) {
  const bool load = call.getIntrinsicID() == llvm::Intrinsic::masked_load;
  const int pointer = load ? 0 : 1;
  const llvm::Value* mask = call.getArgOperand(load ? 1 : 2);
  const int64_t alignment = call.getParamAlign(pointer).valueOrOne().value();
  const int value = Value(load ? &call : call.getArgOperand(0));
  const Type type = out_->values[value];
  if (!InMemory(type)) return Unsupported("memory of type " + Name(type));
  if (load) {
    Emit(Opcode::kMaskedLoad, type, value,
         {Value(call.getArgOperand(0)), Value(mask), Value(call.getArgOperand(2))})
        .immediate = alignment;
  } else {
    Emit(Opcode::kMaskedStore, type, -1, {value, Value(call.getArgOperand(1)), Value(mask)})
        .immediate = alignment;
  }
  return absl::OkStatus();
}

absl::Status Decoder::DecodeTransfer(const llvm::MemIntrinsic& call) {
  if (call.isVolatile()) return Unsupported("a volatile access");
  const int to = Value(call.getRawDest());
  const int length = Value(call.getLength());
  if (out_->values[length].bits != 64) return Unsupported("a length that is not an i64");
  const int64_t alignment = call.getDestAlign().valueOrOne().value();
  if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(&call)) {
    Emit(Opcode::kMemSet, {}, -1, {to, Value(set->getValue()), length}).immediate = alignment;
    return absl::OkStatus();
  }
  const auto& transfer = llvm::cast<llvm::MemTransferInst>(call);
  const Opcode opcode = llvm::isa<llvm::MemMoveInst>(transfer) ? Opcode::kMemMove : Opcode::kMemCpy;
  Instruction& emitted = Emit(opcode, {}, -1, {to, Value(transfer.getRawSource()), length});
  emitted.immediate = alignment;
  emitted.immediate2 = transfer.getSourceAlign().valueOrOne().value();
  return absl::OkStatus();
}

absl::Status Decoder::DecodeIntrinsic(const llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (ReductionCombiner(id).has_value()) return DecodeReduction(call);
  if (const auto* transfer = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) {
    return DecodeTransfer(*transfer);
  }
  if (const std::optional<Intrinsic> lanewise = Lanewise(id); lanewise.has_value()) {
    std::vector<int> operands;
    for (const llvm::Value* argument : call.args()) operands.push_back(Value(argument));
    EmitResult(Opcode::kLanewise, call, operands).code = static_cast<uint8_t>(*lanewise);
    return absl::OkStatus();
  }
  switch (id) {
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat: {
      Instruction& emitted = EmitResult(Opcode::kCast, call, {Value(call.getArgOperand(0))});
      emitted.code = static_cast<uint8_t>(id == llvm::Intrinsic::fptosi_sat ? CastOp::kFPToSISat
                                                                            : CastOp::kFPToUISat);
      emitted.from = out_->values[Value(call.getArgOperand(0))];
      return absl::OkStatus();
    }
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_store:
      return DecodeMasked(call);
    case llvm::Intrinsic::assume:
      Emit(Opcode::kAssume, {}, -1, {Value(call.getArgOperand(0))});
      return absl::OkStatus();
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
      Emit(Opcode::kLifetime, {}, -1, {Value(call.getArgOperand(call.arg_size() - 1))}).immediate =
          id == llvm::Intrinsic::lifetime_start ? 1 : 0;
      return absl::OkStatus();
    case llvm::Intrinsic::trap:
      Emit(Opcode::kUnreachable, {}, -1, {});
      return absl::OkStatus();
    // Neither read, write nor compute.
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
      return absl::OkStatus();
    case llvm::Intrinsic::fmuladd:
      return Unsupported("llvm.fmuladd, which leaves open whether the product is rounded,");
    default:
      return Unsupported("this intrinsic");
  }
}

// A function of the C library, or one that the emitter brings: numbers in, one number out.
static bool IsNumeric(const llvm::CallInst& call) {
  const llvm::Type* type = call.getType();
  if (!type->isFPOrFPVectorTy() || call.arg_size() == 0) return false;
  for (const llvm::Value* argument : call.args()) {
    if (argument->getType() != type) return false;
  }
  return true;
}

absl::Status Decoder::DecodeNamedCall(const llvm::CallInst& call, const llvm::Function& callee) {
  std::vector<int> operands;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const int operand = Value(call.getArgOperand(i));
    operands.push_back(operand);
    if (call.getAttributes().hasParamAttr(i, llvm::Attribute::NoUndef)) {
      Emit(Opcode::kRequireDefined, out_->values[operand], -1, {operand});
    }
  }
  const int result = call.getType()->isVoidTy() ? -1 : Value(&call);
  const Type type = result < 0 ? Type() : out_->values[result];
  if (callee.isDeclaration()) {
    if (!IsNumeric(call)) return Unsupported("calling @" + callee.getName().str());
    const std::string problem = CheckDeclaration(callee);
    if (!problem.empty()) return absl::UnimplementedError(problem);
    const std::string name = callee.getName().str();
    const LibraryFunction* function = FindLanes(name, type, static_cast<int>(call.arg_size()));
    if (function == nullptr) return Unsupported("calling @" + name + " on " + Name(type));
    Emit(Opcode::kLibraryCall, type, result, operands).index =
        static_cast<int>(tables_.libraries.size());
    tables_.libraries.push_back(std::string(function->name));
    return absl::OkStatus();
  }
  Emit(Opcode::kCall, type, result, operands).index = tables_.functions.at(&callee);
  if (result >= 0 && call.getAttributes().hasRetAttr(llvm::Attribute::NoUndef)) {
    Emit(Opcode::kRequireDefined, type, -1, {result});
  }
  return absl::OkStatus();
}

absl::Status Decoder::DecodeCall(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return Unsupported("an indirect call or inline assembly");
  if (callee->getFunctionType() != call.getFunctionType() || callee->isVarArg() ||
      callee->getCallingConv() != call.getCallingConv()) {
    return Unsupported("a call that does not fit the function");
  }
  const std::string problem = CheckCallSite(call);
  if (!problem.empty()) return absl::UnimplementedError(problem);
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    return DecodeIntrinsic(*intrinsic);
  }
  return DecodeNamedCall(call, *callee);
}

}  // namespace quern::verifier
