#include "verifier/symbolic/points.h"

#include <set>

#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

// A quotient is defined after all symbols of its dividend.
static std::vector<SymbolId> Quotients(const AffineTable& affine, LinearId linear) {
  std::set<SymbolId> quotients;
  std::vector<LinearId> work = {linear};
  while (!work.empty()) {
    const LinearId form = work.back();
    work.pop_back();
    for (const Monomial& term : affine.monomials(form)) {
      const AffineTable::Definition* quotient = affine.definition(term.symbol);
      if (quotient == nullptr || !quotients.insert(term.symbol).second) continue;
      work.push_back(quotient->dividend.linear);
    }
  }
  return {quotients.begin(), quotients.end()};
}

Points::Points(const AffineTable& affine, LinearId linear)
    : affine_(affine), linear_(linear), quotients_(Quotients(affine, linear)) {
  for (const SymbolId symbol : affine.FreeSymbols(linear)) {
    const std::optional<Interval> range = affine.range(symbol);
    int64_t size = 0;
    if (!range.has_value() || __builtin_sub_overflow(range->high, range->low, &size) ||
        __builtin_add_overflow(size, 1, &size) || __builtin_mul_overflow(*count_, size, &*count_)) {
      count_.reset();
      return;
    }
    digits_.push_back({symbol, range->low, size, affine.coefficient(linear, symbol), range->low});
  }
  if (!affine.Bounds({linear, 0}).has_value()) {
    count_.reset();
    return;
  }
  EvaluateAll();
}

int64_t Points::Evaluate(LinearId linear) const {
  int64_t sum = 0;
  for (const Monomial& term : affine_.monomials(linear)) {
    sum += term.coefficient * values_.at(term.symbol);
  }
  return sum;
}

void Points::EvaluateAll() {
  for (const Digit& digit : digits_) values_[digit.symbol] = digit.at;
  for (const SymbolId symbol : quotients_) {
    const AffineTable::Definition& quotient = *affine_.definition(symbol);
    values_[symbol] = FloorDivide(Evaluate(quotient.dividend.linear) + quotient.dividend.constant,
                                  quotient.divisor);
  }
  value_ = Evaluate(linear_);
}

void Points::Next() {
  for (Digit& digit : digits_) {
    value_ += digit.step;
    if (++digit.at - digit.low < digit.count) break;
    value_ -= digit.step * digit.count;
    digit.at = digit.low;
  }
  if (!quotients_.empty()) EvaluateAll();
}

}  // namespace quern::verifier
