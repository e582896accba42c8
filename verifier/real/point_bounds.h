// Bounds of a term on one set of inputs.
#ifndef QUERN_VERIFIER_REAL_POINT_BOUNDS_H_
#define QUERN_VERIFIER_REAL_POINT_BOUNDS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "verifier/real/term_bounds.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// What a term is about: numbers for its symbols, and for the elements of the arguments.
struct Point {
  absl::flat_hash_map<SymbolId, int64_t> symbols;
  // Exact; nullopt: there is no such element, or it is no double.
  std::function<std::optional<double>(int argument, int64_t element)> element;
};

// TermBounds at a point: runs are summed step by step, so that errors are those of the numbers at
// hand. kResourceExhausted: more than kMaxOperations, all calls together.
class PointBounds : public TermBounds {
 public:
  static constexpr int64_t kMaxOperations = int64_t{1} << 22;

  // `held`: errors of what buffers hold, as of Bounds. `terms` outlives this.
  PointBounds(TermTable* terms, Point point, HeldBuffers held)
      : TermBounds(terms), point_(std::move(point)) {
    held_ = std::move(held);
  }

 private:
  absl::StatusOr<Bound> Any(const Value& value, const Type& type) override;
  absl::StatusOr<Bound> OfRun(const Run& run, int64_t length);
  absl::StatusOr<Bound> OfLeaf(const Value& leaf);
  // The steps of counter `counter` of a run and of the counters within; the outermost is last.
  absl::Status Add(const Run& run, int counter, int64_t extent, Bound* sum);
  std::optional<int64_t> At(Affine affine) const;
  // The counters that are free in a term or run, increasing.
  const std::vector<SymbolId>& Free(const Value& value);

  Point point_;
  absl::flat_hash_map<Value, std::vector<SymbolId>> free_;
  absl::flat_hash_map<std::pair<Value, std::vector<int64_t>>, Bound> memo_;
  int64_t operations_ = 0;
  int depth_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_POINT_BOUNDS_H_
