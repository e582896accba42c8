// Where an element of a tensor lies in its buffer.
#ifndef QUERN_BUNDLE_LAYOUT_H_
#define QUERN_BUNDLE_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "bundle/tensor_type.h"

namespace quern {

// One digit of a logical coordinate: (x[dimension] / divisor) % extent.
struct LayoutDigit {
  int dimension = 0;
  int64_t divisor = 1;
  int64_t extent = 1;
  bool operator==(const LayoutDigit&) const = default;
};

// A mixed-radix layout: digits from slowest to fastest; the physical element offset is their
// row-major number. The digits of each dimension, sorted by divisor, chain: the first divisor is 1,
// the next is divisor*extent of the one before, and the last reaches the dimension's extent
// (padding above it is allowed). Empty digits mean row-major.
struct Layout {
  std::vector<LayoutDigit> digits;

  bool row_major() const { return digits.empty(); }
  bool operator==(const Layout&) const = default;
};

// Whether `layout` obeys the chain rule for `shape`.
bool IsValid(const Layout& layout, const std::vector<int64_t>& shape);

// Elements, with padding, of a buffer that holds `shape`.
int64_t PhysicalElements(const Layout& layout, const std::vector<int64_t>& shape);

// The physical element offset of a logical index. Requires IsValid and index within shape.
int64_t PhysicalOffset(const Layout& layout, const std::vector<int64_t>& shape,
                       const std::vector<int64_t>& index);

}  // namespace quern

#endif  // QUERN_BUNDLE_LAYOUT_H_
