#include "workers/series.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"

namespace quern::workers {

TrialOptions TrialOptionsFor(const Environment& environment, uint64_t seed, uint32_t placement) {
  const MeasureOptions& options = environment.options;
  const std::vector<int>& usable = environment.cpu.usable;
  TrialOptions trial{.runner = {},
                     .min_batch_ms = options.min_batch_ms,
                     .timeout_factor = options.timeout_factor,
                     .tsc_hz = environment.tsc_hz,
                     .seed = seed};
  trial.runner.cpus.assign(usable.end() - options.threads, usable.end());
  trial.runner.placement = placement;
  constexpr int64_t kUnknownCache = int64_t{64} << 20;
  const int64_t llc = environment.cpu.llc_bytes > 0 ? environment.cpu.llc_bytes : kUnknownCache;
  if (options.cold) trial.runner.evict_bytes = 2 * llc;
  return trial;
}

class Series {
 public:
  Series(const Artifact& baseline, const std::vector<const Artifact*>& contestants,
         const TestData& data, const Environment& environment, uint64_t seed)
      : artifacts_{&baseline},
        data_(data),
        environment_(environment),
        options_(environment.options),
        random_(seed) {
    artifacts_.insert(artifacts_.end(), contestants.begin(), contestants.end());
    result_.showings.resize(contestants.size());
    trials_.resize(artifacts_.size());
  }

  absl::StatusOr<SeriesResult> Run();

 private:
  using Clock = std::chrono::steady_clock;

  bool OutOfTime() const {
    return std::chrono::duration<double>(Clock::now() - start_).count() > options_.max_seconds;
  }
  absl::Status StartTrials(uint32_t round);
  absl::Status RunBlocks(std::vector<Round>* rounds);
  absl::Status RunBlock(std::vector<Round>* rounds);
  absl::Status SpotCheck();
  absl::Status RunCold();
  // Takes failed contestants out; an error if the baseline failed.
  absl::Status DropFailed();
  absl::StatusOr<double> Calibrate();
  bool Done() const;

  std::vector<const Artifact*> artifacts_;  // the baseline first
  const TestData& data_;
  const Environment& environment_;
  const MeasureOptions& options_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Trial>> trials_;  // null: out of the race
  SeriesResult result_;
  int blocks_ = 0;
  Clock::time_point start_ = Clock::now();
};

absl::Status Series::StartTrials(uint32_t round) {
  constexpr double kFloorSeconds = 1;
  double seconds = options_.max_run_seconds;
  for (size_t i = 0; i < artifacts_.size(); ++i) {
    trials_[i].reset();
    if (i > 0 && !result_.showings[i - 1].failure.ok()) continue;
    QUERN_ASSIGN_OR_RETURN(trials_[i],
                           Trial::Start(*artifacts_[i], data_,
                                        TrialOptionsFor(environment_, random_(), round), seconds));
    const double baseline_seconds = trials_[0]->expected_ns() * 1e-9;
    seconds = std::max(kFloorSeconds, options_.timeout_factor * baseline_seconds);
  }
  return DropFailed();
}

absl::Status Series::DropFailed() {
  for (size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i] == nullptr || trials_[i]->failure().ok()) continue;
    const Failure& failure = trials_[i]->failure();
    if (i == 0) {
      return absl::InternalError(
          absl::StrCat("the incumbent failed: ", failure.kind(), ": ", failure.message));
    }
    result_.showings[i - 1].failure = failure;
    trials_[i].reset();
  }
  return absl::OkStatus();
}

absl::Status Series::RunBlock(std::vector<Round>* rounds) {
  std::vector<size_t> order(trials_.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  std::vector<std::optional<double>> samples(trials_.size());
  for (size_t i : order) {
    if (trials_[i] != nullptr) samples[i] = trials_[i]->Sample();
  }
  QUERN_RETURN_IF_ERROR(DropFailed());
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i]) continue;
    (*rounds)[i].baseline.push_back(*samples[0]);
    (*rounds)[i].candidate.push_back(*samples[i]);
  }
  return absl::OkStatus();
}

