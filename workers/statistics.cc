#include "workers/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace quern::workers {

std::string Name(Outcome outcome) {
  static constexpr const char* kNames[] = {"faster", "slower", "same", "failed"};
  return kNames[static_cast<int>(outcome)];
}

Interval PairedRatio(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  const int64_t n = static_cast<int64_t>(std::min(baseline.size(), candidate.size()));
  if (n == 0) return {};
  std::vector<double> logs;
  logs.reserve(n);
  for (int64_t i = 0; i < n; ++i) logs.push_back(std::log(baseline[i] / candidate[i]));
  std::vector<double> averages;  // Walsh's, of all pairs i <= j
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i; j < n; ++j) averages.push_back(std::midpoint(logs[i], logs[j]));
  }
  std::sort(averages.begin(), averages.end());
  const int64_t count = static_cast<int64_t>(averages.size());
  const double median = std::midpoint(averages[(count - 1) / 2], averages[count / 2]);
  constexpr int64_t kFewest = 6;
  if (n < kFewest) {
    constexpr double kWider = 1.1;
    return {.median = std::exp(median),
            .low = std::exp(averages.front()) / kWider,
            .high = std::exp(averages.back()) * kWider};
  }
  const double pairs = static_cast<double>(n);
  const double mean = pairs * (pairs + 1) / 4;
  const double deviation = std::sqrt(pairs * (pairs + 1) * (2 * pairs + 1) / 24);
  const int64_t rank = std::clamp<int64_t>(
      static_cast<int64_t>(std::floor(mean - 1.96 * deviation - 0.5)), 0, count / 2);
  return {.median = std::exp(median),
          .low = std::exp(averages[rank]),
          .high = std::exp(averages[count - 1 - rank])};
}

Outcome Decide(const std::vector<Round>& rounds, Interval* speedup) {
  Round all;
  size_t faster = 0;
  size_t slower = 0;
  for (const Round& round : rounds) {
    const double ratio = PairedRatio(round.baseline, round.candidate).median;
    faster += ratio > 1 ? 1 : 0;
    slower += ratio < 1 ? 1 : 0;
    all.baseline.insert(all.baseline.end(), round.baseline.begin(), round.baseline.end());
    all.candidate.insert(all.candidate.end(), round.candidate.begin(), round.candidate.end());
  }
  *speedup = PairedRatio(all.baseline, all.candidate);
  if (all.candidate.empty()) return Outcome::kSame;
  const size_t most = (3 * rounds.size() + 3) / 4;
  if (faster >= most && speedup->low > 1) return Outcome::kFaster;
  if (slower >= most && speedup->high < 1) return Outcome::kSlower;
  return Outcome::kSame;
}

double RelativeHalfWidth(const Interval& interval) {
  if (interval.median <= 0) return std::numeric_limits<double>::infinity();
  return (interval.high - interval.low) / (2 * interval.median);
}

bool ClocksAgree(int64_t claimed_ns, int64_t elapsed_ns, int64_t channel_ns) {
  return claimed_ns > 0 && claimed_ns <= elapsed_ns &&
         static_cast<double>(elapsed_ns - claimed_ns) <=
             0.02 * static_cast<double>(elapsed_ns) + static_cast<double>(channel_ns);
}

}  // namespace quern::workers
