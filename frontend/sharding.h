// Shardings over devices, of which a program for one device has none that matter.
#ifndef QUERN_FRONTEND_SHARDING_H_
#define QUERN_FRONTEND_SHARDING_H_

#include "mlir/IR/BuiltinOps.h"

namespace quern::frontend {

// Removes sdy ops and attributes, and the custom calls that only annotate shardings (@Sharding and
// its like): an identity is replaced by its operand, a computation of one device by its body. A
// sharding over a mesh axis of several devices, or a form that is not known to be an identity, is
// diagnosed.
mlir::LogicalResult DropShardings(mlir::ModuleOp module);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SHARDING_H_
