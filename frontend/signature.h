// What a program says of its arguments and results beside their types.
#ifndef QUERN_FRONTEND_SIGNATURE_H_
#define QUERN_FRONTEND_SIGNATURE_H_

#include <string>
#include <vector>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::frontend {

// What a caller promises or permits about an argument. No result depends on it, but what the best
// kernel is does.
struct ArgumentUse {
  bool constant = false;  // the same tensor in every call, as a weight is
  bool donated = false;   // its memory may be overwritten
  int shares = -1;        // the result that is to lie in its memory; -1: none in particular
  bool operator==(const ArgumentUse&) const = default;
};

// Of each argument: constant from jax.const or jax.global_constant, donated from jax.buffer_donor,
// donated and shared from tf.aliasing_output. Failure, reported at the function, if an argument
// shares its memory with no result, one of another type, or one that another argument shares.
mlir::FailureOr<std::vector<ArgumentUse>> ReadUses(mlir::func::FuncOp function);

// Sets the attributes that ReadUses reads, and no others, on the arguments.
void WriteUses(mlir::func::FuncOp function, const std::vector<ArgumentUse>& uses);

// Refuses an argument or a result whose elements do not lie in row-major order, the last dimension
// fastest: by mhlo.layout_mode, or by the module's mhlo.xla_entry_computation_*_layouts.
mlir::LogicalResult CheckLayouts(mlir::ModuleOp module, mlir::func::FuncOp function);

// A sentence for each dialect unknown here whose attributes the module, the function, its arguments
// or its ops have. They are read over: what a program computes, its ops and their own attributes
// say.
std::vector<std::string> ForeignAttributes(mlir::ModuleOp module, mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SIGNATURE_H_
