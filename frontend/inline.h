// Calls of private functions, replaced by their bodies.
#ifndef QUERN_FRONTEND_INLINE_H_
#define QUERN_FRONTEND_INLINE_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Inlines every func.call below `main`, also those in regions. Recursion, unknown callees and a
// body of more than one million ops after inlining are diagnosed.
mlir::LogicalResult InlineCalls(mlir::func::FuncOp main);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_INLINE_H_
