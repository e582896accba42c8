#include "bundle/layout.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace quern {

// The product, or nothing if it is not below 2^63.
static std::optional<int64_t> Product(const std::vector<int64_t>& factors) {
  int64_t product = 1;
  if (std::find(factors.begin(), factors.end(), 0) != factors.end()) return 0;
  for (int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

static std::vector<int64_t> Radices(const Layout& layout, const std::vector<int64_t>& shape) {
  if (layout.row_major()) return shape;
  std::vector<int64_t> radices;
  for (const LayoutDigit& digit : layout.digits) radices.push_back(digit.extent);
  return radices;
}

// Whether the digits of one dimension chain from 1 up to at least `extent`.
static bool Chains(std::vector<LayoutDigit> digits, int64_t extent) {
  std::sort(digits.begin(), digits.end(), [](const LayoutDigit& a, const LayoutDigit& b) {
    return a.divisor != b.divisor ? a.divisor < b.divisor : a.extent < b.extent;
  });
  int64_t reach = 1;
  for (const LayoutDigit& digit : digits) {
    if (digit.extent < 1 || digit.divisor != reach) return false;
    if (__builtin_mul_overflow(reach, digit.extent, &reach)) return false;
  }
  return reach >= extent;
}

bool IsValid(const Layout& layout, const std::vector<int64_t>& shape) {
  for (int64_t extent : shape) {
    if (extent < 0) return false;
  }
  std::vector<std::vector<LayoutDigit>> digits(shape.size());
  for (const LayoutDigit& digit : layout.digits) {
    if (digit.dimension < 0 || digit.dimension >= static_cast<int>(shape.size())) return false;
    digits[digit.dimension].push_back(digit);
  }
  if (!layout.row_major()) {
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!Chains(digits[i], shape[i])) return false;
    }
  }
  return Product(Radices(layout, shape)).has_value();
}

int64_t PhysicalElements(const Layout& layout, const std::vector<int64_t>& shape) {
  return Product(Radices(layout, shape)).value_or(std::numeric_limits<int64_t>::max());
}

int64_t PhysicalOffset(const Layout& layout, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& index) {
  int64_t offset = 0;
  if (layout.row_major()) {
    for (size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + index[i];
  }
  for (const LayoutDigit& digit : layout.digits) {
    offset = offset * digit.extent + index[digit.dimension] / digit.divisor % digit.extent;
  }
  return offset;
}

}  // namespace quern
