#include "bundle/measurement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bundle/json_view.h"
#include "bundle/status.h"

namespace quern {

static nlohmann::json JsonOf(const Interval& interval) {
  return {{"median", JsonNumber(interval.median)},
          {"low", JsonNumber(interval.low)},
          {"high", JsonNumber(interval.high)}};
}

static nlohmann::json JsonOf(const std::vector<double>& values) {
  nlohmann::json array = nlohmann::json::array();
  for (double value : values) array.push_back(JsonNumber(value));
  return array;
}

static nlohmann::json JsonOf(const Measurement& m) {
  return {{"machine", m.machine},
          {"threads", m.threads},
          {"seed", m.seed},
          {"binary_sha256", m.binary_sha256},
          {"warm_ns", JsonOf(m.warm_ns)},
          {"cold_ns", JsonOf(m.cold_ns)},
          {"warm", JsonOf(m.warm)},
          {"baseline", m.baseline},
          {"speedup", JsonOf(m.speedup)},
          {"disturbed", m.disturbed},
          {"roofline_ns", JsonNumber(m.roofline_ns)}};
}

std::string ToJson(const Measurement& measurement) { return JsonText(JsonOf(measurement)); }

std::string ToJson(const std::vector<Measurement>& measurements) {
  nlohmann::json array = nlohmann::json::array();
  for (const Measurement& measurement : measurements) array.push_back(JsonOf(measurement));
  return JsonText(array);
}

static std::vector<double> ParseTimes(const JsonView& view) {
  std::vector<double> times;
  for (const JsonView& item : view.Items()) times.push_back(item.NonNegative());
  return times;
}

static Interval ParseInterval(const JsonView& view) {
  view.ExpectKeys({"median", "low", "high"});
  return {.median = view["median"].NonNegative(),
          .low = view["low"].NonNegative(),
          .high = view["high"].NonNegative()};
}

static Measurement Parse(const JsonView& view) {
  view.ExpectKeys({"machine", "threads", "seed", "binary_sha256", "warm_ns", "cold_ns", "warm",
                   "baseline", "speedup", "disturbed", "roofline_ns"});
  return {.machine = view["machine"].String(),
          .threads = view["threads"].Int(1),
          .seed = view["seed"].Unsigned(),
          .binary_sha256 = view["binary_sha256"].String(),
          .warm_ns = ParseTimes(view["warm_ns"]),
          .cold_ns = ParseTimes(view["cold_ns"]),
          .warm = ParseInterval(view["warm"]),
          .baseline = view["baseline"].String(),
          .speedup = ParseInterval(view["speedup"]),
          .disturbed = view["disturbed"].Bool(),
          .roofline_ns = view["roofline_ns"].NonNegative()};
}

absl::StatusOr<Measurement> ParseMeasurement(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "measurement"));
  absl::Status status;
  Measurement measurement = Parse(JsonView(&json, "measurement:", &status));
  QUERN_RETURN_IF_ERROR(status);
  return measurement;
}

absl::StatusOr<std::vector<Measurement>> ParseMeasurements(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "measurements"));
  absl::Status status;
  std::vector<Measurement> measurements;
  for (const JsonView& item : JsonView(&json, "measurements:", &status).Items()) {
    measurements.push_back(Parse(item));
  }
  QUERN_RETURN_IF_ERROR(status);
  return measurements;
}

Interval MedianInterval(std::vector<double> samples) {
  if (samples.empty()) return {};
  for (double sample : samples) {
    if (std::isnan(sample)) return {.median = sample, .low = sample, .high = sample};
  }
  std::sort(samples.begin(), samples.end());
  const int64_t n = static_cast<int64_t>(samples.size());
  auto at = [&](int64_t i) { return samples[std::clamp<int64_t>(i, 0, n - 1)]; };
  const double median = n % 2 == 1 ? at(n / 2) : std::midpoint(at(n / 2 - 1), at(n / 2));
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
