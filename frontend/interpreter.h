// The reference meaning of a spec: element by element, in the declared types and order.
#ifndef QUERN_FRONTEND_INTERPRETER_H_
#define QUERN_FRONTEND_INTERPRETER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bundle/tensor.h"
#include "frontend/spec.h"

namespace quern::frontend {

// The results of @main on `inputs`, one per argument.
//
// Every op rounds to its result type; bf16 computes in f32. Transcendental functions are computed
// in f64 and rounded. A reduce starts at the init value and takes elements in row-major order, the
// accumulator first; a dot sums products in row-major order of the contracted dimensions, in f32
// for floating-point results and rounding the sum once. Integers wrap; x/0 = -1, x%0 = x,
// INT_MIN/-1 = INT_MIN, and conversion to an integer truncates and saturates, NaN to 0.
//
// kInvalidArgument: inputs that do not fit the spec, or an op on an element type that StableHLO
// does not define. kResourceExhausted: no memory for a value.
absl::StatusOr<std::vector<Tensor>> Interpret(const Spec& spec, absl::Span<const Tensor> inputs);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_INTERPRETER_H_
