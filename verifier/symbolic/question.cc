#include "verifier/symbolic/question.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace quern::verifier {

std::string Question::Variable(SymbolId symbol, int copy) {
  std::string stem;
  for (const char c : affine_.name(symbol)) {
    if (!absl::ascii_isalnum(c) || (stem.empty() && !absl::ascii_isalpha(c))) break;
    stem.push_back(c);
  }
  const std::string name = absl::StrCat(stem.empty() ? "q" : stem, "_", symbol,
                                        copy == 0 ? "" : absl::StrCat("_", copy));
  if (!declared_.emplace(symbol, copy).second) return name;
  const std::optional<Interval> range = affine_.range(symbol);
  if (!range.has_value()) {
    complete_ = false;
    return name;
  }
  query_.variables.push_back({.name = name, .low = range->low, .high = range->high});
  if (const AffineTable::Definition* quotient = affine_.definition(symbol); quotient != nullptr) {
    const std::string dividend = Term(quotient->dividend, copy);
    const std::string product = absl::StrCat("(* ", quotient->divisor, " ", name, ")");
    Assert(absl::StrCat("(<= ", product, " ", dividend, ")"));
    Assert(absl::StrCat("(< ", dividend, " (+ ", product, " ", quotient->divisor, "))"));
  }
  return name;
}

std::string Question::Term(Affine a, int copy) {
  if (a.is_constant()) return SmtLiteral(a.constant);
  std::string sum = "(+";
  for (const Monomial& term : affine_.monomials(a.linear)) {
    absl::StrAppend(&sum, " (* ", SmtLiteral(term.coefficient), " ", Variable(term.symbol, copy),
                    ")");
  }
  return absl::StrCat(sum, " ", SmtLiteral(a.constant), ")");
}

std::string Question::Number(const std::string& name, int64_t count) {
  query_.variables.push_back({.name = name, .low = 0, .high = count - 1});
  return name;
}

}  // namespace quern::verifier
