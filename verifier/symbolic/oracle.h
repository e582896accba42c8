// The solver as the checker asks it: bounded, each question once, with a record for the
// certificate.
#ifndef QUERN_VERIFIER_SYMBOLIC_ORACLE_H_
#define QUERN_VERIFIER_SYMBOLIC_ORACLE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verifier/solver/integer_solver.h"
#include "verifier/symbolic/question.h"

namespace quern::verifier {

class Oracle {
 public:
  struct Limits {
    std::chrono::steady_clock::time_point deadline;
    int64_t questions = 20'000;
    int silences = 3;  // so many questions without an answer, and it is not asked again
  };
  // A solver that is missing or misbehaves (kError) is not asked again either. `solver` must
  // outlive this.
  Oracle(IntegerSolver* solver, Limits limits) : solver_(*solver), limits_(limits) {}

  // true only if the solver says that no point answers the question.
  bool Impossible(const Question& question, std::string_view kind);

  // What was found impossible since the last call: kind of the obligation and SMT-LIB script.
  std::vector<std::pair<std::string, std::string>> Take();
  // Why questions remained without an answer; empty if none did.
  const std::string& silence() const { return silence_; }

 private:
  SolverVerdict Ask(const IntegerQuery& query, const std::string& script);

  IntegerSolver& solver_;
  const Limits limits_;
  absl::flat_hash_map<std::string, SolverVerdict> answers_;
  absl::flat_hash_map<std::string, int> taken_;  // the generation in which it was last used
  std::vector<std::pair<std::string, std::string>> used_;
  std::string silence_;
  int generation_ = 0;
  int64_t asked_ = 0;
  int silences_ = 0;
  bool broken_ = false;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_ORACLE_H_
