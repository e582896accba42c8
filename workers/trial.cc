#include "workers/trial.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "workers/statistics.h"

namespace quern::workers {

static constexpr int kSets = 2;

absl::StatusOr<std::unique_ptr<Trial>> Trial::Start(const Artifact& artifact, const TestData& data,
                                                    const TrialOptions& options,
                                                    double first_run_seconds) {
  std::unique_ptr<Trial> trial(new Trial(data, options));
  RunnerOptions runner = options.runner;
  runner.num_sets = kSets;
  QUERN_ASSIGN_OR_RETURN(trial->process_, RunnerProcess::Start(artifact, runner));
  QUERN_RETURN_IF_ERROR(trial->Check(first_run_seconds));
  return trial;
}

absl::Status Trial::Check(double first_run_seconds) {
  constexpr int64_t kLeast = 50'000;
  constexpr int64_t kMost = 200'000;  // also what a candidate could pretend
  constexpr double kSlowNs = 0.5e9;   // meets other inputs in SpotCheck only
  channel_ns_ = std::clamp(2 * process_->MeasureRoundTrip().value_or(0), kLeast, kMost);
  LoadFreshInputs();
  std::vector<Tensor> first;
  std::vector<Tensor> second;
  QUERN_RETURN_IF_ERROR(RunOnPoison(kPoison, 1, 0, first_run_seconds, &first));
  if (failure().ok()) {
    QUERN_RETURN_IF_ERROR(RunOnPoison(kOtherPoison, 1, 0, first_run_seconds, &second));
  }
  if (!failure().ok()) return absl::OkStatus();
  if (std::optional<std::string> difference = FirstChangedBit(first, second)) {
    process_->Fail(Fault::kNondeterministic,
                   absl::StrCat("two runs on the same inputs differ, or an output is not written: ",
                                *difference));
    return absl::OkStatus();
  }
  CompareAll(second, 0);
  if (!failure().ok() || expected_ns_ > kSlowNs) return absl::OkStatus();
  QUERN_RETURN_IF_ERROR(RunOnPoison(kPoison, 1, 1, first_run_seconds, &second));
  if (failure().ok()) CompareAll(second, 1);
  return absl::OkStatus();
}

void Trial::LoadFreshInputs() {
  const int64_t sets = static_cast<int64_t>(data_.inputs.size());
  const int before[kSets] = {loaded_[0], loaded_[1]};
  do {
    for (int& set : loaded_) set = static_cast<int>(Below(sets));
  } while (loaded_[0] == loaded_[1] || loaded_[0] == before[0] || loaded_[1] == before[1]);
  for (int set = 0; set < kSets; ++set) {
    process_->memory().WriteInputs(set, data_.inputs[loaded_[set]]);
  }
}

absl::Status Trial::RunOnPoison(uint32_t poison, int64_t runs, int first_set,
                                double timeout_seconds, std::vector<Tensor>* outputs) {
  process_->memory().Poison(poison);
  if (!process_->Prepare(first_set, timeout_seconds)) return absl::OkStatus();
  const std::optional<Batch> batch = process_->Run(runs, first_set, timeout_seconds);
  if (!batch) return absl::OkStatus();
  Expect(static_cast<double>(batch->ns) / static_cast<double>(runs));
  QUERN_ASSIGN_OR_RETURN(*outputs, process_->memory().ReadOutputs());
  return absl::OkStatus();
}

void Trial::CompareAll(const std::vector<Tensor>& outputs, int set) {
  const auto difference = FirstDifference(data_.outputs[loaded_[set]], outputs, data_.tolerance);
  if (difference) process_->Fail(Fault::kWrongOutput, *difference);
}

void Trial::CompareSome(int set) {
  constexpr int kElements = 64;
  const std::vector<Tensor>& want = data_.outputs[loaded_[set]];
  for (size_t result = 0; result < want.size(); ++result) {
    const int64_t count = want[result].type().num_elements();
    for (int i = 0; i < kElements && count > 0; ++i) {
      const auto difference = DifferenceAt(result, want[result], process_->memory().output(result),
                                           Below(count), data_.tolerance);
      if (!difference) continue;
      process_->Fail(Fault::kWrongOutput, absl::StrCat("on a timed run: ", *difference));
      return;
    }
  }
}

bool Trial::TrustClock(const Batch& batch) const {
  if (!ClocksAgree(batch.ns, batch.elapsed_ns, channel_ns_)) return false;
  if (options_.tsc_hz <= 0) return true;
  const double ns = static_cast<double>(batch.ns);
  const double by_tsc = static_cast<double>(batch.tsc) / options_.tsc_hz * 1e9;
  return std::fabs(by_tsc - ns) <= 0.02 * ns + static_cast<double>(channel_ns_);
}

double Trial::TimeoutFor(int64_t runs) const {
  constexpr double kFloorSeconds = 1;
  return std::max(kFloorSeconds,
                  options_.timeout_factor * static_cast<double>(runs) * expected_ns_ * 1e-9);
}

// The least time seen so far is the expected one: the first runs are cold.
void Trial::Expect(double ns) {
  ns = std::max(ns, 1.0);
  expected_ns_ = expected_ns_ == 0 ? ns : std::min(expected_ns_, ns);
  count_ = static_cast<int64_t>(std::ceil(options_.min_batch_ms * 1e6 / expected_ns_));
}

std::optional<double> Trial::Sample() {
  constexpr int kTries = 10;
  constexpr int kInterrupted = 3;
  constexpr int64_t kLongestBatchNs = 64'000'000;
  int interrupted = 0;
  int64_t count = count_;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int64_t runs = count + Below(count / 8 + 1);
    const int first = static_cast<int>(Below(kSets));
    const std::optional<Batch> batch = process_->Run(runs, first, TimeoutFor(runs));
    if (!batch) return std::nullopt;
    CompareSome(static_cast<int>((first + runs - 1) % kSets));
    if (!failure().ok()) return std::nullopt;
    if (!TrustClock(*batch)) {
      // What delays this process does not grow with the batch; a wrong clock's difference does.
      if (batch->elapsed_ns < kLongestBatchNs) count *= 2;
      continue;
    }
    if (batch->preemptions > 0 && ++interrupted <= kInterrupted) continue;
    disturbed_ = disturbed_ || batch->preemptions > 0;
    const double ns = static_cast<double>(batch->ns) / static_cast<double>(runs);
    Expect(ns);
    return std::max(ns, 1e-3);
  }
  process_->Fail(Fault::kClock, "its times disagree again and again with the measuring process's");
  return std::nullopt;
}

