#include "codegen/linear_form.h"

#include <algorithm>
#include <numeric>

namespace quern::codegen {

static constexpr int64_t kBound = int64_t{1} << 62;

static int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

static int Order(int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; }

static int Innermost(const Term& term) {
  if (!term.quotient) return term.counter;
  int innermost = -1;
  for (const auto& [inner, coefficient] : term.quotient->dividend.terms()) {
    innermost = std::max(innermost, Innermost(inner));
  }
  return innermost;
}

static int Compare(const LinearForm& a, const LinearForm& b) {
  if (int order = Order(a.terms().size(), b.terms().size())) return order;
  for (size_t i = 0; i < a.terms().size(); ++i) {
    if (int order = Compare(a.terms()[i].first, b.terms()[i].first)) return order;
    if (int order = Order(a.terms()[i].second, b.terms()[i].second)) return order;
  }
  return Order(a.constant(), b.constant());
}

int Compare(const Term& a, const Term& b) {
  if (int order = Order(Innermost(a), Innermost(b))) return order;
  if (int order = Order(a.quotient != nullptr, b.quotient != nullptr)) return order;
  if (!a.quotient) return 0;
  if (int order = Order(a.quotient->divisor, b.quotient->divisor)) return order;
  return Compare(a.quotient->dividend, b.quotient->dividend);
}

LinearForm LinearForm::Constant(int64_t value) {
  LinearForm form;
  form.constant_ = value;
  return form;
}

LinearForm LinearForm::Of(const Term& term, int64_t coefficient) {
  LinearForm form;
  form.Add(term, coefficient);
  return form;
}

LinearForm LinearForm::Counter(int number) {
  return Of({.counter = number, .quotient = nullptr}, 1);
}

void LinearForm::Add(const Term& term, int64_t coefficient) {
  auto at = std::lower_bound(
      terms_.begin(), terms_.end(), term,
      [](const auto& entry, const Term& value) { return Compare(entry.first, value) < 0; });
  if (at == terms_.end() || Compare(at->first, term) != 0) {
    if (coefficient != 0) terms_.insert(at, {term, coefficient});
    return;
  }
  at->second += coefficient;
  if (at->second == 0) terms_.erase(at);
}

LinearForm LinearForm::Plus(const LinearForm& other) const {
  LinearForm sum = *this;
  sum.constant_ += other.constant_;
  for (const auto& [term, coefficient] : other.terms_) sum.Add(term, coefficient);
  return sum;
}

LinearForm LinearForm::Times(int64_t factor) const {
  LinearForm product;
  if (factor == 0) return product;
  product = *this;
  product.constant_ *= factor;
  for (auto& [term, coefficient] : product.terms_) coefficient *= factor;
  return product;
}

LinearForm LinearForm::FloorDiv(int64_t divisor, const Ranges& ranges) const {
  if (divisor == 1) return *this;
  // this = divisor * whole + rest, with the constant of rest in [0, divisor).
  LinearForm whole = Constant(FloorDivide(constant_, divisor));
  LinearForm rest = Constant(constant_ - divisor * whole.constant_);
  for (const auto& [term, coefficient] : terms_) {
    if (coefficient % divisor == 0) {
      whole.Add(term, coefficient / divisor);
    } else {
      rest.Add(term, coefficient);
    }
  }
  if (std::optional<Range> range = rest.RangeOf(ranges)) {
    const int64_t low = FloorDivide(range->low, divisor);
    if (low == FloorDivide(range->high, divisor)) return whole.Plus(Constant(low));
  }
  int64_t common = divisor;
  for (const auto& [term, coefficient] : rest.terms_) common = std::gcd(common, coefficient);
  rest.constant_ = FloorDivide(rest.constant_, common);
  for (auto& [term, coefficient] : rest.terms_) coefficient /= common;
  divisor /= common;
  const bool nested = rest.constant_ == 0 && rest.terms_.size() == 1 &&
                      rest.terms_[0].second == 1 && rest.terms_[0].first.quotient;
  if (nested) {
    const Quotient& inner = *rest.terms_[0].first.quotient;
    return whole.Plus(inner.dividend.FloorDiv(inner.divisor * divisor, ranges));
  }
  whole.Add({.counter = -1, .quotient = std::make_shared<Quotient>(Quotient{rest, divisor})}, 1);
  return whole;
}

LinearForm LinearForm::Mod(int64_t divisor, const Ranges& ranges) const {
  return Plus(FloorDiv(divisor, ranges).Times(-divisor));
}

static std::optional<Range> RangeOf(const Term& term, const Ranges& ranges) {
  if (!term.quotient) return ranges[term.counter];
  std::optional<Range> range = term.quotient->dividend.RangeOf(ranges);
  if (!range) return range;
  const int64_t divisor = term.quotient->divisor;
  return Range{FloorDivide(range->low, divisor), FloorDivide(range->high, divisor)};
}

// Bounds through remainders: scale * (d - divisor * (d floordiv divisor)) is in [0, scale *
// (divisor - 1)], which intervals of the terms do not show.
static std::optional<Range> RemainderRange(const LinearForm& form, const Ranges& ranges) {
  for (const auto& [term, coefficient] : form.terms()) {
    if (!term.quotient || coefficient >= 0 || coefficient % term.quotient->divisor != 0) continue;
    const int64_t divisor = term.quotient->divisor;
    const int64_t scale = -coefficient / divisor;
    LinearForm others = form.Plus(term.quotient->dividend.Mod(divisor, ranges).Times(-scale));
    if (others.terms().size() >= form.terms().size()) continue;
    std::optional<Range> range = others.RangeOf(ranges);
    if (range) return Range{range->low, range->high + scale * (divisor - 1)};
  }
  return std::nullopt;
}

std::optional<Range> LinearForm::RangeOf(const Ranges& ranges) const {
  __int128 low = constant_, high = constant_;
  for (const auto& [term, coefficient] : terms_) {
    std::optional<Range> range = codegen::RangeOf(term, ranges);
    if (!range) return std::nullopt;
    const __int128 a = static_cast<__int128>(coefficient) * range->low;
    const __int128 b = static_cast<__int128>(coefficient) * range->high;
    low += std::min(a, b);
    high += std::max(a, b);
  }
  if (std::optional<Range> remainder = RemainderRange(*this, ranges)) {
    low = std::max<__int128>(low, remainder->low);
    high = std::min<__int128>(high, remainder->high);
  }
  if (low < -kBound || high > kBound) return std::nullopt;
  return Range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

static bool DependsOn(const Term& term, int counter) {
  return term.quotient ? term.quotient->dividend.DependsOn(counter) : term.counter == counter;
}

bool LinearForm::DependsOn(int counter) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const auto& entry) { return codegen::DependsOn(entry.first, counter); });
}