absl::Status Series::RunBlocks(std::vector<Round>* rounds) {
  constexpr int kFewestBlocks = 3;
  const int wanted = std::max(kFewestBlocks, (options_.min_blocks + 1) / 2);
  for (int block = 0; block < wanted; ++block) {
    if (block >= kFewestBlocks && OutOfTime()) break;
    QUERN_RETURN_IF_ERROR(RunBlock(rounds));
  }
  QUERN_RETURN_IF_ERROR(SpotCheck());
  return options_.cold ? RunCold() : absl::OkStatus();
}

absl::Status Series::SpotCheck() {
  for (const std::unique_ptr<Trial>& trial : trials_) {
    if (trial != nullptr) QUERN_RETURN_IF_ERROR(trial->SpotCheck());
  }
  return DropFailed();
}

absl::Status Series::RunCold() {
  constexpr int kSamples = 5;
  for (int sample = 0; sample < kSamples; ++sample) {
    for (size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i] == nullptr) continue;
      const std::optional<double> ns = trials_[i]->ColdSample();
      if (!ns) continue;
      (i == 0 ? result_.baseline_cold_ns : result_.showings[i - 1].cold_ns).push_back(*ns);
    }
    QUERN_RETURN_IF_ERROR(DropFailed());
  }
  return absl::OkStatus();
}

absl::StatusOr<double> Series::Calibrate() {
  const std::optional<double> ns = trials_[0]->Calibrate();
  QUERN_RETURN_IF_ERROR(DropFailed());
  return *ns;
}

bool Series::Done() const {
  if (OutOfTime() || blocks_ >= options_.max_blocks) return true;
  constexpr double kHopeless = 0.95;
  bool precise = blocks_ >= options_.min_blocks;
  bool hopeless = blocks_ > 0;
  bool any = false;
  for (size_t i = 1; i < trials_.size(); ++i) {
    if (trials_[i] == nullptr) continue;
    Interval speedup;
    Decide(result_.showings[i - 1].rounds, &speedup);
    any = true;
    precise = precise && RelativeHalfWidth(speedup) <= options_.target_half_width;
    hopeless = hopeless && speedup.high < kHopeless;
  }
  return !any || precise || hopeless;
}

absl::StatusOr<SeriesResult> Series::Run() {
  constexpr double kSteady = 0.02;
  constexpr int kDiscards = 2;
  int discarded = 0;
  for (uint32_t round = 0; round == 0 || !Done(); ++round) {
    QUERN_RETURN_IF_ERROR(StartTrials(round));
    std::vector<Round> rounds(trials_.size());
    QUERN_ASSIGN_OR_RETURN(const double before, Calibrate());
    QUERN_RETURN_IF_ERROR(RunBlocks(&rounds));
    QUERN_ASSIGN_OR_RETURN(const double after, Calibrate());
    if (std::fabs(after / before - 1) > kSteady) {
      if (++discarded <= kDiscards && !OutOfTime()) continue;
      result_.disturbed = true;
    }
    blocks_ += static_cast<int>(rounds[0].baseline.size());
    result_.baseline_ns.insert(result_.baseline_ns.end(), rounds[0].baseline.begin(),
                               rounds[0].baseline.end());
    for (size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i] != nullptr) result_.disturbed = result_.disturbed || trials_[i]->disturbed();
      if (i > 0 && !rounds[i].candidate.empty()) {
        result_.showings[i - 1].rounds.push_back(std::move(rounds[i]));
      }
    }
  }
  return std::move(result_);
}

absl::StatusOr<SeriesResult> RunSeries(const Artifact& baseline,
                                       const std::vector<const Artifact*>& contestants,
                                       const TestData& data, const Environment& environment,
                                       uint64_t seed) {
  return Series(baseline, contestants, data, environment, seed).Run();
}

}  // namespace quern::workers
