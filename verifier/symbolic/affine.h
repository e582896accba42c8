// Integers as linear forms over symbols with fixed ranges, exact or not at all.
//
// A symbol is free, and has all values of its range whatever the others are, or it is a function of
// free ones: a quotient, or a number that inputs tell and of which only the range is known.
#ifndef QUERN_VERIFIER_SYMBOLIC_AFFINE_H_
#define QUERN_VERIFIER_SYMBOLIC_AFFINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace quern::verifier {

using SymbolId = int32_t;
using LinearId = int32_t;  // 0 is the form without symbols

struct Interval {
  int64_t low = 0;
  int64_t high = 0;  // inclusive
  bool operator==(const Interval&) const = default;
};

// linear + constant; equal forms of one table are equal members.
struct Affine {
  LinearId linear = 0;
  int64_t constant = 0;
  bool is_constant() const { return linear == 0; }
  bool operator==(const Affine&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Affine& a) {
    return H::combine(std::move(h), a.linear, a.constant);
  }
};

struct Monomial {
  SymbolId symbol = 0;
  int64_t coefficient = 0;  // not zero
  bool operator==(const Monomial&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Monomial& m) {
    return H::combine(std::move(h), m.symbol, m.coefficient);
  }
};

// Interns linear forms. nullopt from arithmetic: a coefficient, a constant or a bound leaves int64.
class AffineTable {
 public:
  AffineTable();

  // A new symbol with values in `range`, which must not be empty.
  SymbolId AddSymbol(std::string name, Interval range);
  // An integer of the inputs with values in `range`, which depends on the free symbols `depends`.
  SymbolId AddData(std::string name, Interval range, std::vector<SymbolId> depends);
  // Whether such a symbol occurs in it, also within quotients.
  bool has_data(LinearId linear) const { return linears_[linear].has_data; }
  // The bound counter of runs at nesting level `level` >= 0 (0 innermost). It has no range of its
  // own: each run has its extents.
  SymbolId Counter(int level);
  const std::string& name(SymbolId symbol) const { return symbols_[symbol].name; }
  // nullopt: a counter of runs.
  std::optional<Interval> range(SymbolId symbol) const { return symbols_[symbol].range; }
  // -1: not a counter.
  int level(SymbolId symbol) const { return symbols_[symbol].level; }

  static Affine Number(int64_t n) { return {0, n}; }
  Affine Symbol(SymbolId symbol);
  std::optional<Affine> Add(Affine a, Affine b);
  std::optional<Affine> Subtract(Affine a, Affine b);
  std::optional<Affine> Scale(Affine a, int64_t factor);
  // Each occurrence of `symbol` becomes `by`. nullopt also if a function depends on it.
  std::optional<Affine> Substitute(Affine a, SymbolId symbol, Affine by);

  // The least and greatest value over all values of the symbols: attained if there is no quotient
  // among them, since each symbol occurs once. nullopt also with a counter of runs.
  std::optional<Interval> Bounds(Affine a) const;
  // a = c * quotient + remainder, 0 <= remainder < c, for c > 0. By the mixed-radix lemma: the
  // multiples of c among the monomials form the quotient if the rest stays within one period.
  // Otherwise nullopt, and blocked() is the question.
  struct Division {
    Affine quotient;
    Affine remainder;
  };
  std::optional<Division> Divide(Affine a, int64_t c);

  // floor(a / c), for c > 0, with a quotient as a symbol where it is not affine. Equal quotients
  // are mostly, but not always, equal members. nullopt also if `a` has no bounds.
  std::optional<Affine> Quotient(Affine a, int64_t c);
  // What a quotient is: floor(dividend / divisor).
  struct Definition {
    Affine dividend;
    int64_t divisor = 1;
  };
  // nullptr: no quotient.
  const Definition* definition(SymbolId symbol) const;
  bool is_free(SymbolId symbol) const {
    return definition(symbol) == nullptr && !symbols_[symbol].depends.has_value();
  }
  bool has_quotients(LinearId linear) const { return linears_[linear].has_quotients; }
  // The symbols that the form depends on, increasing: those of dividends instead of quotients, and
  // those that data depends on.
  std::vector<SymbolId> FreeSymbols(LinearId linear) const;

  // The last division that was not affine, so that a symbol of it can be split.
  struct Blocked {
    Affine dividend;
    int64_t divisor = 1;
  };
  const std::optional<Blocked>& blocked() const { return blocked_; }
  void ClearBlocked() { blocked_.reset(); }
  // A question of someone else's: what `dividend / divisor` is.
  void Block(Affine dividend, int64_t divisor) { blocked_ = Blocked{dividend, divisor}; }

  // By increasing symbol.
  absl::Span<const Monomial> monomials(LinearId linear) const { return linears_[linear].terms; }
  int64_t coefficient(LinearId linear, SymbolId symbol) const;
  // The greatest common divisor of the coefficients; 0 if there are none.
  int64_t gcd(LinearId linear) const { return linears_[linear].gcd; }
  // 1 + the highest level of a counter in it, or 0.
  int level_above(LinearId linear) const { return linears_[linear].level_above; }
  LinearId Intern(std::vector<Monomial> monomials);  // any order, distinct symbols, no zeros
  std::string ToString(Affine a) const;              // "64*bx + 4"
  int num_symbols() const { return static_cast<int>(symbols_.size()); }

 private:
  struct SymbolInfo {
    std::string name;
    std::optional<Interval> range;
    int level = -1;
    std::optional<Definition> definition = std::nullopt;
    std::optional<std::vector<SymbolId>> depends = std::nullopt;  // of data
  };
  struct Linear {
    std::vector<Monomial> terms;
    int64_t gcd = 0;
    int level_above = 0;
    bool has_quotients = false;
    bool has_data = false;
    std::optional<Interval> bounds;
  };
  std::optional<LinearId> Combine(LinearId a, int64_t factor_a, LinearId b, int64_t factor_b);

  std::vector<SymbolInfo> symbols_;
  std::vector<LinearId> symbol_forms_;
  std::vector<SymbolId> counters_;  // by level
  std::vector<Linear> linears_;
  absl::flat_hash_map<std::vector<Monomial>, LinearId> ids_;
  absl::flat_hash_map<std::pair<LinearId, LinearId>, LinearId> sums_;  // of successful additions
  std::map<std::tuple<LinearId, int64_t, int64_t>, SymbolId> quotients_;
  std::optional<Blocked> blocked_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_AFFINE_H_
