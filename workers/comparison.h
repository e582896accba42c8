// Comparing outputs with what they should be. A filter: the proof decides.
#ifndef QUERN_WORKERS_COMPARISON_H_
#define QUERN_WORKERS_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundle/tensor.h"

namespace quern::workers {

// |got - want| <= absolute + relative * |want| for floats and each part of complex numbers. A NaN
// or infinity must be met exactly; integers and bools too.
struct Tolerance {
  double absolute = 0;
  double relative = 0;

  // For results that are sums of `terms` products of numbers up to about 1, in any order.
  static Tolerance ForSums(int64_t terms, ElementType element);
};

// "result 0, element 17: 3.5 instead of 2", if `got`, the bytes of a tensor like `want`, differs at
// `index`.
std::optional<std::string> DifferenceAt(size_t result, const Tensor& want, const std::byte* got,
                                        int64_t index, Tolerance tolerance);
// The first difference of all.
std::optional<std::string> FirstDifference(const std::vector<Tensor>& want,
                                           const std::vector<Tensor>& got, Tolerance tolerance);
// The first element whose bits differ.
std::optional<std::string> FirstChangedBit(const std::vector<Tensor>& before,
                                           const std::vector<Tensor>& after);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_COMPARISON_H_
