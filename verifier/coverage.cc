#include "verifier/coverage.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

static std::vector<int64_t> Unravel(int64_t number, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0; number /= shape[i]) index[i] = number % shape[i];
  return index;
}

Coverage::Coverage(const BufferPlan& buffer) : buffer_(buffer) {}

std::optional<std::string> Coverage::Add(const AffineTable& affine,
                                         const std::vector<Written>& written,
                                         const std::vector<SymbolId>& blocks) {
  const int64_t size = ByteSize(buffer_.type.element);
  const int64_t elements = buffer_.bytes / size;
  if (elements > kMaxElements) {
    return absl::StrCat("'", buffer_.name, "' has too many elements to enumerate");
  }
  if (taken_.empty()) taken_.resize(elements);
  for (size_t begin = 0; begin < written.size();) {
    const LinearId linear = written[begin].linear;
    size_t end = begin;
    while (end < written.size() && written[end].linear == linear) ++end;
    for (SymbolId block : blocks) {
      if (affine.coefficient(linear, block) != 0) continue;
      return absl::StrCat("'", buffer_.name, "' is written at one place by several blocks");
    }
    struct Digit {
      int64_t stride;
      int64_t count;
    };
    std::vector<Digit> digits;
    int64_t base = 0;
    int64_t points = 1;
    for (const Monomial& term : affine.monomials(linear)) {
      const std::optional<Interval> range = affine.range(term.symbol);
      if (!range.has_value()) return "an address depends on a counter without a range";
      base += term.coefficient * range->low;
      digits.push_back({term.coefficient, range->high - range->low + 1});
      if (__builtin_mul_overflow(points, digits.back().count, &points) || points > kMaxElements) {
        return absl::StrCat("'", buffer_.name, "' is written at too many points");
      }
    }
    std::vector<int64_t> at(digits.size(), 0);
    for (int64_t point = 0; point < points; ++point) {
      for (size_t i = begin; i < end; ++i) {
        const int64_t element = (base + written[i].offset) / size;
        if (element < 0 || element >= elements || taken_[element]) {
          return absl::StrCat("element ", element, " of '", buffer_.name,
                              "' is written by two blocks, or twice");
        }
        taken_[element] = true;
        ++count_;
      }
      for (size_t i = 0; i < digits.size(); ++i) {
        base += digits[i].stride;
        if (++at[i] < digits[i].count) break;
        base -= digits[i].stride * digits[i].count;
        at[i] = 0;
      }
    }
    begin = end;
  }
  return std::nullopt;
}

std::optional<int64_t> Coverage::FirstMissing() const {
  const int64_t count = buffer_.type.num_elements();
  if (taken_.empty()) return count == 0 ? std::nullopt : std::optional<int64_t>(0);
  if (buffer_.layout.row_major()) {
    const auto missing = std::find(taken_.begin(), taken_.begin() + count, false);
    if (missing == taken_.begin() + count) return std::nullopt;
    return missing - taken_.begin();
  }
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<int64_t> index = Unravel(i, buffer_.type.shape);
    if (!taken_[PhysicalOffset(buffer_.layout, buffer_.type.shape, index)]) return i;
  }
  return std::nullopt;
}

}  // namespace quern::verifier
