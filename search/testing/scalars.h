// Scalars of programs and the ops of arith and math on them, for an executor that compiles nothing.
#ifndef QUERN_SEARCH_TESTING_SCALARS_H_
#define QUERN_SEARCH_TESTING_SCALARS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "mlir/IR/Operation.h"

namespace quern::search {

// One of the two, as its type says.
struct Scalar {
  double number = 0;  // of a float; a double holds each type's
  uint64_t bits = 0;  // of an integer or index, above them zeros
};

// The op's one result. Functions are computed in f64 and rounded once. kInvalidArgument for an op
// that is not known.
absl::StatusOr<Scalar> Evaluate(mlir::Operation* op, llvm::ArrayRef<Scalar> operands);

Scalar ScalarAt(const Tensor& tensor, int64_t index);
void SetScalar(Tensor& tensor, int64_t index, Scalar value);

}  // namespace quern::search

#endif  // QUERN_SEARCH_TESTING_SCALARS_H_
