// cvc5 as a child process that answers over pipes.
#ifndef QUERN_VERIFIER_SOLVER_CVC5_PROCESS_H_
#define QUERN_VERIFIER_SOLVER_CVC5_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "verifier/solver/integer_solver.h"

namespace quern::verifier {

struct Cvc5Options {
  std::string executable = "cvc5";  // found on PATH unless it has a slash
  double seconds = 2;               // per query, by our clock; the process is killed at twice that
  int64_t memory_bytes = 1LL << 30;
  int64_t resources = 1'000'000;  // per query, in cvc5's units: the same answer everywhere
};

// Starts the process at the first question and again after it was killed or died. Not for several
// threads.
class Cvc5Process : public IntegerSolver {
 public:
  explicit Cvc5Process(Cvc5Options options);
  ~Cvc5Process() override;
  Cvc5Process(const Cvc5Process&) = delete;
  Cvc5Process& operator=(const Cvc5Process&) = delete;

  SolverAnswer Ask(const IntegerQuery& query) override;

 private:
  using Clock = std::chrono::steady_clock;
  bool Start();
  void Stop();
  // Sends `script` and reads up to the line `marker`. False: dead, too late, or too much said; *why
  // tells.
  bool Exchange(const std::string& script, const std::string& marker, Clock::time_point deadline,
                std::string* reply, std::string* why);

  Cvc5Options options_;
  pid_t child_ = -1;
  int to_child_ = -1;
  int from_child_ = -1;
  uint64_t questions_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SOLVER_CVC5_PROCESS_H_
