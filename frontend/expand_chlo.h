// CHLO's implicit broadcasts, written out.
#ifndef QUERN_FRONTEND_EXPAND_CHLO_H_
#define QUERN_FRONTEND_EXPAND_CHLO_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Replaces each chlo.broadcast_X by stablehlo.broadcast_in_dim of its operands and X, which is
// StableHLO's or CHLO's, and chlo.constant, chlo.constant_like, chlo.square and chlo.tan by ops of
// StableHLO. Diagnoses operands that do not fit their result.
mlir::LogicalResult ExpandChlo(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_CHLO_H_
