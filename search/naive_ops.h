// The kernels of ops that are more than a scalar op at each element, one function a family. Each
// writes every element of `to`, the buffers of the op's results, once, from inside the loops (or
// threads) of `at` over the elements of the first result.
#ifndef QUERN_SEARCH_NAIVE_OPS_H_
#define QUERN_SEARCH_NAIVE_OPS_H_

#include <optional>

#include "ir/stablehlo/stablehlo.h"
#include "search/naive_emit.h"

namespace quern::search {

// reduce and dot_general: loops r0, r1, ... over what is reduced, inside.
std::optional<absl::Status> EmitReduction(Emission& emit, mlir::Operation* op, const Point& at,
                                          llvm::ArrayRef<mlir::Value> to);

// Data movement: guards over counters, and indices that scalars of the spec tell, clamped.
std::optional<absl::Status> EmitMovement(Emission& emit, mlir::Operation* op, const Point& at,
                                         llvm::ArrayRef<mlir::Value> to);

// reduce_window and convolution: a loop over the window inside, padding in a register.
// select_and_scatter: for each element of the result, the windows that reach it, in order.
std::optional<absl::Status> EmitWindow(Emission& emit, mlir::Operation* op, const Point& at,
                                       llvm::ArrayRef<mlir::Value> to);

// gather; scatter, as each element of the result against all updates in order, O(results x
// indices); sort, as the rank of each element, O(n^2) for a line of n. A sort needs a comparator
// that is a strict weak order on what it meets.
std::optional<absl::Status> EmitIndexing(Emission& emit, mlir::Operation* op, const Point& at,
                                         llvm::ArrayRef<mlir::Value> to);

// triangular_solve and cholesky, whose elements are computed from those before them in the order of
// the loops: for a target that runs these in order.
std::optional<absl::Status> EmitLinear(Emission& emit, mlir::Operation* op, const Point& at,
                                       llvm::ArrayRef<mlir::Value> to);

// bitcast_convert, of any widths.
std::optional<absl::Status> EmitBitcast(Emission& emit, mlir::Operation* op, const Point& at,
                                        llvm::ArrayRef<mlir::Value> to);

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_OPS_H_
