// Tuples, taken apart.
#ifndef QUERN_FRONTEND_EXPAND_TUPLES_H_
#define QUERN_FRONTEND_EXPAND_TUPLES_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Replaces elements taken from tuples by what was put in, and lets calls of libraries that give a
// tuple give its elements. Tuples of any other use stay.
mlir::LogicalResult ExpandTuples(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_TUPLES_H_
