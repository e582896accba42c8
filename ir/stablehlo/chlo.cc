#include "ir/stablehlo/chlo.h"

#include "mlir/IR/Builders.h"

#include "ir/stablehlo/chlo_dialect.cc.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/chlo_ops.cc.inc"

namespace quern::chlo {

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/chlo_ops.cc.inc"
      >();
}

mlir::LogicalResult TopKOp::verify() {
  const auto from = llvm::cast<mlir::RankedTensorType>(getOperand().getType()),
             values = llvm::cast<mlir::RankedTensorType>(getValues().getType()),
             indices = llvm::cast<mlir::RankedTensorType>(getIndices().getType());
  const auto k = static_cast<int64_t>(getK());
  if (from.getRank() == 0 || k > from.getShape().back())
    return emitOpError("k is larger than the last dimension");
  llvm::SmallVector<int64_t> shape(from.getShape());
  shape.back() = k;
  if (values != mlir::RankedTensorType::get(shape, from.getElementType()) ||
      indices.getShape() != llvm::ArrayRef<int64_t>(shape)) {
    return emitOpError("results must have the operand's shape with a last dimension of ") << k;
  }
  return mlir::success();
}

mlir::LogicalResult ConstantLikeOp::verify() {
  if (getValue().getType() == getResult().getType().getElementType()) return mlir::success();
  return emitOpError("value must have the result's element type");
}

}  // namespace quern::chlo
