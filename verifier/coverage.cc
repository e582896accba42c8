#include "verifier/coverage.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/symbolic/points.h"

namespace quern::verifier {

static std::vector<int64_t> Unravel(int64_t number, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0; number /= shape[i]) index[i] = number % shape[i];
  return index;
}

Coverage::Coverage(const BufferPlan& buffer, int64_t max_elements)
    : buffer_(buffer),
      buffer_elements_(buffer.bytes / ByteSize(buffer.type.element)),
      max_elements_(max_elements) {}

static Fault Unshown(std::string message) {
  return {.kind = FaultKind::kUnsupported, .message = std::move(message)};
}

static bool Contains(const std::vector<SymbolId>& symbols, SymbolId symbol) {
  return std::binary_search(symbols.begin(), symbols.end(), symbol);
}

Fault Coverage::Add(const AffineTable& affine, const std::vector<Written>& written,
                    const std::vector<SymbolId>& blocks, Oracle* oracle) {
  if (enumerated() && taken_.empty()) taken_.resize(buffer_elements_);
  for (size_t begin = 0; begin < written.size();) {
    const LinearId linear = written[begin].linear;
    size_t end = begin;
    while (end < written.size() && written[end].linear == linear) ++end;
    const std::vector<SymbolId> symbols = affine.FreeSymbols(linear);
    for (SymbolId block : blocks) {
      if (Contains(symbols, block)) continue;
      return {.kind = FaultKind::kRace,
              .message =
                  absl::StrCat("'", buffer_.name, "' is written at one place by several blocks")};
    }
    if (enumerated()) {
      Fault fault = Enumerate(affine, absl::MakeSpan(written).subspan(begin, end - begin));
      if (fault.kind != FaultKind::kNone) return fault;
    }
    begin = end;
  }
  return enumerated() ? Fault() : Count(affine, written, oracle);
}

// Of one linear form.
Fault Coverage::Enumerate(const AffineTable& affine, absl::Span<const Written> written) {
  const int64_t size = ByteSize(buffer_.type.element);
  Points points(affine, written[0].linear);
  if (!points.count().has_value() || *points.count() > max_elements_) {
    return Unshown(absl::StrCat("'", buffer_.name, "' is written at too many points"));
  }
  for (int64_t point = 0; point < *points.count(); ++point, points.Next()) {
    for (const Written& cell : written) {
      const int64_t element = (points.value() + cell.offset) / size;
      if (element < 0 || element >= buffer_elements_ || taken_[element]) {
        return {.kind = FaultKind::kRace,
                .message = absl::StrCat("element ", element, " of '", buffer_.name,
                                        "' is written by two blocks, or twice")};
      }
      taken_[element] = true;
      ++count_;
    }
  }
  return {};
}

Fault Coverage::Count(const AffineTable& affine, const std::vector<Written>& written,
                      Oracle* oracle) {
  std::vector<Places> fresh;
  for (const Written& cell : written) AddPlace({cell.linear, cell.offset, cell.bytes}, &fresh);
  for (const Places& places : fresh) {
    const std::optional<int64_t> points = Points(affine, places.linear).count();
    int64_t elements = 0;
    if (!points.has_value() || __builtin_mul_overflow(*points, places.count, &elements) ||
        __builtin_add_overflow(count_, elements, &count_)) {
      return Unshown(absl::StrCat("'", buffer_.name, "' is written at too many points"));
    }
  }
  if (oracle == nullptr || !Disjoint(affine, oracle, places_, fresh)) {
    const std::string why = oracle == nullptr ? "" : oracle->silence();
    return Unshown(absl::StrCat("'", buffer_.name, "' has too many elements to enumerate, and the ",
                                "solver does not tell whether two are one", why.empty() ? "" : ": ",
                                why));
  }
  places_.insert(places_.end(), fresh.begin(), fresh.end());
  return {};
}

std::optional<int64_t> Coverage::FirstMissing() const {
  const int64_t count = buffer_.type.num_elements();
  // Each place counted is an element of the buffer, and no other's; see Disjoint and
  // SymbolicMemory.
  if (!enumerated()) return count_ == buffer_elements_ ? std::nullopt : std::optional<int64_t>(0);
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
