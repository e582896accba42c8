// Scans as loops.
#ifndef QUERN_FRONTEND_EXPAND_SCAN_H_
#define QUERN_FRONTEND_EXPAND_SCAN_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites each chlo.scan as a stablehlo.while that slices the inputs, runs the body and updates
// the outputs. Failure, reported at the op, for a scan whose types do not fit its body.
mlir::LogicalResult ExpandScans(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_SCAN_H_
