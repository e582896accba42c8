// The seam to a solver of linear integer arithmetic.
#ifndef QUERN_VERIFIER_SOLVER_INTEGER_SOLVER_H_
#define QUERN_VERIFIER_SOLVER_INTEGER_SOLVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace quern::verifier {

// Is there an assignment of the variables, each within its inclusive range, for which all
// assertions hold?
struct IntegerQuery {
  struct Variable {
    std::string name;  // letters, digits and underscores, beginning with a letter
    int64_t low = 0;
    int64_t high = 0;
  };
  std::vector<Variable> variables;
  std::vector<std::string>
      assertions;  // SMT-LIB 2 terms of sort Bool, logic QF_LIA with div and mod by constants
};

// A number as SMT-LIB 2 writes it, which has no negative literals.
std::string SmtLiteral(int64_t value);

// The query as an SMT-LIB 2 script without its check: what a certificate records.
std::string ToSmtLib(const IntegerQuery& query);

enum class SolverVerdict {
  kUnsat,    // no such assignment
  kSat,      // one is in the model
  kUnknown,  // the solver gave up, or its time was up
  kError,    // it is absent, crashed or said something else
};

struct SolverAnswer {
  SolverVerdict verdict = SolverVerdict::kError;
  std::map<std::string, int64_t> model;  // of kSat; checked by nobody but the caller
  std::string detail;                    // of kUnknown and kError: why
};

// Only kUnsat may discharge an obligation. An answer is the solver's word: the methods of a
// certificate name it as trusted.
class IntegerSolver {
 public:
  virtual ~IntegerSolver() = default;
  virtual SolverAnswer Ask(const IntegerQuery& query) = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SOLVER_INTEGER_SOLVER_H_
