#include "search/session.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "nlohmann/json.hpp"
#include "search/candidate.h"
#include "search/finals.h"
#include "search/naive.h"
#include "search/nest.h"
#include "search/progress.h"
#include "search/strategy/seeded.h"

namespace quern::search {

static constexpr size_t kFinalists = 6;
static constexpr double kWorthARace = 1.05;  // times the incumbent's time, by screening
static constexpr double kSurely = 0.6;       // times the incumbent's time: needs no race
static constexpr double kGiveUp = 1.5;       // times the incumbent's time: screening stops
static constexpr double kSearchShare = 0.7;  // of the budget; the rest is for the finals
static constexpr double kNaiveShare = 0.02;  // of the budget, for one run of the naive program
static constexpr int kMaxRepeats = 300;      // proposals in a row of programs already seen

static std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kRepeated:
      return "repeated";
    case Outcome::kNotCompiled:
      return "not compiled";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kSlower:
      return "slower";
    case Outcome::kFastest:
      return "fastest";
  }
  return "";
}

namespace {

class Session {
 public:
  Session(const frontend::Spec& spec, const Interfaces& interfaces, const SessionOptions& options)
      : spec_(spec),
        interfaces_(interfaces),
        options_(options),
        progress_(options.progress, options.max_candidates) {}

  absl::StatusOr<SessionResult> Run() {
    if (FromStore()) return std::move(result_);
    QUERN_ASSIGN_OR_RETURN(naive_module_, NaiveProgram(spec_, options_.target));
    QUERN_RETURN_IF_ERROR(StartWithNaive());
    if (interfaces_.measurer) QUERN_RETURN_IF_ERROR(Search());
    std::optional<Winner> winner;
    QUERN_ASSIGN_OR_RETURN(winner, Finals(interfaces_, options_, progress_.seconds(), result_)
                                       .Run(std::move(finalists_), naive_));
    if (winner) Accept(*std::move(winner));
    return std::move(result_);
  }

 private:
  bool FromStore() {
    if (!interfaces_.store) return false;
    absl::StatusOr<std::optional<Bundle>> found = interfaces_.store->Lookup();
    if (!found.ok()) {
      progress_.Say(absl::StrCat("cache not read: ", found.status().message()));
      return false;
    }
    if (!*found || (*found)->certificate.verdict != Verdict::kProved) return false;
    result_.bundle = **std::move(found);
    result_.cache_hit = result_.proved = true;
    const std::vector<Measurement>& measurements = result_.bundle->measurements;
    if (!measurements.empty()) result_.time_ns = measurements.front().warm.median;
    result_.naive_ns = NaiveNs(*result_.bundle);
    return true;
  }

  absl::Status StartWithNaive() {
    naive_.program = PrintText(*naive_module_);
    seen_.insert(ProgramDigest(*naive_module_));
    QUERN_ASSIGN_OR_RETURN(naive_.artifact, interfaces_.compiler->Compile(*naive_module_));
    if (!interfaces_.measurer) return absl::OkStatus();
    const double limit_ns = kNaiveShare * options_.budget_seconds * 1e9;
    QUERN_ASSIGN_OR_RETURN(Race race, interfaces_.measurer->Screen(naive_.artifact, limit_ns));
    if (race.outcome == Race::Outcome::kFailed) {
      return absl::InternalError(absl::StrCat("the naive program failed: ", race.failure));
    }
    bar_ns_ = limit_ns;
    if (race.outcome == Race::Outcome::kTimedOut) {
      result_.naive_longer_than_ns = limit_ns;
      progress_.Say(absl::StrCat("the naive program takes longer than ",
                                 FormatNanoseconds(limit_ns), " a run"));
      return absl::OkStatus();
    }
    naive_.measurement = std::move(race.candidate);
    naive_.time_ns = result_.naive_ns = bar_ns_ = naive_.measurement.warm.median;
    incumbent_ = naive_;
    return absl::OkStatus();
  }

  bool Continue() const {
    if (options_.stop && *options_.stop) return false;
    if (options_.max_candidates >= 0) return result_.counts.enumerated < options_.max_candidates;
    return progress_.seconds() < kSearchShare * options_.budget_seconds;
  }

  absl::Status Search() {
    SeededStrategy strategy(spec_, *naive_module_, options_.seed);
    int repeats = 0;
    while (Continue() && repeats < kMaxRepeats) {
      std::optional<Trace> trace = strategy.Propose();
      if (!trace) break;
      Derived derived = Replay(spec_, *naive_module_, *trace);
      if (!seen_.insert(ProgramDigest(*derived.module)).second) {
        ++repeats;
        strategy.Observe(derived.applied, Outcome::kRepeated, 0);
        continue;
      }
      repeats = 0;
      QUERN_RETURN_IF_ERROR(Try(std::move(derived), strategy));
      progress_.Candidates(result_.counts.enumerated, incumbent_ ? incumbent_->time_ns : 0,
                           result_.naive_ns);
    }
    return absl::OkStatus();
  }

