// StableHLO ops on tensors in host memory, one family a source file.
#ifndef QUERN_FRONTEND_EVALUATE_H_
#define QUERN_FRONTEND_EVALUATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bundle/tensor.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Block.h"

namespace quern::frontend {

// The tensor that a value in scope holds.
using Lookup = llvm::function_ref<const Tensor&(mlir::Value)>;

// What the ops of a block return, given its arguments. Ops that are not StableHLO's, and custom
// calls, go to `other`. A value is dropped after its last use.
absl::StatusOr<std::vector<Tensor>> EvaluateBlock(
    mlir::Block& block, absl::Span<const Tensor> arguments,
    llvm::function_ref<absl::Status(mlir::Operation&, Lookup)> other);

// "file:line:column: error: stablehlo.divide is not defined on i1".
absl::Status UndefinedOp(mlir::Operation& op);

// ---- evaluate_elementwise.cc

// Element i of the result from element i of each operand. The result may be one of the operands.
using Elementwise = void (*)(const std::byte* const* operands, std::byte* result, int64_t count);

// Null if `op` is not element-wise or not defined on its element types.
Elementwise FindElementwise(mlir::Operation& op);

// ---- evaluate_conversion.cc

Elementwise FindConversion(ElementType from, ElementType to);
Elementwise FindComparison(stablehlo::CompareOp compare, ElementType type);

// ---- evaluate_movement.cc

// constant, iota, broadcast_in_dim, reshape, slice, transpose.
bool IsMovement(mlir::Operation& op);
absl::StatusOr<Tensor> EvaluateMovement(mlir::Operation& op, Lookup value);
absl::StatusOr<Tensor> Transpose(const Tensor& operand, llvm::ArrayRef<int64_t> permutation);
// A scalar in every element.
absl::StatusOr<Tensor> Spread(const Tensor& scalar, std::vector<int64_t> shape);

// ---- evaluate_dot.cc and evaluate_reduce.cc

absl::StatusOr<Tensor> EvaluateDot(stablehlo::DotGeneralOp dot, Lookup value);
absl::StatusOr<std::vector<Tensor>> EvaluateReduce(stablehlo::ReduceOp reduce, Lookup value);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EVALUATE_H_
