#include "bundle/measurement.h"

#include <algorithm>
#include <cmath>

#include "bundle/json_reader.h"
#include "bundle/status.h"

namespace quern {

static nlohmann::json JsonOf(const Interval& interval) {
  return {{"median", JsonOf(interval.median)},
          {"low", JsonOf(interval.low)},
          {"high", JsonOf(interval.high)}};
}

static nlohmann::json JsonOf(const std::vector<double>& values) {
  nlohmann::json array = nlohmann::json::array();
  for (double value : values) array.push_back(JsonOf(value));
  return array;
}

std::string ToJson(const Measurement& m) {
  return nlohmann::json({{"machine", m.machine},
                         {"threads", m.threads},
                         {"seed", m.seed},
                         {"binary_sha256", m.binary_sha256},
                         {"warm_ns", JsonOf(m.warm_ns)},
                         {"cold_ns", JsonOf(m.cold_ns)},
                         {"warm", JsonOf(m.warm)},
                         {"baseline", m.baseline},
                         {"speedup", JsonOf(m.speedup)}})
      .dump();
}

static Interval ParseInterval(JsonReader& parent, const char* key) {
  JsonReader reader(parent.Object(key), key);
  Interval interval{.median = reader.Double("median"),
                    .low = reader.Double("low"),
                    .high = reader.Double("high")};
  parent.Merge(reader.Finish());
  return interval;
}

absl::StatusOr<Measurement> ParseMeasurement(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "measurement"));
  JsonReader reader(json, "measurement");
  Measurement m;
  m.machine = reader.String("machine");
  m.threads = static_cast<int>(reader.Integer("threads", 1, 1 << 16));
  m.seed = reader.Unsigned("seed");
  m.binary_sha256 = reader.String("binary_sha256");
  m.warm_ns = reader.Doubles("warm_ns");
  m.cold_ns = reader.Doubles("cold_ns");
  m.warm = ParseInterval(reader, "warm");
  m.baseline = reader.String("baseline");
  m.speedup = ParseInterval(reader, "speedup");
  QUERN_RETURN_IF_ERROR(reader.Finish());
  return m;
}

Interval MedianInterval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const int64_t n = static_cast<int64_t>(samples.size());
  auto at = [&](int64_t i) { return samples[std::clamp<int64_t>(i, 0, n - 1)]; };
  const double median = n % 2 == 1 ? at(n / 2) : (at(n / 2 - 1) + at(n / 2)) / 2;
  // The largest r with P(Binomial(n, 1/2) < r) <= 0.025: samples r-1 and n-r bound the median.
  int64_t rank = 0;
  double below = 0;
  while (rank < n / 2) {
    below += std::exp(std::lgamma(n + 1.0) - std::lgamma(rank + 1.0) - std::lgamma(n - rank + 1.0) -
                      static_cast<double>(n) * std::log(2.0));
    if (below > 0.025) break;
    ++rank;
  }
  if (rank == 0) return {.median = median, .low = samples.front(), .high = samples.back()};
  return {.median = median, .low = at(rank - 1), .high = at(n - rank)};
}

}  // namespace quern
