// What constants alone determine.
#ifndef QUERN_FRONTEND_FOLD_H_
#define QUERN_FRONTEND_FOLD_H_

#include <cstdint>

#include "bundle/tensor_type.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace quern::frontend {

// Computes results with the interpreter's own evaluators, so that they have its bits. An op folds
// if every implementation gives those bits: moves of elements, integers, comparisons, and
// floating-point ops that round once. Functions such as exp, sums in an order of their own, complex
// products and random bits stay, as does what gives a NaN, whose bits are nobody's.
//
// A constant that is one number repeated may have any shape. Other results, tables, have at most
// kMaxElements elements and no more numbers than the operands hold, so that no table appears where
// a formula was, and all that one folder computes take kMaxBytes at most. Floating-point arithmetic
// on tables stays: a kernel that holds its rounded results is harder to prove than one that
// computes them.
class ConstantFolder {
 public:
  static constexpr int64_t kMaxElements = 64 << 10;
  static constexpr int64_t kMaxBytes = 16 << 20;

  // The value of the op's one result; null if the op stays.
  mlir::DenseElementsAttr Fold(mlir::Operation* op);

 private:
  mlir::DenseElementsAttr FoldTables(mlir::Operation* op, const TensorType& result,
                                     llvm::ArrayRef<mlir::DenseElementsAttr> operands);

  int64_t bytes_left_ = kMaxBytes;
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_FOLD_H_
