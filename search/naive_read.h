// Reading an element of a StableHLO value inside a kernel.
#ifndef QUERN_SEARCH_NAIVE_READ_H_
#define QUERN_SEARCH_NAIVE_READ_H_

#include "absl/status/statusor.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"

namespace quern::search {

// A place in a loop nest: its counters, and an index whose dimensions stand for them.
struct Point {
  llvm::SmallVector<mlir::Value> counters;
  llvm::SmallVector<mlir::AffineExpr> index;
};

// Whether the value needs no buffer: a constant, or data movement that an affine map expresses.
bool IsComputedWhereUsed(mlir::Value value);

// Element point.index of `value`. Values that are not computed where they are used are in
// `buffers`.
absl::StatusOr<mlir::Value> ReadElement(mlir::OpBuilder& builder, mlir::Value value,
                                        const Point& point,
                                        const llvm::DenseMap<mlir::Value, mlir::Value>& buffers);

// The row-major number of `index`, and the index of number `linear`, in `shape`.
mlir::AffineExpr Linearise(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> shape,
                           mlir::MLIRContext* context);
llvm::SmallVector<mlir::AffineExpr> Delinearise(mlir::AffineExpr linear,
                                                llvm::ArrayRef<int64_t> shape);

// Whether a constant is read from a buffer: it has too many elements to be code.
bool IsTable(stablehlo::ConstantOp constant);
inline constexpr int64_t kMaxTable = 1 << 18;  // elements

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_READ_H_
