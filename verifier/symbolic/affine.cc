#include "verifier/symbolic/affine.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

static bool AddTo(int64_t a, int64_t* sum) { return !__builtin_add_overflow(*sum, a, sum); }

static std::optional<int64_t> Times(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

AffineTable::AffineTable() {
  linears_.push_back(
      {.terms = {}, .gcd = 0, .level_above = 0, .has_quotients = false, .bounds = Interval{0, 0}});
  ids_.emplace(std::vector<Monomial>(), 0);
}

SymbolId AffineTable::AddSymbol(std::string name, Interval range) {
  assert(range.low <= range.high);
  symbols_.push_back({.name = std::move(name), .range = range, .level = -1});
  const SymbolId id = num_symbols() - 1;
  symbol_forms_.push_back(Intern({{id, 1}}));
  return id;
}

SymbolId AffineTable::AddData(std::string name, Interval range, std::vector<SymbolId> depends) {
  assert(range.low <= range.high);
  symbols_.push_back({.name = std::move(name), .range = range, .level = -1});
  symbols_.back().depends = std::move(depends);
  const SymbolId id = num_symbols() - 1;
  symbol_forms_.push_back(Intern({{id, 1}}));
  return id;
}

SymbolId AffineTable::Counter(int level) {
  while (static_cast<int>(counters_.size()) <= level) {
    const int next = static_cast<int>(counters_.size());
    counters_.push_back(num_symbols());
    symbols_.push_back({.name = absl::StrCat("k", next), .range = std::nullopt, .level = next});
    symbol_forms_.push_back(Intern({{counters_.back(), 1}}));
  }
  return counters_[level];
}

Affine AffineTable::Symbol(SymbolId symbol) { return {symbol_forms_[symbol], 0}; }

LinearId AffineTable::Intern(std::vector<Monomial> monomials) {
  std::sort(monomials.begin(), monomials.end(),
            [](const Monomial& a, const Monomial& b) { return a.symbol < b.symbol; });
  const auto [found, fresh] = ids_.emplace(monomials, static_cast<LinearId>(linears_.size()));
  if (!fresh) return found->second;
  Linear linear;
  Interval bounds;
  bool bounded = true;
  for (const Monomial& term : monomials) {
    linear.gcd = static_cast<int64_t>(
        std::gcd(static_cast<uint64_t>(linear.gcd), term.coefficient < 0
                                                        ? -static_cast<uint64_t>(term.coefficient)
                                                        : static_cast<uint64_t>(term.coefficient)));
    const SymbolInfo& symbol = symbols_[term.symbol];
    linear.level_above = std::max(linear.level_above, symbol.level + 1);
    linear.has_quotients = linear.has_quotients || symbol.definition.has_value();
    linear.has_data =
        linear.has_data || symbol.depends.has_value() ||
        (symbol.definition.has_value() && linears_[symbol.definition->dividend.linear].has_data);
    if (!symbol.range.has_value()) {
      bounded = false;
      continue;
    }
    std::optional<int64_t> a = Times(term.coefficient, symbol.range->low);
    std::optional<int64_t> b = Times(term.coefficient, symbol.range->high);
    bounded = bounded && a.has_value() && b.has_value() && AddTo(std::min(*a, *b), &bounds.low) &&
              AddTo(std::max(*a, *b), &bounds.high);
  }
  if (bounded) linear.bounds = bounds;
  linear.terms = std::move(monomials);
  linears_.push_back(std::move(linear));
  return found->second;
}

std::optional<LinearId> AffineTable::Combine(LinearId a, int64_t factor_a, LinearId b,
                                             int64_t factor_b) {
  const std::vector<Monomial>& x = linears_[a].terms;
  const std::vector<Monomial>& y = linears_[b].terms;
  std::vector<Monomial> sum;
  sum.reserve(x.size() + y.size());
  for (size_t i = 0, j = 0; i < x.size() || j < y.size();) {
    const SymbolId symbol =
        j == y.size() || (i < x.size() && x[i].symbol < y[j].symbol) ? x[i].symbol : y[j].symbol;
    int64_t total = 0;
    if (i < x.size() && x[i].symbol == symbol) {
      const std::optional<int64_t> part = Times(x[i++].coefficient, factor_a);
      if (!part.has_value() || !AddTo(*part, &total)) return std::nullopt;
    }
    if (j < y.size() && y[j].symbol == symbol) {
      const std::optional<int64_t> part = Times(y[j++].coefficient, factor_b);
      if (!part.has_value() || !AddTo(*part, &total)) return std::nullopt;
    }
    if (total != 0) sum.push_back({symbol, total});
  }
  return Intern(std::move(sum));
}

std::optional<Affine> AffineTable::Add(Affine a, Affine b) {
  if (!AddTo(b.constant, &a.constant)) return std::nullopt;
  if (b.linear == 0) return a;
  if (a.linear == 0) return Affine{b.linear, a.constant};
  if (a.linear > b.linear) std::swap(a.linear, b.linear);
  const std::pair key(a.linear, b.linear);
  if (auto found = sums_.find(key); found != sums_.end()) return Affine{found->second, a.constant};
  const std::optional<LinearId> linear = Combine(a.linear, 1, b.linear, 1);
  if (!linear.has_value()) return std::nullopt;
  sums_.emplace(key, *linear);
  return Affine{*linear, a.constant};
}

std::optional<Affine> AffineTable::Subtract(Affine a, Affine b) {
  if (__builtin_sub_overflow(a.constant, b.constant, &a.constant)) return std::nullopt;
  if (b.linear == 0) return a;
  const std::optional<LinearId> linear = Combine(a.linear, 1, b.linear, -1);
  if (!linear.has_value()) return std::nullopt;
  return Affine{*linear, a.constant};
}

std::optional<Affine> AffineTable::Scale(Affine a, int64_t factor) {
  const std::optional<int64_t> constant = Times(a.constant, factor);
  if (!constant.has_value()) return std::nullopt;
  if (a.linear == 0 || factor == 0) return Affine{0, *constant};
  if (factor == 1) return a;
  const std::optional<LinearId> linear = Combine(a.linear, factor, 0, 0);
  if (!linear.has_value()) return std::nullopt;
  return Affine{*linear, *constant};
}

std::optional<Affine> AffineTable::Substitute(Affine a, SymbolId symbol, Affine by) {
  if (has_quotients(a.linear) || has_data(a.linear)) {
    for (const Monomial& term : monomials(a.linear)) {
      if (is_free(term.symbol)) continue;
      const std::vector<SymbolId> free = FreeSymbols(Symbol(term.symbol).linear);
      if (std::binary_search(free.begin(), free.end(), symbol)) return std::nullopt;
    }
  }
  const int64_t factor = coefficient(a.linear, symbol);
  if (factor == 0) return a;
  std::vector<Monomial> rest;
  for (const Monomial& term : monomials(a.linear)) {
    if (term.symbol != symbol) rest.push_back(term);
  }
  const std::optional<Affine> scaled = Scale(by, factor);
  if (!scaled.has_value()) return std::nullopt;
  return Add({Intern(std::move(rest)), a.constant}, *scaled);
}

std::optional<Interval> AffineTable::Bounds(Affine a) const {
  std::optional<Interval> bounds = linears_[a.linear].bounds;
  if (!bounds.has_value()) return std::nullopt;
  if (!AddTo(a.constant, &bounds->low) || !AddTo(a.constant, &bounds->high)) return std::nullopt;
  return bounds;
}

std::optional<AffineTable::Division> AffineTable::Divide(Affine a, int64_t c) {
  assert(c > 0);
  if (a.linear == 0) {
    const int64_t quotient = FloorDivide(a.constant, c);
    return Division{Number(quotient), Number(a.constant - quotient * c)};
  }
  if (c == 1) return Division{a, Number(0)};
  // First with every coefficient reduced (9x / 4 = 2x + x/4), then with multiples of c alone.
  for (const bool reduce : {true, false}) {
    std::vector<Monomial> whole;
    std::vector<Monomial> rest;
    for (const Monomial& term : monomials(a.linear)) {
      const int64_t multiple =
          reduce || term.coefficient % c == 0 ? FloorDivide(term.coefficient, c) : 0;
      const int64_t left = term.coefficient - multiple * c;
      if (multiple != 0) whole.push_back({term.symbol, multiple});
      if (left != 0) rest.push_back({term.symbol, left});
    }
    const Affine remainder = {Intern(std::move(rest)), a.constant};
    const std::optional<Interval> bounds = Bounds(remainder);
    if (!bounds.has_value()) break;
    const int64_t period = FloorDivide(bounds->low, c);
    if (period != FloorDivide(bounds->high, c)) continue;
    return Division{{Intern(std::move(whole)), period},
                    {remainder.linear, remainder.constant - period * c}};
  }
  blocked_ = Blocked{a, c};
  return std::nullopt;
}

std::optional<Affine> AffineTable::Quotient(Affine a, int64_t c) {
  assert(c > 0);
  // Without what divides, and in lowest terms.
  std::vector<Monomial> whole;
  std::vector<Monomial> rest;
  int64_t gcd = c;
  for (const Monomial& term : monomials(a.linear)) {
    const int64_t multiple = FloorDivide(term.coefficient, c);
    const int64_t left = term.coefficient - multiple * c;
    if (multiple != 0) whole.push_back({term.symbol, multiple});
    if (left != 0) rest.push_back({term.symbol, left});
    gcd = std::gcd(gcd, left);
  }
  const int64_t multiple = FloorDivide(a.constant, c);
  const int64_t constant = (a.constant - multiple * c) / gcd;
  const Affine outside = {Intern(std::move(whole)), multiple};
  if (rest.empty()) return outside;
  for (Monomial& term : rest) term.coefficient /= gcd;
  c /= gcd;
  if (rest.size() == 1 && rest[0].coefficient == 1 && definition(rest[0].symbol) != nullptr) {
    // floor((floor(e / d) + k) / c) = floor((e + k * d) / (d * c))
    const Definition inner = *definition(rest[0].symbol);
    const std::optional<int64_t> shift = Times(constant, inner.divisor);
    const std::optional<int64_t> divisor = Times(c, inner.divisor);
    Affine dividend = inner.dividend;
    if (shift.has_value() && divisor.has_value() && AddTo(*shift, &dividend.constant)) {
      const std::optional<Affine> quotient = Quotient(dividend, *divisor);
      return quotient.has_value() ? Add(outside, *quotient) : std::nullopt;
    }
  }
  const Affine dividend = {Intern(std::move(rest)), constant};
  const std::optional<Interval> bounds = Bounds(dividend);
  if (!bounds.has_value()) return std::nullopt;
  const auto [found, fresh] = quotients_.emplace(std::tuple(dividend.linear, constant, c), -1);
  if (fresh) {
    const Interval range = {FloorDivide(bounds->low, c), FloorDivide(bounds->high, c)};
    const SymbolId symbol = num_symbols();
    symbols_.push_back({.name = absl::StrCat("((", ToString(dividend), ")/", c, ")"),
                        .range = range,
                        .level = -1,
                        .definition = Definition{dividend, c}});
    symbol_forms_.push_back(Intern({{symbol, 1}}));
    found->second = symbol;
  }
  return Add(outside, Symbol(found->second));
}

const AffineTable::Definition* AffineTable::definition(SymbolId symbol) const {
  const std::optional<Definition>& definition = symbols_[symbol].definition;
  return definition.has_value() ? &*definition : nullptr;
}

std::vector<SymbolId> AffineTable::FreeSymbols(LinearId linear) const {
  std::set<SymbolId> free;
  std::set<SymbolId> seen;
  std::vector<LinearId> work = {linear};
  while (!work.empty()) {
    const LinearId form = work.back();
    work.pop_back();
    for (const Monomial& term : monomials(form)) {
      if (!seen.insert(term.symbol).second) continue;
      if (const Definition* quotient = definition(term.symbol); quotient != nullptr) {
        work.push_back(quotient->dividend.linear);
      } else if (symbols_[term.symbol].depends.has_value()) {
        free.insert(symbols_[term.symbol].depends->begin(), symbols_[term.symbol].depends->end());
      } else {
        free.insert(term.symbol);
      }
    }
  }
  return {free.begin(), free.end()};
}

int64_t AffineTable::coefficient(LinearId linear, SymbolId symbol) const {
  for (const Monomial& term : monomials(linear)) {
    if (term.symbol == symbol) return term.coefficient;
  }
  return 0;
}

std::string AffineTable::ToString(Affine a) const {
  std::string text;
  for (const Monomial& term : monomials(a.linear)) {
    const std::string factor = term.coefficient == 1 ? "" : absl::StrCat(term.coefficient, "*");
    absl::StrAppend(&text, text.empty() ? "" : " + ", factor, name(term.symbol));
  }
  if (text.empty()) return absl::StrCat(a.constant);
  if (a.constant != 0) absl::StrAppend(&text, " + ", a.constant);
  return text;
}

}  // namespace quern::verifier
