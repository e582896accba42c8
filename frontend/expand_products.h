// Products of matrices in the forms that dot_general alone can say.
#ifndef QUERN_FRONTEND_EXPAND_PRODUCTS_H_
#define QUERN_FRONTEND_EXPAND_PRODUCTS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites dot; dot_general with an algorithm, whose steps are spelled out: operands are split into
// components of the precision types (tf32 by reduce_precision), the products of components are
// accumulated in the accumulation type, summed from the least to the largest and converted; and
// chlo.ragged_dot whose groups lie along a free or a contracted dimension, one product a group.
// Failure, reported at the op, for an algorithm or a ragged product that this does not cover.
mlir::LogicalResult ExpandProducts(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_PRODUCTS_H_
