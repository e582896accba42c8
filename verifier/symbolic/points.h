// All values of a linear form, one after another.
#ifndef QUERN_VERIFIER_SYMBOLIC_POINTS_H_
#define QUERN_VERIFIER_SYMBOLIC_POINTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verifier/symbolic/affine.h"

namespace quern::verifier {

// A point is a value for each of the free symbols that the form depends on; its quotients follow.
// The table must outlive this and get no new forms meanwhile.
class Points {
 public:
  Points(const AffineTable& affine, LinearId linear);

  // How many. nullopt: more than int64 holds, or a symbol, or the form, has no bounds.
  std::optional<int64_t> count() const { return count_; }
  // Of the form at the current point: at first the one where all symbols are least.
  int64_t value() const { return value_; }
  // O(1) on average without quotients, else O(symbols). The first point follows the last.
  void Next();

 private:
  struct Digit {
    SymbolId symbol = 0;
    int64_t low = 0;
    int64_t count = 1;
    int64_t step = 0;  // the coefficient in the form
    int64_t at = 0;
  };
  int64_t Evaluate(LinearId linear) const;
  void EvaluateAll();

  const AffineTable& affine_;
  const LinearId linear_;
  std::vector<Digit> digits_;
  std::vector<SymbolId> quotients_;                // dividends before what divides them
  absl::flat_hash_map<SymbolId, int64_t> values_;  // with quotients only
  std::optional<int64_t> count_ = 1;
  int64_t value_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_POINTS_H_
