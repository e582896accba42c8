// The reference meaning of a spec: element by element, in the declared types and order.
#ifndef QUERN_FRONTEND_INTERPRETER_H_
#define QUERN_FRONTEND_INTERPRETER_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bundle/tensor.h"
#include "frontend/spec.h"

namespace quern::frontend {

// The results of @main on `inputs`, one per argument.
//
// Every op rounds once, to its result type; f16, bf16 and f8 compute in f32, transcendental
// functions in f64. A reduce starts at the init value and takes elements in row-major order, the
// accumulator first; a dot sums products in row-major order of the contracted dimensions, in f32
// for floating-point results up to it and rounding the sum once. A convolution sums likewise over
// its kernel in row-major order, input features innermost, with zeros for padding and holes;
// triangular_solve, cholesky and fft compute in f64. Updates of a scatter come in row-major order
// of its indices, equal elements of a sort keep their order. Integers wrap; x/0 is all ones, x%0 =
// x, INT_MIN/-1 = INT_MIN, shifts by the width or more leave zeros or copies of the sign, and
// conversion of a float to an integer truncates and saturates, NaN to 0.
//
// kInvalidArgument: inputs that do not fit the spec, or an op on an element type that StableHLO
// does not define. kUnimplemented: the spec calls a function of a library. kResourceExhausted: no
// memory for a value, or its loops run for more than `max_iterations` in all.
absl::StatusOr<std::vector<Tensor>> Interpret(
    const Spec& spec, absl::Span<const Tensor> inputs,
    int64_t max_iterations = std::numeric_limits<int64_t>::max());

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_INTERPRETER_H_