std::optional<double> Trial::ColdSample() {
  if (!process_->Evict()) return std::nullopt;
  const int set = static_cast<int>(Below(kSets));
  const std::optional<Batch> batch = process_->Run(1, set, TimeoutFor(1));
  if (!batch) return std::nullopt;
  CompareSome(set);
  if (!failure().ok()) return std::nullopt;
  return static_cast<double>(batch->ns);
}

absl::Status Trial::SpotCheck() {
  if (!failure().ok()) return absl::OkStatus();
  LoadFreshInputs();
  const int64_t runs = count_ + Below(count_ / 8 + 1);
  const int first = static_cast<int>(Below(kSets));
  std::vector<Tensor> outputs;
  QUERN_RETURN_IF_ERROR(
      RunOnPoison(Below(2) == 0 ? kPoison : kOtherPoison, runs, first, TimeoutFor(runs), &outputs));
  if (failure().ok()) CompareAll(outputs, static_cast<int>((first + runs - 1) % kSets));
  return absl::OkStatus();
}

std::optional<double> Trial::Calibrate() {
  constexpr int kTimes = 3;
  std::optional<double> best;
  for (int i = 0; i < kTimes; ++i) {
    const std::optional<Batch> batch = process_->Calibrate();
    if (!batch) return std::nullopt;
    best = std::min(best.value_or(1e18), static_cast<double>(batch->ns));
  }
  return best;
}

}  // namespace quern::workers
