// Ops that StableHLO defines by other ops, written as those.
#ifndef QUERN_FRONTEND_EXPAND_H_
#define QUERN_FRONTEND_EXPAND_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites broadcast, dot, the batch normalisations, chlo.top_k, and custom calls of @mhlo.erf and
// @mhlo.topk in a function and its regions. A batch normalisation rounds each step to its element
// type, as the specification's formulas do; top_k sorts stably in the total order of floats.
void ExpandOps(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_H_
