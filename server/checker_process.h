// Proofs by `quern-check`, a process with a memory limit.
#ifndef QUERN_SERVER_CHECKER_PROCESS_H_
#define QUERN_SERVER_CHECKER_PROCESS_H_

#include <atomic>
#include <string>
#include <vector>

#include "search/session.h"

namespace quern::server {

struct CheckerSettings {
  std::string program;  // path of quern-check
  std::string folder;   // for its files; exists
  int64_t memory_mb = 8192;
  double seconds = 60;  // that it gives a proof; it is killed some time after
};

// What to prove against.
struct CheckerQuestion {
  std::string module;  // the user's bytes
  Semantics semantics = Semantics::kReal;
  std::vector<std::string> assumptions;
  double error_ratio = 2;
};

class CheckerProcess : public search::Checker {
 public:
  // `abandoned` outlives it.
  CheckerProcess(CheckerSettings settings, CheckerQuestion question,
                 const std::atomic<bool>& abandoned)
      : settings_(std::move(settings)), question_(std::move(question)), abandoned_(abandoned) {}

  // A process that dies, or says something that does not fit what it was given, is `unknown`.
  // kCancelled once `abandoned`; kUnavailable if it cannot be started.
  absl::StatusOr<Certificate> Check(const Artifact& artifact, double seconds) override;

 private:
  const CheckerSettings settings_;
  const CheckerQuestion question_;
  const std::atomic<bool>& abandoned_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_CHECKER_PROCESS_H_
