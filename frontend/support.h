// What quern can compute, and what it refuses.
#ifndef QUERN_FRONTEND_SUPPORT_H_
#define QUERN_FRONTEND_SUPPORT_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::frontend {

// Diagnoses a value that is no static tensor of a supported element type, one that this machine's
// memory cannot hold, and a constant without data.
mlir::LogicalResult CheckTypes(mlir::func::FuncOp function);

// Diagnoses an op other than the pure ops of StableHLO and, if they are allowed, calls of
// libraries.
mlir::LogicalResult CheckOps(mlir::func::FuncOp function, bool allow_calls = false);

// Makes constants without data arguments of the function, after its own.
void PassElidedConstants(mlir::func::FuncOp function);

// Diagnoses a module for more than one device.
mlir::LogicalResult CheckDevices(mlir::ModuleOp module);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SUPPORT_H_
