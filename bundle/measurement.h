// What a device did with an artifact.
#ifndef QUERN_BUNDLE_MEASUREMENT_H_
#define QUERN_BUNDLE_MEASUREMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace quern {

// A quantity with the bounds of its 95 % confidence interval.
struct Interval {
  double median = 0;
  double low = 0;
  double high = 0;
};

struct Measurement {
  std::string machine;  // fingerprint: CPU model, caches, kernel
  int threads = 1;
  uint64_t seed = 0;            // of the inputs
  std::string binary_sha256;    // what ran
  std::vector<double> warm_ns;  // one sample per block: nanoseconds of one run, inputs in cache
  std::vector<double> cold_ns;  // likewise with the caches evicted; may be empty
  Interval warm;                // of warm_ns
  // Ratio of the baseline's time to this artifact's, from blocks interleaved in the same run (> 1:
  // this one is faster), and the baseline's name ("naive", ...). Empty name: none.
  std::string baseline;
  Interval speedup;
  bool disturbed = false;  // the machine was busy or changed its speed; times are kept all the same
  double roofline_ns =
      0;  // what no program that does all of the spec's work can beat; 0 if unknown
};

// JSON, keys sorted; parsing is strict: kInvalidArgument that names the offending key.
std::string ToJson(const Measurement& measurement);
absl::StatusOr<Measurement> ParseMeasurement(std::string_view json);
std::string ToJson(const std::vector<Measurement>& measurements);
absl::StatusOr<std::vector<Measurement>> ParseMeasurements(std::string_view json);

// Median and a distribution-free 95 % interval of it (order statistics, binomial; needs >= 6
// samples, else the extremes). O(n log n).
Interval MedianInterval(std::vector<double> samples);

}  // namespace quern

#endif  // QUERN_BUNDLE_MEASUREMENT_H_
