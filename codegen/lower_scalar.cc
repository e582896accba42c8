#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/kernel_lowering.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

namespace quern::codegen {

namespace arith = mlir::arith;
using llvm::CmpInst;

llvm::Value* KernelLowering::Operand(mlir::Value value) {
  if (auto counter = counters_.find(value); counter != counters_.end()) {
    const LinearForm& form = counter->second;
    if (!in_vector() || !form.DependsOn(lane_)) return FormValue(form);
    llvm::SmallVector<llvm::Constant*> lanes;
    for (int64_t lane = 0; lane < width_; ++lane) {
      lanes.push_back(builder_.getInt64(form.At(lane_, lane, ranges_).constant()));
    }
    return llvm::ConstantVector::get(lanes);
  }
  llvm::Value* lowered = values_.lookup(value);
  if (fixed_lane_ && lowered->getType()->isVectorTy()) {
    return builder_.CreateExtractElement(lowered, builder_.getInt64(*fixed_lane_));
  }
  return lowered;
}

static CmpInst::Predicate Predicate(arith::CmpFPredicate predicate) {
  switch (predicate) {
    case arith::CmpFPredicate::AlwaysFalse:
      return CmpInst::FCMP_FALSE;
    case arith::CmpFPredicate::OEQ:
      return CmpInst::FCMP_OEQ;
    case arith::CmpFPredicate::OGT:
      return CmpInst::FCMP_OGT;
    case arith::CmpFPredicate::OGE:
      return CmpInst::FCMP_OGE;
    case arith::CmpFPredicate::OLT:
      return CmpInst::FCMP_OLT;
    case arith::CmpFPredicate::OLE:
      return CmpInst::FCMP_OLE;
    case arith::CmpFPredicate::ONE:
      return CmpInst::FCMP_ONE;
    case arith::CmpFPredicate::ORD:
      return CmpInst::FCMP_ORD;
    case arith::CmpFPredicate::UEQ:
      return CmpInst::FCMP_UEQ;
    case arith::CmpFPredicate::UGT:
      return CmpInst::FCMP_UGT;
    case arith::CmpFPredicate::UGE:
      return CmpInst::FCMP_UGE;
    case arith::CmpFPredicate::ULT:
      return CmpInst::FCMP_ULT;
    case arith::CmpFPredicate::ULE:
      return CmpInst::FCMP_ULE;
    case arith::CmpFPredicate::UNE:
      return CmpInst::FCMP_UNE;
    case arith::CmpFPredicate::UNO:
      return CmpInst::FCMP_UNO;
    case arith::CmpFPredicate::AlwaysTrue:
      return CmpInst::FCMP_TRUE;
  }
  llvm_unreachable("not a predicate");
}

static CmpInst::Predicate Predicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
    case arith::CmpIPredicate::eq:
      return CmpInst::ICMP_EQ;
    case arith::CmpIPredicate::ne:
      return CmpInst::ICMP_NE;
    case arith::CmpIPredicate::slt:
      return CmpInst::ICMP_SLT;
    case arith::CmpIPredicate::sle:
      return CmpInst::ICMP_SLE;
    case arith::CmpIPredicate::sgt:
      return CmpInst::ICMP_SGT;
    case arith::CmpIPredicate::sge:
      return CmpInst::ICMP_SGE;
    case arith::CmpIPredicate::ult:
      return CmpInst::ICMP_ULT;
    case arith::CmpIPredicate::ule:
      return CmpInst::ICMP_ULE;
    case arith::CmpIPredicate::ugt:
      return CmpInst::ICMP_UGT;
    case arith::CmpIPredicate::uge:
      return CmpInst::ICMP_UGE;
  }
  llvm_unreachable("not a predicate");
}

