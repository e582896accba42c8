// The measuring protocol on this machine's CPU.
#ifndef QUERN_WORKERS_MEASURER_H_
#define QUERN_WORKERS_MEASURER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "bundle/measurement.h"
#include "bundle/tensor.h"
#include "workers/comparison.h"
#include "workers/devices/cpu.h"
#include "workers/inputs.h"
#include "workers/series.h"
#include "workers/signature.h"
#include "workers/statistics.h"
#include "workers/trial.h"

namespace quern::workers {

struct RaceResult {
  Outcome outcome = Outcome::kFailed;
  std::string failure_kind;  // of kFailed: Failure::kind() and its message
  std::string message;
  Measurement candidate;  // its speedup is against the incumbent
  Measurement incumbent;
};

// Times artifacts of one signature in runner processes. Statuses are about the environment; what a
// candidate does wrong is in the results. For use by one thread; nothing else should run on the
// last `threads` of the usable CPUs, which the runners are pinned to.
class Measurer {
 public:
  // kInvalidArgument for more threads than usable CPUs; kNotFound without quern-runner.
  static absl::StatusOr<std::unique_ptr<Measurer>> Create(Signature signature,
                                                          MeasureOptions options);

  using Reference = std::function<absl::StatusOr<std::vector<Tensor>>(const std::vector<Tensor>&)>;
  // Calls `reference`, an interpreter or a trusted artifact through Run, on some sets of inputs.
  // Needed before anything is timed.
  absl::Status SetReference(const Reference& reference, Tolerance tolerance);

  // One run in a runner. kAborted (kDeadlineExceeded for a time-out) if the artifact fails.
  absl::StatusOr<std::vector<Tensor>> Run(const Artifact& artifact,
                                          const std::vector<Tensor>& inputs);

  // Checks the candidate and times a few batches; kFaster or kSlower than `give_up_above_ns` (may
  // be infinite), stopping as soon as it is surely slower.
  absl::StatusOr<RaceResult> Screen(const Artifact& candidate, double give_up_above_ns);

  // Interleaved blocks of both in random order. kFaster needs an interval above 1. kInternal if the
  // incumbent fails.
  absl::StatusOr<RaceResult> Race(const Artifact& incumbent, const Artifact& candidate);

  // The same of all finalists at once, each against the baseline, in the time of half as many
  // races; results in the order given. Stop compiling and proving before.
  absl::StatusOr<std::vector<RaceResult>> Finalists(const Artifact& baseline,
                                                    const std::string& baseline_name,
                                                    const std::vector<const Artifact*>& finalists);

  const Cpu& cpu() const { return environment_.cpu; }
  // The i-th set of inputs that artifacts are checked on. Requires SetReference.
  const std::vector<Tensor>& inputs(int set) const { return data_.inputs[set]; }

 private:
  Measurer(Signature signature, MeasureOptions options);
  Measurement Blank(const Artifact& artifact) const;
  double RooflineNs() const;
  absl::StatusOr<std::vector<RaceResult>> RaceAll(const Artifact& baseline,
                                                  const std::string& baseline_name,
                                                  const std::vector<const Artifact*>& contestants);
  absl::Status CheckReady(const Artifact& artifact) const;

  Signature signature_;
  Environment environment_;
  TestData data_;
  double roofline_ns_ = 0;
  uint64_t series_ = 0;  // how many were run
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_MEASURER_H_
