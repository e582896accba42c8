// Inputs for measuring, made from a seed.
#ifndef QUERN_WORKERS_INPUTS_H_
#define QUERN_WORKERS_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "workers/signature.h"

namespace quern::workers {

// What the elements of one argument may be.
struct InputRange {
  double low = -1;
  double high = 1;
  std::vector<double> values;  // if not empty: one of these instead
};

// Elements drawn uniformly and independently; the same for the same seed on every machine. An
// argument without a range gets the default: floats in [-1, 1], f8E8M0FNU,
// which has no sign, in [0.25, 4], signed integers -8..7, unsigned ones 0..15, bools either,
// complex numbers a real part like a float and no imaginary one. Of an integer with a range, the
// whole numbers in [low, high]. kResourceExhausted.
absl::StatusOr<std::vector<Tensor>> MakeInputs(const std::vector<TensorType>& arguments,
                                               const std::vector<InputRange>& ranges,
                                               uint64_t seed);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_INPUTS_H_
