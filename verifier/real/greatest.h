// Elements and the greatest of what they are among: what exp(x - max) and its sum need.
#ifndef QUERN_VERIFIER_REAL_GREATEST_H_
#define QUERN_VERIFIER_REAL_GREATEST_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Two lemmas, both of computed values as of real ones, since what is among the elements is the very
// term, computed alike:
//   An element e of a maximum m has e - m <= 0, and rounding keeps the sign.
//   A sum of exp(t(k) - m) over a box holds exp(0) = 1 if each element of m is t(k) for a k of the
//   box: one of them is m. The other addends are not negative.
class Greatest {
 public:
  explicit Greatest(TermTable* terms) : terms_(*terms) {}

  // While a run's elements are looked at, its counters have extents.
  void Enter(const Run& run, int64_t length);
  void Leave(const Run& run);
  // Of the extents around: what is said of terms with counters holds with these only. 0: none.
  int context() const;

  // Whether `e` is one of the elements of the maximum `m`.
  bool IsAmong(Value e, Value m);
  // Whether one addend of a sum is exp(0); nothing of a run that is no sum.
  bool HoldsExpOfZero(const Run& run, int64_t length);

 private:
  using Extents = std::vector<std::pair<SymbolId, int64_t>>;
  Extents CountersOf(const Run& run, int64_t length);
  // Whether `v` is `pattern` with numbers in [0, extent) for its counters.
  bool IsInstance(Value pattern, const Extents& counters, Value v);
  // Finds what a counter must be, at the first place that tells.
  bool Solve(Value pattern, const Extents& counters, Value v,
             absl::flat_hash_map<SymbolId, Affine>& solution);
  bool SolveAffine(Affine pattern, const Extents& counters, Affine v,
                   absl::flat_hash_map<SymbolId, Affine>& solution);
  bool InRange(Affine index, int64_t extent);

  TermTable& terms_;
  Extents around_;
  mutable std::vector<Extents> contexts_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_GREATEST_H_
