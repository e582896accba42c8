// Writing the body of a kernel of a naive program.
#ifndef QUERN_SEARCH_NAIVE_EMIT_H_
#define QUERN_SEARCH_NAIVE_EMIT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "search/naive_read.h"

namespace quern::search {

mlir::RankedTensorType TensorOf(mlir::Value value);

// The type that products of a dot or convolution with results of type `result` are summed in.
mlir::Type SumType(mlir::Type result);

// Emits at the insertion point of `builder`; `buffers` hold the values that are not computed where
// they are used.
class Emission {
 public:
  Emission(mlir::OpBuilder& builder, const llvm::DenseMap<mlir::Value, mlir::Value>& buffers)
      : builder_(builder), buffers_(buffers) {}

  mlir::OpBuilder& builder() { return builder_; }
  mlir::AffineExpr Constant(int64_t value) const;

  // Loops prefix0, prefix1, ... whose counters follow those of `around` and are the index; code
  // goes on inside.
  Point OpenLoops(std::string_view prefix, llvm::ArrayRef<int64_t> shape, Point around);
  // A guard that runs where all of `at_least_0` are and all of `equal_0` are 0; code goes on
  // inside.
  void OpenGuard(const Point& point, llvm::ArrayRef<mlir::AffineExpr> at_least_0,
                 llvm::ArrayRef<mlir::AffineExpr> equal_0 = {});

  // The integer scalar of type `element`, moved into [low, high], as one more counter of the point.
  // Its expression.
  mlir::AffineExpr ComputedIndex(Point& point, mlir::Value integer, mlir::Type element, int64_t low,
                                 int64_t high);

  mlir::Value Register(const std::string& name, mlir::Type element);
  mlir::Value LoadRegister(mlir::Value buffer);
  void StoreRegister(mlir::Value value, mlir::Value buffer);

  // The register of result `number` of an op: "acc", "acc1", ...
  mlir::Value Accumulator(size_t number, mlir::Type type);
  llvm::SmallVector<mlir::Value> LoadRegisters(llvm::ArrayRef<mlir::Value> buffers);
  // accumulator += left * right, all of its type.
  void AddProduct(mlir::Value left, mlir::Value right, mlir::Value accumulator);

  absl::StatusOr<mlir::Value> Read(mlir::Value value, const Point& point);
  void Store(mlir::Value value, mlir::Value buffer, const Point& point);
  // What an earlier iteration stored.
  mlir::Value Load(mlir::Value buffer, const Point& point);

  // What the region of a reduction, scatter, sort, ... returns for these scalars.
  absl::StatusOr<llvm::SmallVector<mlir::Value>> Body(mlir::Block& body,
                                                      llvm::ArrayRef<mlir::Value> arguments);
  // Its results become the accumulators.
  absl::Status Combine(mlir::Block& body, llvm::ArrayRef<mlir::Value> arguments,
                       llvm::ArrayRef<mlir::Value> accumulators);
  // Elements of the op's results.
  void StoreAccumulators(llvm::ArrayRef<mlir::Value> accumulators, llvm::ArrayRef<mlir::Value> to,
                         const Point& at);

 private:
  mlir::OpBuilder& builder_;
  const llvm::DenseMap<mlir::Value, mlir::Value>& buffers_;
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_EMIT_H_
