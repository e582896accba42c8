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
    for (int64_t lane = 0; lane < width_; ++lane) lanes.push_back(builder_.getInt64(lane));
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
      .Case([](arith::DivSIOp) { return Instruction::SDiv; })
      .Case([](arith::DivUIOp) { return Instruction::UDiv; })
      .Case([](arith::RemSIOp) { return Instruction::SRem; })
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

absl::StatusOr<llvm::Value*> KernelLowering::LowerArith(mlir::Operation& op,
                                                        llvm::ArrayRef<llvm::Value*> in) {
  if (auto binary = BinaryOp(op)) return builder_.CreateBinOp(*binary, in[0], in[1]);
  if (llvm::Intrinsic::ID intrinsic = BinaryIntrinsic(op)) {
    return builder_.CreateBinaryIntrinsic(intrinsic, in[0], in[1]);
  }
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

llvm::Value* KernelLowering::LowerConversion(mlir::Operation& op, llvm::Value* in,
                                             llvm::Type* type) {
  // LLVM converts integers to bf16 through float and rounds twice. A double holds 32 bits exactly.
  const bool to_bf16 = type->getScalarType()->isBFloatTy();
  llvm::Type* wide = to_bf16 ? type->getWithNewType(builder_.getDoubleTy()) : type;
  auto narrow = [&](llvm::Value* value) {
    return to_bf16 ? builder_.CreateFPTrunc(value, type) : value;
  };
  return llvm::TypeSwitch<mlir::Operation*, llvm::Value*>(&op)
      .Case([&](arith::ExtFOp) { return builder_.CreateFPExt(in, type); })
      .Case([&](arith::TruncFOp) { return builder_.CreateFPTrunc(in, type); })
      .Case([&](arith::ExtSIOp) { return builder_.CreateSExt(in, type); })
      .Case([&](arith::ExtUIOp) { return builder_.CreateZExt(in, type); })
      .Case([&](arith::TruncIOp) { return builder_.CreateTrunc(in, type); })
      .Case([&](arith::IndexCastOp) { return builder_.CreateSExtOrTrunc(in, type); })
      .Case([&](arith::IndexCastUIOp) { return builder_.CreateZExtOrTrunc(in, type); })
      .Case([&](arith::BitcastOp) { return builder_.CreateBitCast(in, type); })
      .Case([&](arith::SIToFPOp) { return narrow(builder_.CreateSIToFP(in, wide)); })
      .Case([&](arith::UIToFPOp) { return narrow(builder_.CreateUIToFP(in, wide)); })
      .Case([&](arith::FPToSIOp) {
        return builder_.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {type, in->getType()}, {in});
      })
      .Case([&](arith::FPToUIOp) {
        return builder_.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {type, in->getType()}, {in});
      })
      .Default([](mlir::Operation*) { return nullptr; });
}

static llvm::Constant* Constant(mlir::Attribute attribute, llvm::Type* type) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute)) {
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
  if (!llvm::isa<arith::SelectOp>(op)) {  // arithmetic on bf16 is arithmetic on f32, rounded
    for (llvm::Value*& value : in) {
      if (!value->getType()->getScalarType()->isBFloatTy()) continue;
      value = builder_.CreateFPExt(value, value->getType()->getWithNewType(builder_.getFloatTy()));
    }
  }
  absl::StatusOr<llvm::Value*> lowered =
      op.getName().getDialectNamespace() == "math" ? LowerMath(op, in) : LowerArith(op, in);
  QUERN_RETURN_IF_ERROR(lowered.status());
  result = (*lowered)->getType() == type ? *lowered : builder_.CreateFPTrunc(*lowered, type);
  return absl::OkStatus();
}

}  // namespace quern::codegen
