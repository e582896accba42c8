// The end of a search: finalists measured again, then proved, fastest first.
#ifndef QUERN_SEARCH_FINALS_H_
#define QUERN_SEARCH_FINALS_H_

#include <chrono>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "search/candidate.h"
#include "search/session.h"

namespace quern::search {

struct Winner {
  Candidate candidate;
  Certificate certificate;
};

class Finals {
 public:
  // Counts, and one line a finalist, go to `result`. `spent`: seconds of the budget that are gone.
  Finals(const Interfaces& interfaces, const SessionOptions& options, double spent,
         SessionResult& result);

  // `finalists` are fastest first and do not include the naive program, which comes last. Only one
  // that is surely faster than the naive program is considered: by a race, or by a time below what
  // the naive program is known to exceed. None if nothing is proved (nor allowed unproved). Unless
  // candidates are counted, proofs share what is left of the budget and have a little more if that
  // is nothing; some of it is kept for the naive program's. The error of the device, or of the
  // checker if it could not check anything.
  absl::StatusOr<std::optional<Winner>> Run(std::vector<Candidate> finalists, Candidate naive);

 private:
  absl::Status Rank(std::vector<Candidate>& finalists);
  absl::StatusOr<bool> BeatsNaive(const Candidate& naive, Candidate& finalist);
  // What this proof may take; 0: the time of all is up.
  double ProofSeconds(const Candidate& finalist) const;
  std::optional<Certificate> Check(const Candidate& finalist);
  // Proved, and surely faster than the naive program.
  absl::StatusOr<std::optional<Certificate>> Accept(const Candidate& naive, Candidate& finalist);
  void Say(const Candidate& finalist, std::string_view what);

  const Interfaces& interfaces_;
  const SessionOptions& options_;
  SessionResult& result_;
  using Clock = std::chrono::steady_clock;
  double naive_seconds_;                             // kept for the naive program's proof
  std::optional<Clock::time_point> deadline_, end_;  // of everything; of finalists' proofs
  absl::Status checker_status_;                      // the last error of a check
  bool checked_ = false;                             // some check came to a verdict
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_FINALS_H_
