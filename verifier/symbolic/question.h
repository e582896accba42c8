// A question about affine integers, for the solver.
#ifndef QUERN_VERIFIER_SYMBOLIC_QUESTION_H_
#define QUERN_VERIFIER_SYMBOLIC_QUESTION_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "verifier/solver/integer_solver.h"
#include "verifier/symbolic/affine.h"

namespace quern::verifier {

// Is there a point at which all assertions hold? Free symbols become variables with their ranges,
// quotients (of c into e) variables q with c*q <= e < c*q + c: linear, and without division.
class Question {
 public:
  explicit Question(const AffineTable& affine) : affine_(affine) {}

  // The form as an SMT-LIB term. With another `copy` (0, 1, ...) its symbols have values of their
  // own.
  std::string Term(Affine a, int copy = 0);
  // The variable of a symbol.
  std::string Variable(SymbolId symbol, int copy);
  // A fresh number of [0, count).
  std::string Number(const std::string& name, int64_t count);
  void Assert(std::string condition) { query_.assertions.push_back(std::move(condition)); }

  // false: a symbol without a range occurs in it, so that it cannot be asked.
  bool complete() const { return complete_; }
  const IntegerQuery& query() const { return query_; }

 private:
  const AffineTable& affine_;
  IntegerQuery query_;
  std::set<std::pair<SymbolId, int>> declared_;
  bool complete_ = true;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_QUESTION_H_
