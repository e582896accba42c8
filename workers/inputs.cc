#include "workers/inputs.h"

#include <algorithm>
#include <cmath>

#include "bundle/status.h"

namespace quern::workers {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t state_;
};

static InputRange DefaultRange(ElementType element) {
  switch (KindOf(element)) {
    case ElementKind::kSigned:
      return {.low = -8, .high = 7, .values = {}};
    case ElementKind::kUnsigned:
      return {.low = 0, .high = 15, .values = {}};
    case ElementKind::kBool:
      return {.low = 0, .high = 1, .values = {}};
    case ElementKind::kFloat:
      if (element == ElementType::kF8E8M0FNU) return {.low = 0.25, .high = 4, .values = {}};
      return {};
    case ElementKind::kComplex:
      return {};
  }
  return {};
}

static double Draw(const InputRange& range, bool whole, Random& random) {
  const double unit = random.Unit();
  if (!range.values.empty()) {
    const double count = static_cast<double>(range.values.size());
    return range.values[static_cast<size_t>(unit * count)];
  }
  if (!whole) return range.low + unit * (range.high - range.low);
  const double low = std::ceil(range.low);
  return low + std::floor(unit * (std::floor(range.high) - low + 1));
}

absl::StatusOr<std::vector<Tensor>> MakeInputs(const std::vector<TensorType>& arguments,
                                               const std::vector<InputRange>& ranges,
                                               uint64_t seed) {
  Random random(seed);
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ElementType element = arguments[i].element;
    const InputRange range = i < ranges.size() ? ranges[i] : DefaultRange(element);
    QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(arguments[i]));
    const int64_t count = arguments[i].num_elements();
    const bool whole = IsInteger(element) || element == ElementType::kBool;
    for (int64_t k = 0; k < count; ++k) tensor.Set(k, Draw(range, whole, random));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace quern::workers
