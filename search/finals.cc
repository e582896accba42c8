#include "search/finals.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "search/progress.h"

namespace quern::search {

using Outcome = search::Race::Outcome;

void Finals::Say(const Candidate& finalist, std::string_view what) {
  std::string name = finalist.number == 0 ? "naive" : absl::StrCat("candidate ", finalist.number);
  if (finalist.time_ns > 0) absl::StrAppend(&name, " (", FormatNanoseconds(finalist.time_ns), ")");
  result_.finalists.push_back(absl::StrCat(name, ": ", std::string(what)));
  if (options_.progress) options_.progress(result_.finalists.back());
}

// Each meets the fastest so far; who surely beats it takes its place.
absl::Status Finals::Race(std::vector<Candidate>& finalists) {
  for (size_t i = 1; i < finalists.size(); ++i) {
    if (options_.stop && *options_.stop) return absl::OkStatus();
    QUERN_ASSIGN_OR_RETURN(
        search::Race race,
        interfaces_.measurer->Compare(finalists.front().artifact, finalists[i].artifact));
    if (race.outcome == Outcome::kFailed) {
      ++result_.counts.failed;
      Say(finalists[i], race.failure);
      finalists.erase(finalists.begin() + i--);
    } else if (race.outcome == Outcome::kFaster) {
      std::rotate(finalists.begin(), finalists.begin() + i, finalists.begin() + i + 1);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Finals::BeatsNaive(const Candidate& naive, Candidate& finalist) {
  QUERN_ASSIGN_OR_RETURN(search::Race race,
                         interfaces_.measurer->Compare(naive.artifact, finalist.artifact));
  if (race.outcome == Outcome::kFailed) {
    ++result_.counts.failed;
    Say(finalist, race.failure);
    return false;
  }
  finalist.measurement = std::move(race.candidate);
  finalist.measurement.baseline = "naive";
  finalist.time_ns = finalist.measurement.warm.median;
  if (race.outcome == Outcome::kFaster) return true;
  Say(finalist, "not surely faster than the naive program");
  return false;
}

// The certificate if there is one to return.
std::optional<Certificate> Finals::Check(const Candidate& finalist) {
  absl::StatusOr<Certificate> certificate = interfaces_.checker->Check(finalist.artifact);
  if (!certificate.ok()) {
    checker_status_ = certificate.status();
    ++result_.counts.unknown;
    Say(finalist, absl::StrCat("not checked: ", certificate.status().message()));
    return std::nullopt;
  }
  checked_ = true;
  switch (certificate->verdict) {
    case Verdict::kProved:
      Say(finalist, "proved");
      return *std::move(certificate);
    case Verdict::kRefuted:
      ++result_.counts.refuted;
      Say(finalist, absl::StrCat("refuted: ", certificate->counterexamples.empty()
                                                  ? ""
                                                  : certificate->counterexamples.front().message));
      return std::nullopt;
    case Verdict::kUnknown:
      ++result_.counts.unknown;
      Say(finalist, absl::StrCat("unknown: ", certificate->reason));
      if (options_.allow_unproved) return *std::move(certificate);
      return std::nullopt;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<Winner>> Finals::Run(std::vector<Candidate> finalists,
                                                  Candidate naive) {
  if (interfaces_.measurer) QUERN_RETURN_IF_ERROR(Race(finalists));
  finalists.push_back(naive);
  for (Candidate& finalist : finalists) {
    if (finalist.number != 0) {
      QUERN_ASSIGN_OR_RETURN(bool faster, BeatsNaive(naive, finalist));
      if (!faster) continue;
    }
    if (std::optional<Certificate> certificate = Check(finalist)) {
      return Winner{.candidate = std::move(finalist), .certificate = *std::move(certificate)};
    }
  }
  if (!checked_) return checker_status_;
  return std::optional<Winner>();
}

}  // namespace quern::search
