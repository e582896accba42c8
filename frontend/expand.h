// Ops that StableHLO defines by other ops, written as those.
#ifndef QUERN_FRONTEND_EXPAND_H_
#define QUERN_FRONTEND_EXPAND_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites in a function and its regions: tuples (expand_tuples.h), broadcast, the batch
// normalisations, scans (expand_scan.h), products (expand_products.h), calls of known functions
// (expand_calls.h), and the operands of bodies that work on a wider type, which are converted to
// it. A batch normalisation rounds each step to its element type, as the specification's formulas
// do. Failure is reported at the op.
mlir::LogicalResult ExpandOps(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_H_
