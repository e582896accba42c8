// One artifact in one runner, checked and ready to be timed.
#ifndef QUERN_WORKERS_TRIAL_H_
#define QUERN_WORKERS_TRIAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "workers/comparison.h"
#include "workers/runner_process.h"

namespace quern::workers {

// Sets of inputs, and what the outputs should be. At least three, so that there are fresh ones.
struct TestData {
  std::vector<std::vector<Tensor>> inputs;
  std::vector<std::vector<Tensor>> outputs;
  Tolerance tolerance;
};

struct TrialOptions {
  RunnerOptions runner;
  double min_batch_ms = 1;
  double timeout_factor = 3;  // of the expected time; never below a second
  double tsc_hz = 0;          // 0: do not compare the runner's two clocks
  uint64_t seed = 0;
};

// Two sets of inputs alternate within each batch, and a random one of them is the last: outputs
// that were not computed by the last run are wrong. A candidate's failure is kept, as in
// RunnerProcess.
class Trial {
 public:
  // Runs the artifact twice on the same inputs with outputs and workspace poisoned differently,
  // compares bit for bit, then with what they should be, also on other inputs unless it is slow.
  // `data` must outlive the trial. A status is about the environment.
  static absl::StatusOr<std::unique_ptr<Trial>> Start(const Artifact& artifact,
                                                      const TestData& data,
                                                      const TrialOptions& options,
                                                      double first_run_seconds);

  const Failure& failure() const { return process_->failure(); }
  // Of one run, in ns, from what was seen so far.
  double expected_ns() const { return expected_ns_; }
  // A time was kept although other work interrupted the runs.
  bool disturbed() const { return disturbed_; }

  // The time of one run in ns, from a batch of at least min_batch_ms. A batch is discarded, and
  // repeated some times, if the runner's clock disagrees with this process's or it was interrupted.
  // Some elements of the outputs are compared each time.
  std::optional<double> Sample();
  // One run with the caches evicted.
  std::optional<double> ColdSample();
  // A batch like any other, with other inputs in both sets and poisoned outputs, all of which are
  // compared.
  absl::Status SpotCheck();
  // The time of a fixed amount of arithmetic on the same core, in ns.
  std::optional<double> Calibrate();

 private:
  Trial(const TestData& data, const TrialOptions& options)
      : data_(data), options_(options), random_(options.seed) {}
  absl::Status Check(double first_run_seconds);
  void LoadFreshInputs();
  // Poisons, prepares and runs; afterwards *outputs is a copy of the results. Ok with a failure,
  // too.
  absl::Status RunOnPoison(uint32_t poison, int64_t runs, int first_set, double timeout_seconds,
                           std::vector<Tensor>* outputs);
  void CompareAll(const std::vector<Tensor>& outputs, int set);
  void CompareSome(int set);
  bool TrustClock(const Batch& batch) const;
  double TimeoutFor(int64_t runs) const;
  void Expect(double ns);
  int64_t Below(int64_t limit) { return static_cast<int64_t>(random_() % limit); }

  const TestData& data_;
  TrialOptions options_;
  std::mt19937_64 random_;
  std::unique_ptr<RunnerProcess> process_;
  int loaded_[2] = {-1, -1};  // which of the test data's sets each of the runner's holds
  int64_t channel_ns_ = 0;
  int64_t count_ = 1;  // runs of a batch
  double expected_ns_ = 0;
  bool disturbed_ = false;
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_TRIAL_H_
