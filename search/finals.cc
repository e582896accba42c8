#include "search/finals.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "search/progress.h"

namespace quern::search {

using Outcome = Race::Outcome;

static constexpr double kNaiveShare = 0.1;       // of the budget, for the naive program's proof
static constexpr double kFinalistsShare = 0.15;  // for other proofs, even if nothing is left
static constexpr double kLeastSeconds = 2;       // for each of these
static constexpr double kSurely = 0.6;  // times the naive program's time: proved, then raced

Finals::Finals(const Interfaces& interfaces, const SessionOptions& options, double spent,
               SessionResult& result)
    : interfaces_(interfaces),
      options_(options),
      result_(result),
      naive_seconds_(std::max(kNaiveShare * options.budget_seconds, kLeastSeconds)) {
  if (options.max_candidates >= 0) return;
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(options.budget_seconds - spent));
}

double Finals::ProofSeconds(const Candidate& finalist) const {
  if (!deadline_) return std::numeric_limits<double>::infinity();
  const auto until = [](Clock::time_point end) {
    return std::chrono::duration<double>(end - Clock::now()).count();
  };
  if (finalist.number == 0) return std::max(until(*deadline_), naive_seconds_);
  const double left = until(*end_);
  return std::max({0.0, left / 2, std::min(left, kLeastSeconds / 2)});
}

void Finals::Say(const Candidate& finalist, std::string_view what) {
  std::string name = finalist.number == 0 ? "naive" : absl::StrCat("candidate ", finalist.number);
  if (finalist.time_ns > 0) absl::StrAppend(&name, " (", FormatNanoseconds(finalist.time_ns), ")");
  result_.finalists.push_back(absl::StrCat(name, ": ", std::string(what)));
  if (options_.progress) options_.progress(result_.finalists.back());
}

// Fastest first again, by one series of all. One that is not surely faster than the first stays
// behind it.
absl::Status Finals::Rank(std::vector<Candidate>& finalists) {
  bool first_failed = true;
  while (first_failed && finalists.size() > 1 && !(options_.stop && *options_.stop)) {
    std::vector<const Artifact*> artifacts;
    for (const Candidate& finalist : finalists) artifacts.push_back(&finalist.artifact);
    QUERN_ASSIGN_OR_RETURN(std::vector<Race> races, interfaces_.measurer->Rank(artifacts));
    first_failed = races.front().failed();
    std::vector<std::pair<double, Candidate>> ranked;  // by the speed-up over the first
    for (size_t i = 0; i < races.size(); ++i) {
      if (races[i].failed()) {
        ++result_.counts.failed;
        Say(finalists[i], races[i].failure);
        continue;
      }
      const bool faster = races[i].outcome == Outcome::kFaster;
      const double speedup = races[i].candidate.speedup.median;
      if (!races[i].candidate.warm_ns.empty()) {
        finalists[i].measurement = std::move(races[i].candidate);
        finalists[i].measurement.baseline.clear();
        finalists[i].measurement.speedup = {};
        finalists[i].time_ns = finalists[i].measurement.warm.median;
      }
      const double rank = i == 0 || first_failed ? 1 : faster ? speedup : std::min(speedup, 1.0);
      auto at = std::upper_bound(ranked.begin(), ranked.end(), rank,
                                 [](double a, const auto& b) { return a > b.first; });
      ranked.insert(at, {rank, std::move(finalists[i])});
    }
    finalists.clear();
    for (auto& [speedup, finalist] : ranked) finalists.push_back(std::move(finalist));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Finals::BeatsNaive(const Candidate& naive, Candidate& finalist) {
  if (result_.naive_longer_than_ns > 0) {
    if (finalist.measurement.warm.high < result_.naive_longer_than_ns) return true;
    Say(finalist, "not surely faster than the naive program");
    return false;
  }
  QUERN_ASSIGN_OR_RETURN(Race race,
                         interfaces_.measurer->Compare(naive.artifact, finalist.artifact));
  if (race.failed()) {
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
  const double seconds = ProofSeconds(finalist);
  if (seconds == 0) {
    ++result_.counts.unknown;
    Say(finalist, "not checked: the time for proofs is up");
    return std::nullopt;
  }
  absl::StatusOr<Certificate> certificate = interfaces_.checker->Check(finalist.artifact, seconds);
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

absl::StatusOr<std::optional<Certificate>> Finals::Accept(const Candidate& naive,
                                                          Candidate& finalist) {
  if (finalist.number == 0) return Check(finalist);
  // A race with a slow naive program may take longer than a proof: last, if its end is clear.
  const bool clear = finalist.time_ns < kSurely * naive.time_ns;
  std::optional<Certificate> certificate;
  if (clear) {
    certificate = Check(finalist);
    if (!certificate) return certificate;
  }
  QUERN_ASSIGN_OR_RETURN(const bool faster, BeatsNaive(naive, finalist));
  if (!faster) return std::nullopt;
  return clear ? std::move(certificate) : Check(finalist);
}

absl::StatusOr<std::optional<Winner>> Finals::Run(std::vector<Candidate> finalists,
                                                  Candidate naive) {
  if (interfaces_.measurer) QUERN_RETURN_IF_ERROR(Rank(finalists));
  if (deadline_) {
    const auto seconds = [](double s) {
      return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
    };
    const double least = std::max(kFinalistsShare * options_.budget_seconds, kLeastSeconds);
    end_ = std::max(*deadline_ - seconds(naive_seconds_), Clock::now() + seconds(least));
  }
  finalists.push_back(naive);
  for (Candidate& finalist : finalists) {
    QUERN_ASSIGN_OR_RETURN(std::optional<Certificate> certificate, Accept(naive, finalist));
    if (certificate) {
      return Winner{.candidate = std::move(finalist), .certificate = *std::move(certificate)};
    }
  }
  if (!checked_) return checker_status_;
  return std::optional<Winner>();
}

}  // namespace quern::search
