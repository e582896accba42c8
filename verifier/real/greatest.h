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

// Lemmas of computed values as of real ones, since what is among the elements is the very term,
// computed alike:
//   An element e of a maximum m has e - m <= 0, and rounding keeps the sign. So has a maximum of
//   some of its elements.
//   A sum of exp(t(k) - m) over a box holds exp(0) = 1 if each element of m is t(k) for a k of the
//   box: one of them is m. The other addends are not negative.
//   A sum of these and of s * exp(p - m) holds exp(0) or s * exp(0) if each element of m is p, one
//   of p's or t(k).
class Greatest {
 public:
  explicit Greatest(TermTable* terms) : terms_(*terms) {}

  // While a run's elements are looked at, its counters have extents.
  void Enter(const Run& run, int64_t length);
  void Leave(const Run& run);
  // Of the extents around: what is said of terms with counters holds with these only. 0: none.
  int context() const;

  // Whether `e` is one of the elements of the maximum `m`, or a maximum of some.
  bool IsAmong(Value e, Value m);
  // Whether one addend of a sum is exp(0), its first value aside; nothing of a run that is no sum.
  bool HoldsExpOfZero(const Run& run, int64_t length);
  // The s of a first value s * exp(p - m), if one addend is exp(0) or s * exp(0); of a run that is
  // a sum, or a sum of two.
  std::optional<Value> Rescaled(const Run& run, int64_t length);
  std::optional<Value> Rescaled(const Term& sum);

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
  // Whether each element of `m` is t(k), `p` or, if it is a maximum, one of its.
  bool Covers(Value t, const Extents& counters, std::optional<Value> p, Value m);
  // That of two factors which is s, if the other is exp(p - m), and p and t(k) are all that m has.
  std::optional<Value> Scale(std::pair<Value, Value> factors, Value t, Value m,
                             const Extents& counters);
  // The t and m of a sum of exp(t(k) - m), m the same for all k.
  std::optional<std::pair<Value, Value>> Shifted(const Run& run, const Extents& counters);

  TermTable& terms_;
  Extents around_;
  mutable std::vector<Extents> contexts_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_GREATEST_H_
