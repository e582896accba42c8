// The end of a search: finalists measured again, then proved, fastest first.
#ifndef QUERN_SEARCH_FINALS_H_
#define QUERN_SEARCH_FINALS_H_

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
  // Counts, and one line a finalist, go to `result`.
  Finals(const Interfaces& interfaces, const SessionOptions& options, SessionResult& result)
      : interfaces_(interfaces), options_(options), result_(result) {}

  // `finalists` are fastest first and do not include the naive program, which comes last. Only one
  // that is surely faster than the naive program is considered: by a race, or by a time below what
  // the naive program is known to exceed. None if nothing is proved (nor
  // allowed unproved). The error of the device, or of the checker if it could not check anything.
  absl::StatusOr<std::optional<Winner>> Run(std::vector<Candidate> finalists, Candidate naive);

 private:
  absl::Status Rank(std::vector<Candidate>& finalists);
  absl::StatusOr<bool> BeatsNaive(const Candidate& naive, Candidate& finalist);
  std::optional<Certificate> Check(const Candidate& finalist);
  void Say(const Candidate& finalist, std::string_view what);

  const Interfaces& interfaces_;
  const SessionOptions& options_;
  SessionResult& result_;
  absl::Status checker_status_;  // the last error of a check
  bool checked_ = false;         // some check came to a verdict
};

}  // namespace quern::search

#endif  // QUERN_SEARCH_FINALS_H_
