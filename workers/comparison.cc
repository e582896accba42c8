#include "workers/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace quern::workers {

Tolerance Tolerance::ForSums(int64_t terms, ElementType element) {
  // One rounding of the result's type, and `terms` of f32, with room to spare.
  const double rounding = element == ElementType::kBF16 ? 0x1p-8 : 0x1p-20;
  const double sum = 0x1p-24 * 8 * static_cast<double>(std::max<int64_t>(terms, 1));
  return {.absolute = sum + (element == ElementType::kBF16 ? 0x1p-10 : 0),
          .relative = 2 * rounding};
}

static double ElementAt(ElementType element, const std::byte* bytes, int64_t index) {
  switch (element) {
    case ElementType::kF32: {
      float value;
      std::memcpy(&value, bytes + 4 * index, sizeof(value));
      return value;
    }
    case ElementType::kBF16: {
      uint16_t value;
      std::memcpy(&value, bytes + 2 * index, sizeof(value));
      return BF16ToF32(value);
    }
    case ElementType::kI32: {
      int32_t value;
      std::memcpy(&value, bytes + 4 * index, sizeof(value));
      return value;
    }
    case ElementType::kBool:
      return static_cast<double>(bytes[index]);
  }
  return 0;
}

static bool Near(double want, double got, Tolerance tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == got) return true;
  if (std::isinf(want)) return false;
  return std::fabs(got - want) <= tolerance.absolute + tolerance.relative * std::fabs(want);
}

static std::string Describe(size_t result, int64_t index, double got, double want) {
  return absl::StrCat("result ", result, ", element ", index, ": ", got, " instead of ", want);
}

std::optional<std::string> DifferenceAt(size_t result, const Tensor& want, const std::byte* got,
                                        int64_t index, Tolerance tolerance) {
  const ElementType element = want.type().element;
  const double expected = want.At(index);
  const double actual = ElementAt(element, got, index);
  if (Near(expected, actual, IsFloat(element) ? tolerance : Tolerance{})) return std::nullopt;
  return Describe(result, index, actual, expected);
}

std::optional<std::string> FirstDifference(const std::vector<Tensor>& want,
                                           const std::vector<Tensor>& got, Tolerance tolerance) {
  for (size_t result = 0; result < want.size(); ++result) {
    const int64_t count = want[result].type().num_elements();
    for (int64_t i = 0; i < count; ++i) {
      auto difference = DifferenceAt(result, want[result], got[result].data(), i, tolerance);
      if (difference) return difference;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FirstChangedBit(const std::vector<Tensor>& before,
                                           const std::vector<Tensor>& after) {
  for (size_t result = 0; result < before.size(); ++result) {
    const TensorType& type = before[result].type();
    const std::byte* a = before[result].data();
    const std::byte* b = after[result].data();
    const std::byte* end = a + type.num_bytes();
    const std::byte* differs = std::mismatch(a, end, b).first;
    if (differs == end) continue;
    const int64_t index = (differs - a) / ByteSize(type.element);
    return absl::StrCat("result ", result, ", element ", index, ": first ",
                        before[result].At(index), ", then ", after[result].At(index));
  }
  return std::nullopt;
}

}  // namespace quern::workers
