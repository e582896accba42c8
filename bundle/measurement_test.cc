#include "bundle/measurement.h"

#include <cmath>
#include <limits>
#include <random>

#include "bundle/json_mutants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern {

using testing::HasSubstr;

static Measurement Example() {
  return {.machine = "A CPU, 32 KiB, 1 MiB",
          .threads = 2,
          .seed = std::numeric_limits<uint64_t>::max(),
          .binary_sha256 = std::string(64, 'a'),
          .warm_ns = {1.5, 2.25, 1e9},
          .cold_ns = {3, INFINITY},
          .warm = {.median = 2.25, .low = 1.5, .high = 1e9},
          .baseline = "naive",
          .speedup = {.median = 3, .low = 2.9, .high = 3.1},
          .disturbed = true,
          .roofline_ns = 0.75};
}

TEST(MeasurementTest, RoundTrips) {
  const std::string text = ToJson(Example());
  absl::StatusOr<Measurement> read = ParseMeasurement(text);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(ToJson(*read), text);
  EXPECT_EQ(read->seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(read->cold_ns[1], INFINITY);
  EXPECT_EQ(read->speedup.high, 3.1);
  EXPECT_TRUE(read->disturbed);
  EXPECT_EQ(read->roofline_ns, 0.75);
  EXPECT_TRUE(ParseMeasurement(ToJson(Measurement())).ok());
}

TEST(MeasurementTest, ListsRoundTrip) {
  for (const std::vector<Measurement>& list :
       {std::vector<Measurement>{}, {Example()}, {Example(), Measurement()}}) {
    absl::StatusOr<std::vector<Measurement>> read = ParseMeasurements(ToJson(list));
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    EXPECT_EQ(ToJson(*read), ToJson(list));
  }
}

TEST(MeasurementTest, MalformedTextNamesTheKey) {
  for (const JsonMutant& mutant : JsonMutants(ToJson(Example()))) {
    const absl::Status status = ParseMeasurement(mutant.text).status();
    if (!mutant.wrong && status.ok()) continue;
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mutant.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(mutant.key)) << mutant.text;
  }
}

TEST(MedianIntervalTest, SmallSamplesGiveTheExtremes) {
  EXPECT_EQ(MedianInterval({}).median, 0);
  const Interval one = MedianInterval({7});
  EXPECT_EQ(one.low, 7);
  EXPECT_EQ(one.high, 7);
  const Interval six = MedianInterval({6, 1, 5, 2, 4, 3});
  EXPECT_EQ(six.median, 3.5);
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  EXPECT_TRUE(std::isnan(MedianInterval({1, NAN, 2}).median));
}

// Ranks from a table of the sign test's confidence intervals at 95 %.
TEST(MedianIntervalTest, RanksAreThoseOfTheSignTest) {
  const std::tuple<int, int, int> cases[] = {{8, 1, 8},    {9, 2, 8},    {10, 2, 9},
                                             {15, 4, 12},  {20, 6, 15},  {25, 8, 18},
                                             {30, 10, 21}, {50, 18, 33}, {100, 40, 61}};
  for (const auto& [n, low, high] : cases) {
    std::vector<double> samples(n);
    for (int i = 0; i < n; ++i) samples[i] = i + 1;
    const Interval interval = MedianInterval(samples);
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.high, high) << n;
  }
}

TEST(MedianIntervalTest, CoversTheMedianOftenEnough) {
  std::mt19937 random(3);
  std::exponential_distribution<double> skewed(std::log(2.0));  // median 1
  int covered = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> samples(21);
    for (double& sample : samples) sample = skewed(random);
    const Interval interval = MedianInterval(samples);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GT(covered, 0.94 * kRounds);
}

TEST(MedianIntervalTest, ManySamplesStayFinite) {
  std::vector<double> samples(20001);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<double>(i);
  const Interval interval = MedianInterval(samples);
  EXPECT_EQ(interval.median, 10000);
  EXPECT_NEAR(interval.low, 10000 - 0.98 * std::sqrt(20001.0), 2);
  EXPECT_NEAR(interval.high, 10000 + 0.98 * std::sqrt(20001.0), 2);
}

}  // namespace quern
