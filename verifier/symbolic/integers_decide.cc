// What is known of affine integers at all points, and what to split where it is not.
#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/symbolic/integers.h"

namespace quern::verifier {

static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

bool Integers::Within(Affine a, Interval range, std::string_view kind) {
  const std::optional<Interval> bounds = affine_.Bounds(a);
  if (!bounds.has_value()) return false;
  if (bounds->low >= range.low && bounds->high <= range.high) return true;
  // Without quotients and data the bounds are attained.
  if (oracle_ == nullptr || !affine_.has_quotients(a.linear)) return false;
  Question question(affine_);
  const std::string term = question.Term(a);
  question.Assert(absl::StrCat("(or (< ", term, " ", SmtLiteral(range.low), ") (> ", term, " ",
                               SmtLiteral(range.high), "))"));
  return oracle_->Impossible(question, kind);
}

bool Integers::Never(const char* relation, Affine a) {
  if (oracle_ == nullptr) return false;
  Question question(affine_);
  question.Assert(absl::StrCat("(", relation, " ", question.Term(a), " 0)"));
  return oracle_->Impossible(question, "branch");
}

std::optional<AffineTable::Division> Integers::Divide(Affine a, int64_t c) {
  const std::optional<AffineTable::Division> division = affine_.Divide(a, c);
  if (division.has_value() || oracle_ == nullptr) return division;
  if (affine_.has_quotients(a.linear) && Within(a, {0, c - 1}, "index")) {
    affine_.ClearBlocked();
    return AffineTable::Division{AffineTable::Number(0), a};
  }
  const std::optional<Affine> quotient = affine_.Quotient(a, c);
  const std::optional<Affine> multiple = quotient ? affine_.Scale(*quotient, c) : std::nullopt;
  const std::optional<Affine> remainder = multiple ? affine_.Subtract(a, *multiple) : std::nullopt;
  if (!remainder.has_value()) return std::nullopt;
  affine_.ClearBlocked();
  return AffineTable::Division{*quotient, *remainder};
}

std::optional<Affine> Integers::Signed(Value a, const Type& type) {
  const Affine form = TermTable::AffineOf(a);
  if (type.bits == 64) return form;
  if (type.bits == 1) return affine_.Scale(form, -1);
  if (type.bits == 63) return std::nullopt;
  const std::optional<Interval> bounds = affine_.Bounds(form);
  if (!bounds.has_value()) return std::nullopt;
  const int64_t top = SignedMax(type.bits);
  if (Within(form, {-top - 1, top}, "no-wrap")) return form;
  if (bounds->low > top) return affine_.Subtract(form, AffineTable::Number(2 * (top + 1)));
  return Halve(form);
}

std::optional<Affine> Integers::Unsigned(Value a, const Type& type) {
  const Affine form = TermTable::AffineOf(a);
  const std::optional<Interval> bounds = affine_.Bounds(form);
  if (!bounds.has_value()) return std::nullopt;
  if (Within(form, {0, kMax}, "no-wrap")) return form;
  if (type.bits == 64) return Halve(form);
  if (type.bits == 63) return std::nullopt;
  if (bounds->high < 0) {
    return affine_.Add(form, AffineTable::Number(2 * (SignedMax(type.bits) + 1)));
  }
  return Halve(form);
}

std::nullopt_t Integers::Halve(Affine a, Affine b) {
  split_.reset();
  int64_t best = kMax;
  for (const Affine form : {a, b}) {
    if (affine_.has_data(form.linear)) continue;  // no part of a class knows more
    for (const SymbolId symbol : affine_.FreeSymbols(form.linear)) {
      const std::optional<Interval> range = affine_.range(symbol);
      if (!range.has_value() || range->low == range->high) continue;
      const int64_t size = range->high - range->low;
      if (size >= best) continue;
      best = size;
      split_ = Split{.symbol = symbol, .at = range->low + size / 2 + 1};
    }
  }
  return std::nullopt;
}

std::nullopt_t Integers::SplitBlocked() {
  split_.reset();
  if (!affine_.blocked().has_value()) return std::nullopt;
  const AffineTable::Blocked blocked = *affine_.blocked();
  affine_.ClearBlocked();
  // One of the monomials steps by a divisor of the period.
  for (const Monomial& term : affine_.monomials(blocked.dividend.linear)) {
    const std::optional<Interval> range = affine_.range(term.symbol);
    if (!range.has_value() || term.coefficient <= 0 || term.coefficient >= blocked.divisor ||
        blocked.divisor % term.coefficient != 0 || !affine_.is_free(term.symbol)) {
      continue;
    }
    const int64_t radix = blocked.divisor / term.coefficient;
    const int64_t count = range->high - range->low + 1;
    if (count <= radix) continue;
    const int64_t tail = count % radix;
    if (tail == 0) {
      split_ = Split{.symbol = term.symbol, .radix = radix};
    } else {
      split_ = Split{.symbol = term.symbol, .at = range->low + count - tail};
    }
    return std::nullopt;
  }
  // One multiple of the divisor lies within: there.
  const std::optional<Interval> bounds = affine_.Bounds(blocked.dividend);
  if (bounds.has_value()) {
    const int64_t last = FloorDivide(bounds->high, blocked.divisor);
    if (FloorDivide(bounds->low, blocked.divisor) == last - 1) {
      const std::optional<Affine> past =
          affine_.Add(blocked.dividend, AffineTable::Number(-last * blocked.divisor));
      if (past.has_value() && SplitAtZero(*past)) return std::nullopt;
    }
  }
  return Halve(blocked.dividend);
}

static int64_t CeilDivide(int64_t a, int64_t c) { return a / c + (a % c > 0 ? 1 : 0); }

// Splits the symbol that matters most where the sign of `difference` becomes, or stops being,
// known.
bool Integers::SplitAtZero(Affine difference) {
  std::vector<Monomial> terms(affine_.monomials(difference.linear).begin(),
                              affine_.monomials(difference.linear).end());
  std::sort(terms.begin(), terms.end(), [](const Monomial& a, const Monomial& b) {
    return std::abs(a.coefficient) > std::abs(b.coefficient);
  });
  const std::optional<Interval> all = affine_.Bounds(difference);
  if (!all.has_value()) return false;
  for (const Monomial& term : terms) {
    const std::optional<Interval> range = affine_.range(term.symbol);
    if (!range.has_value() || range->low == range->high || term.coefficient == kMin ||
        !affine_.is_free(term.symbol)) {
      continue;
    }
    const int64_t step = std::abs(term.coefficient);
    const int64_t count = range->high - range->low;
    const int64_t span = step * count;  // no overflow: it is part of the bounds
    // The difference is step * y + rest, with y in [0, count] and the rest in [low, high].
    for (const int64_t rest : {all->high - span, all->low}) {
      if (rest == kMin) continue;
      const int64_t y = CeilDivide(-rest, step);
      if (y <= 0 || y > count) continue;
      const int64_t at = term.coefficient > 0 ? range->low + y : range->high - y + 1;
      split_ = Split{.symbol = term.symbol, .at = at};
      return true;
    }
  }
  return false;
}

std::optional<bool> Integers::Less(Affine a, Affine b, bool or_equal) {
  std::optional<Affine> difference = affine_.Subtract(a, b);
  if (difference.has_value() && or_equal) {
    difference = affine_.Subtract(*difference, AffineTable::Number(1));
  }
  if (!difference.has_value()) return std::nullopt;
  const std::optional<Interval> bounds = affine_.Bounds(*difference);
  if (!bounds.has_value()) return std::nullopt;
  if (bounds->high < 0) return true;
  if (bounds->low >= 0) return false;
  if (affine_.has_quotients(difference->linear)) {
    if (Never(">=", *difference)) return true;
    if (Never("<", *difference)) return false;
  }
  if (!SplitAtZero(*difference)) return Halve(*difference);
  return std::nullopt;
}

std::optional<bool> Integers::Equal(Affine a, Affine b) {
  const std::optional<Affine> difference = affine_.Subtract(a, b);
  if (!difference.has_value()) return std::nullopt;
  if (difference->is_constant()) return difference->constant == 0;
  const std::optional<Interval> bounds = affine_.Bounds(*difference);
  if (!bounds.has_value()) return std::nullopt;
  if (bounds->high < 0 || bounds->low > 0) return false;
  const int64_t gcd = affine_.gcd(difference->linear);
  if (gcd != 0 && difference->constant % gcd != 0) return false;
  if (Never("=", *difference)) return false;
  if (affine_.has_quotients(difference->linear) && Never("distinct", *difference)) return true;
  const std::optional<Affine> above = affine_.Subtract(*difference, AffineTable::Number(1));
  if (!SplitAtZero(*difference) && (!above.has_value() || !SplitAtZero(*above))) {
    return Halve(*difference);
  }
  return std::nullopt;
}

}  // namespace quern::verifier
