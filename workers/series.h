// Several artifacts timed in the same minutes.
#ifndef QUERN_WORKERS_SERIES_H_
#define QUERN_WORKERS_SERIES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "workers/devices/cpu.h"
#include "workers/inputs.h"
#include "workers/statistics.h"
#include "workers/trial.h"

namespace quern::workers {

struct MeasureOptions {
  int threads = 1;
  uint64_t seed = 0;
  double min_batch_ms = 1;
  int min_blocks = 20;
  int max_blocks = 200;
  double max_seconds = 5;       // of one race; passed only to finish a third block
  double max_run_seconds = 60;  // of a run about whose speed nothing is known
  // Of the interval, relative; enough to stop. Between candidates of a search, 0.02 saves much
  // time.
  double target_half_width = 0.005;
  bool cold = false;  // also with the caches evicted
  double timeout_factor = 3;
  std::vector<InputRange> ranges;  // of the arguments; empty: the defaults
  double flops = 0;                // of the spec, for the roofline
};

struct Environment {
  MeasureOptions options;
  Cpu cpu;
  double tsc_hz = 0;
};

// What became of one contestant.
struct Showing {
  Failure failure;
  std::vector<Round> rounds;  // pairs with the baseline's samples of the same blocks
  std::vector<double> cold_ns;
};

struct SeriesResult {
  std::vector<Showing> showings;    // in the order of the contestants
  std::vector<double> baseline_ns;  // every warm sample
  std::vector<double> baseline_cold_ns;
  bool disturbed = false;
};

// Times `contestants` against `baseline` in blocks: one batch of each, in random order. Rounds of
// blocks run in fresh processes with tensors at other places. A round in which the core's speed
// moved by more than 2 % is discarded, a few times. A contestant that fails drops out; if the
// baseline does, kInternal. Ends at the wanted precision, or after max_blocks or max_seconds.
absl::StatusOr<SeriesResult> RunSeries(const Artifact& baseline,
                                       const std::vector<const Artifact*>& contestants,
                                       const TestData& data, const Environment& environment,
                                       uint64_t seed);

// The options of a trial in this environment; the runners are pinned to the last usable CPUs.
TrialOptions TrialOptionsFor(const Environment& environment, uint64_t seed, uint32_t placement);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_SERIES_H_