  absl::Status Try(Derived derived, Strategy& strategy) {
    Candidate candidate{.number = ++result_.counts.enumerated,
                        .trace = std::move(derived.applied),
                        .unsound_actions = derived.unsound_actions,
                        .program = PrintText(*derived.module)};
    result_.counts.dropped += derived.dropped;
    nlohmann::json entry = {{"candidate", candidate.number}, {"dropped", derived.dropped}};
    for (const Action& action : candidate.trace) {
      entry["trace"].push_back(nlohmann::json::parse(ToJson(action)));
    }
    Outcome outcome;
    absl::StatusOr<Artifact> artifact = interfaces_.compiler->Compile(*derived.module);
    if (artifact.ok()) {
      ++result_.counts.compiled;
      candidate.artifact = *std::move(artifact);
      QUERN_ASSIGN_OR_RETURN(outcome, Measure(candidate, entry));
    } else if (absl::IsInvalidArgument(artifact.status())) {
      outcome = Outcome::kNotCompiled;
      entry["why"] = std::string(artifact.status().message());
    } else {
      return artifact.status();
    }
    entry["outcome"] = std::string(Name(outcome));
    if (candidate.time_ns > 0) entry["time_ns"] = candidate.time_ns;
    result_.log.push_back(entry.dump());
    strategy.Observe(candidate.trace, outcome, candidate.time_ns);
    if (outcome == Outcome::kFastest) {
      incumbent_ = candidate;
      bar_ns_ = candidate.time_ns;
    }
    if (outcome == Outcome::kFastest || outcome == Outcome::kSlower) Keep(std::move(candidate));
    return absl::OkStatus();
  }

  // Screens the candidate and, where that leaves open whether it is faster than the incumbent,
  // races it. An incumbent is only a bar for others: finalists are all measured again.
  absl::StatusOr<Outcome> Measure(Candidate& candidate, nlohmann::json& entry) {
    QUERN_ASSIGN_OR_RETURN(Race race,
                           interfaces_.measurer->Screen(candidate.artifact, kGiveUp * bar_ns_));
    bool failed = race.failed();
    double ratio = race.candidate.warm.median / bar_ns_;
    bool faster = !failed && ratio < (incumbent_ ? kSurely : 1);
    if (!failed && !faster && incumbent_ && ratio < kWorthARace) {
      QUERN_ASSIGN_OR_RETURN(
          race, interfaces_.measurer->Compare(incumbent_->artifact, candidate.artifact));
      faster = race.outcome == Race::Outcome::kFaster;
    }
    if (race.failed()) {
      ++result_.counts.failed;
      entry["why"] = race.failure;
      return Outcome::kFailed;
    }
    ++result_.counts.measured;
    candidate.measurement = std::move(race.candidate);
    candidate.time_ns = candidate.measurement.warm.median;
    return faster ? Outcome::kFastest : Outcome::kSlower;
  }

  void Keep(Candidate candidate) {
    auto at = std::upper_bound(
        finalists_.begin(), finalists_.end(), candidate.time_ns,
        [](double time, const Candidate& finalist) { return time < finalist.time_ns; });
    finalists_.insert(at, std::move(candidate));
    if (finalists_.size() > kFinalists) finalists_.pop_back();
  }

  void Accept(Winner winner) {
    Candidate& candidate = winner.candidate;
    result_.proved = winner.certificate.verdict == Verdict::kProved;
    result_.time_ns = candidate.time_ns;
    result_.counts.unsound_actions = candidate.unsound_actions;
    Bundle bundle{.module = spec_.source,
                  .canonical = spec_.canonical,
                  .spec_sha256 = spec_.sha256,
                  .artifact = std::move(candidate.artifact),
                  .certificate = std::move(winner.certificate),
                  .program = std::move(candidate.program),
                  .trace = ToText(candidate.trace)};
    if (candidate.time_ns > 0) {
      bundle.measurements.push_back(std::move(candidate.measurement));
      if (candidate.number != 0 && result_.naive_ns > 0)
        bundle.measurements.push_back(naive_.measurement);
    }
    if (result_.proved && interfaces_.store) {
      absl::Status stored = interfaces_.store->Insert(bundle);
      if (!stored.ok()) progress_.Say(absl::StrCat("not cached: ", stored.message()));
    }
    result_.bundle = std::move(bundle);
  }

  const frontend::Spec& spec_;
  const Interfaces& interfaces_;
  const SessionOptions& options_;
  Progress progress_;
  SessionResult result_;
  mlir::OwningOpRef<mlir::ModuleOp> naive_module_;
  Candidate naive_;
  std::optional<Candidate> incumbent_;
  double bar_ns_ = 0;                 // the incumbent's time, or what the naive program exceeds
  std::vector<Candidate> finalists_;  // fastest first
  std::set<std::string> seen_;        // digests of programs
};

}  // namespace

double NaiveNs(const Bundle& bundle) {
  const std::vector<Measurement>& measurements = bundle.measurements;
  const bool timed = measurements.size() > 1 || (measurements.size() == 1 && bundle.trace.empty());
  return timed ? measurements.back().warm.median : 0;
}

absl::StatusOr<SessionResult> Run(const frontend::Spec& spec, const Interfaces& interfaces,
                                  const SessionOptions& options) {
  return Session(spec, interfaces, options).Run();
}

}  // namespace quern::search
