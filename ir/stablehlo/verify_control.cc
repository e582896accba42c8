#include "ir/stablehlo/verify.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

LogicalResult IfOp::verify() {
  if (failed(CheckRegion(*this, getTrueBranch(), "true branch", {}, getResultTypes())))
    return failure();
  return CheckRegion(*this, getFalseBranch(), "false branch", {}, getResultTypes());
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) return emitOpError("needs a branch");
  for (auto [i, branch] : llvm::enumerate(getBranches())) {
    const std::string name = "branch " + std::to_string(i);
    if (failed(CheckRegion(*this, branch, name, {}, getResultTypes()))) return failure();
  }
  return success();
}

LogicalResult WhileOp::verify() {
  if (getOperandTypes() != getResultTypes()) {
    return emitOpError("results must have the operands' types (")
           << getOperandTypes() << "), not (" << getResultTypes() << ")";
  }
  const mlir::Type truth = mlir::RankedTensorType::get({}, mlir::IntegerType::get(getContext(), 1));
  if (failed(CheckRegion(*this, getCond(), "condition", getOperandTypes(), truth)))
    return failure();
  return CheckRegion(*this, getBody(), "body", getOperandTypes(), getOperandTypes());
}

LogicalResult TupleOp::verify() {
  const auto tuple = llvm::cast<mlir::TupleType>(getResult().getType());
  if (llvm::equal(tuple.getTypes(), getVal().getTypes())) return success();
  return emitOpError("result must be a tuple of the operands' types");
}

LogicalResult GetTupleElementOp::verify() {
  const auto tuple = llvm::cast<mlir::TupleType>(getOperand().getType());
  if (getIndex() < tuple.size() && tuple.getType(getIndex()) == getResult().getType())
    return success();
  return emitOpError("result must have the type of the tuple's element");
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperandTypes() == getResultTypes()) return success();
  return emitOpError("results must have the operands' types");
}

}  // namespace quern::stablehlo
