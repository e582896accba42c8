#include "verifier/solver/integer_solver.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

std::string SmtLiteral(int64_t value) {
  if (value >= 0) return absl::StrCat(value);
  return absl::StrCat("(- ", uint64_t{0} - static_cast<uint64_t>(value), ")");
}

std::string ToSmtLib(const IntegerQuery& query) {
  std::string script;
  for (const IntegerQuery::Variable& v : query.variables) {
    absl::StrAppend(&script, "(declare-const ", v.name, " Int)\n(assert (<= ", SmtLiteral(v.low),
                    " ", v.name, " ", SmtLiteral(v.high), "))\n");
  }
  for (const std::string& assertion : query.assertions)
    absl::StrAppend(&script, "(assert ", assertion, ")\n");
  return script;
}

}  // namespace quern::verifier
