// select_and_scatter of complex numbers as a reduce_window and a scatter.
#ifndef QUERN_FRONTEND_EXPAND_SELECTION_H_
#define QUERN_FRONTEND_EXPAND_SELECTION_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites each select_and_scatter of complex numbers: a reduce_window carries, beside the number
// that is selected, its position in the operand, -1 where there is none, and a scatter takes the
// source there.
void ExpandSelections(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_SELECTION_H_