static std::optional<llvm::Instruction::BinaryOps> BinaryOp(mlir::Operation& op) {
  using llvm::Instruction;
  return llvm::TypeSwitch<mlir::Operation*, std::optional<Instruction::BinaryOps>>(&op)
      .Case([](arith::AddFOp) { return Instruction::FAdd; })
      .Case([](arith::SubFOp) { return Instruction::FSub; })
      .Case([](arith::MulFOp) { return Instruction::FMul; })
      .Case([](arith::DivFOp) { return Instruction::FDiv; })
      .Case([](arith::AddIOp) { return Instruction::Add; })
      .Case([](arith::SubIOp) { return Instruction::Sub; })
      .Case([](arith::MulIOp) { return Instruction::Mul; })
      .Case([](arith::DivUIOp) { return Instruction::UDiv; })
      .Case([](arith::RemUIOp) { return Instruction::URem; })
      .Case([](arith::AndIOp) { return Instruction::And; })
      .Case([](arith::OrIOp) { return Instruction::Or; })
      .Case([](arith::XOrIOp) { return Instruction::Xor; })
      .Case([](arith::ShLIOp) { return Instruction::Shl; })
      .Case([](arith::ShRSIOp) { return Instruction::AShr; })
      .Case([](arith::ShRUIOp) { return Instruction::LShr; })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

static llvm::Intrinsic::ID BinaryIntrinsic(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, llvm::Intrinsic::ID>(&op)
      .Case([](arith::MaximumFOp) { return llvm::Intrinsic::maximum; })
      .Case([](arith::MinimumFOp) { return llvm::Intrinsic::minimum; })
      .Case([](arith::MaxNumFOp) { return llvm::Intrinsic::maxnum; })
      .Case([](arith::MinNumFOp) { return llvm::Intrinsic::minnum; })
      .Case([](arith::MaxSIOp) { return llvm::Intrinsic::smax; })
      .Case([](arith::MinSIOp) { return llvm::Intrinsic::smin; })
      .Case([](arith::MaxUIOp) { return llvm::Intrinsic::umax; })
      .Case([](arith::MinUIOp) { return llvm::Intrinsic::umin; })
      .Default([](mlir::Operation*) { return llvm::Intrinsic::not_intrinsic; });
}

// As StableHLO's interpreter has it: x / 0 = -1, x % 0 = x, and dividing the least integer by -1
// wraps.
static llvm::Value* DivideSigned(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b,
                                 bool remainder) {
  llvm::Constant* zero = llvm::Constant::getNullValue(b->getType());
  llvm::Constant* ones = llvm::Constant::getAllOnesValue(b->getType());
  llvm::Value* by_zero = builder.CreateICmpEQ(b, zero);
  llvm::Value* by_minus_one = builder.CreateICmpEQ(b, ones);
  llvm::Value* safe = builder.CreateSelect(builder.CreateOr(by_zero, by_minus_one),
                                           llvm::ConstantInt::get(b->getType(), 1), b);
  if (remainder) return builder.CreateSelect(by_zero, a, builder.CreateSRem(a, safe));
  llvm::Value* negated = builder.CreateSub(zero, a);
  llvm::Value* quotient = builder.CreateSelect(by_minus_one, negated, builder.CreateSDiv(a, safe));
  return builder.CreateSelect(by_zero, ones, quotient);
}

absl::StatusOr<llvm::Value*> KernelLowering::LowerArith(mlir::Operation& op,
                                                        llvm::ArrayRef<llvm::Value*> in) {
  if (auto binary = BinaryOp(op)) return builder_.CreateBinOp(*binary, in[0], in[1]);
  if (llvm::Intrinsic::ID intrinsic = BinaryIntrinsic(op)) {
    return builder_.CreateBinaryIntrinsic(intrinsic, in[0], in[1]);
  }
  if (llvm::isa<arith::DivSIOp, arith::RemSIOp>(op)) {
    return DivideSigned(builder_, in[0], in[1], llvm::isa<arith::RemSIOp>(op));
  }
  if (llvm::isa<arith::RemFOp>(op) && target_.has_libm()) return CallFunction("fmod", in);
  if (llvm::isa<arith::NegFOp>(op)) return builder_.CreateFNeg(in[0]);
  if (auto compare = llvm::dyn_cast<arith::CmpFOp>(op)) {
    return builder_.CreateFCmp(Predicate(compare.getPredicate()), in[0], in[1]);
  }
  if (auto compare = llvm::dyn_cast<arith::CmpIOp>(op)) {
    return builder_.CreateICmp(Predicate(compare.getPredicate()), in[0], in[1]);
  }
  if (llvm::isa<arith::SelectOp>(op)) return builder_.CreateSelect(in[0], in[1], in[2]);
  return LoweringError(&op, absl::StrCat("is not supported on ", target_.name()));
}

static llvm::Constant* Constant(mlir::Attribute attribute, llvm::Type* type) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute)) {
    if (type->isIntegerTy()) {  // a float of 8 bits
      return llvm::ConstantInt::get(type, number.getValue().bitcastToAPInt());
    }
    return llvm::ConstantFP::get(type->getContext(), number.getValue());
  }
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) {
    return llvm::ConstantInt::get(type, number.getValue().zextOrTrunc(type->getIntegerBitWidth()));
  }
  return nullptr;
}

absl::Status KernelLowering::LowerScalar(mlir::Operation& op) {
  llvm::Type* type = op.getNumResults() == 1
                         ? ValueType(op.getResult(0).getType(), module_.getContext())
                         : nullptr;
  if (!type) return LoweringError(&op, absl::StrCat("is not supported on ", target_.name()));
  llvm::Value*& result = values_[op.getResult(0)];
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
    result = Constant(constant.getValue(), type);
    return result ? absl::OkStatus() : LoweringError(&op, "is not a scalar constant");
  }
  llvm::SmallVector<llvm::Value*> in;
  bool vector = false;
  for (mlir::Value operand : op.getOperands()) {
    in.push_back(Operand(operand));
    vector |= in.back()->getType()->isVectorTy();
  }
  if (vector) {
    for (llvm::Value*& value : in) {
      if (!value->getType()->isVectorTy()) value = builder_.CreateVectorSplat(width_, value);
    }
    type = llvm::FixedVectorType::get(type, width_);
  }
  if (in.size() == 1) {
    result = LowerConversion(op, in[0], type);
    if (result) return absl::OkStatus();
  }
  if (!llvm::isa<arith::SelectOp>(op)) {  // small floats: arithmetic on f32, rounded
    for (auto [value, operand] : llvm::zip(in, op.getOperands())) {
      value = Widen(value, operand.getType());
    }
  }
  absl::StatusOr<llvm::Value*> lowered =
      op.getName().getDialectNamespace() == "math" ? LowerMath(op, in) : LowerArith(op, in);
  QUERN_RETURN_IF_ERROR(lowered.status());
  result = (*lowered)->getType() == type ? *lowered : Narrow(*lowered, op.getResult(0).getType());
  return absl::OkStatus();
}

}  // namespace quern::codegen
