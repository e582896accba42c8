#include "workers/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "bundle/small_float.h"

namespace quern::workers {

Tolerance Tolerance::ForSums(int64_t terms, ElementType element) {
  // One rounding of the result's type, and `terms` of f32 or f64, with room to spare.
  const double unit = element == ElementType::kF64 ? 0x1p-53 : 0x1p-24;
  const double sum = unit * 8 * static_cast<double>(std::max<int64_t>(terms, 1));
  const std::optional<SmallFloat> format = SmallFormatOf(element);
  if (!format) return {.absolute = sum, .relative = 32 * unit};
  const double rounding = std::ldexp(1.0, -format->mantissa_bits - 1);
  return {.absolute = sum + rounding / 4, .relative = 2 * rounding};
}

static bool Near(double want, double got, Tolerance tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (want == got) return true;
  if (std::isinf(want)) return false;
  return std::fabs(got - want) <= tolerance.absolute + tolerance.relative * std::fabs(want);
}

// An element as a person would write it.
static std::string Text(ElementType element, const std::byte* data, int64_t index) {
  if (KindOf(element) != ElementKind::kComplex)
    return absl::StrCat(LoadElement(element, data, index));
  const std::complex<double> value = LoadComplex(element, data, index);
  return absl::StrCat("(", value.real(), ", ", value.imag(), ")");
}

std::optional<std::string> DifferenceAt(size_t result, const Tensor& want, const std::byte* got,
                                        int64_t index, Tolerance tolerance) {
  const ElementType element = want.type().element;
  const int64_t bytes = ByteSize(element);
  if (std::memcmp(want.data() + index * bytes, got + index * bytes, bytes) == 0)
    return std::nullopt;
  if (IsFloat(element) || KindOf(element) == ElementKind::kComplex) {
    const std::complex<double> expected = want.ComplexAt(index);
    const std::complex<double> actual = LoadComplex(element, got, index);
    if (Near(expected.real(), actual.real(), tolerance) &&
        Near(expected.imag(), actual.imag(), tolerance)) {
      return std::nullopt;
    }
  }
  return absl::StrCat("result ", result, ", element ", index, ": ", Text(element, got, index),
                      " instead of ", Text(element, want.data(), index));
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
                        Text(type.element, a, index), ", then ", Text(type.element, b, index));
  }
  return std::nullopt;
}

}  // namespace quern::workers
