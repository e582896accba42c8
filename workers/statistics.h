// What a race's samples say. Pure functions.
#ifndef QUERN_WORKERS_STATISTICS_H_
#define QUERN_WORKERS_STATISTICS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/measurement.h"

namespace quern::workers {

enum class Outcome { kFaster, kSlower, kSame, kFailed };
std::string Name(Outcome outcome);  // "faster", ...

// The ratio baseline / candidate of paired samples, all positive: the Hodges-Lehmann estimate on
// logarithms, with the 95 % interval that belongs to Wilcoxon's signed-rank test (normal
// approximation). Below 6 pairs no test reaches 95 %: the interval is then the extremes, widened by
// a tenth. {0, 0, 0} without pairs. O(n² log n).
Interval PairedRatio(const std::vector<double>& baseline, const std::vector<double>& candidate);

// One process's share of the pairs.
struct Round {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// kFaster only if the interval of all pairs lies above 1 and so do the estimates of three rounds in
// four (of both, if there are two), as what one process is lucky with (pages, alignment) is no
// property of the code; kSlower likewise; kSame otherwise. `speedup` receives the interval.
Outcome Decide(const std::vector<Round>& rounds, Interval* speedup);

// Half the interval's width relative to its median; infinite if the median is 0.
double RelativeHalfWidth(const Interval& interval);

// Whether a runner's time for a batch fits the parent's: never above it, and below it by no more
// than 2 % plus what the channel costs.
bool ClocksAgree(int64_t claimed_ns, int64_t elapsed_ns, int64_t channel_ns);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_STATISTICS_H_