std::optional<int64_t> LinearForm::Stride(int counter) const {
  int64_t stride = 0;
  for (const auto& [term, coefficient] : terms_) {
    if (!codegen::DependsOn(term, counter)) continue;
    if (term.quotient) return std::nullopt;
    stride = coefficient;
  }
  return stride;
}

LinearForm LinearForm::Without(int counter) const {
  LinearForm form = *this;
  std::erase_if(form.terms_, [&](const auto& entry) {
    return !entry.first.quotient && entry.first.counter == counter;
  });
  return form;
}

LinearForm LinearForm::At(int counter, int64_t value, const Ranges& ranges) const {
  LinearForm form = Constant(constant_);
  for (const auto& [term, coefficient] : terms_) {
    if (!codegen::DependsOn(term, counter)) {
      form.Add(term, coefficient);
    } else if (!term.quotient) {
      form.constant_ += coefficient * value;
    } else {
      LinearForm inside = term.quotient->dividend.At(counter, value, ranges);
      form = form.Plus(inside.FloorDiv(term.quotient->divisor, ranges).Times(coefficient));
    }
  }
  return form;
}

int64_t LinearForm::PowerOfTwo(int64_t limit) const {
  int64_t power = std::gcd(constant_, limit);
  for (const auto& [term, coefficient] : terms_) power = std::gcd(power, coefficient);
  return power;
}

bool LinearForm::operator==(const LinearForm& other) const {
  return codegen::Compare(*this, other) == 0;
}

}  // namespace quern::codegen
