#include "workers/statistics.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace quern::workers {
namespace {

// Pairs of times around 1000 ns whose true ratio is `ratio`, with noise and rare outliers that hit
// both sides alike.
Round Synthetic(double ratio, int pairs, uint64_t seed, double noise = 0.01) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::uniform_real_distribution<double> unit(0, 1);
  Round round;
  for (int i = 0; i < pairs; ++i) {
    const double drift = 1 + 0.2 * std::sin(i * 0.3);  // common to the pair
    auto outlier = [&] { return unit(random) < 0.05 ? 3.0 : 1.0; };
    round.baseline.push_back(1000 * drift * ratio * std::exp(normal(random)) * outlier());
    round.candidate.push_back(1000 * drift * std::exp(normal(random)) * outlier());
  }
  return round;
}

TEST(PairedRatio, ContainsTheTruthAboutAsOftenAsItSays) {
  int inside = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Round round = Synthetic(1.1, 20, trial);
    const Interval ratio = PairedRatio(round.baseline, round.candidate);
    EXPECT_LE(ratio.low, ratio.median);
    EXPECT_LE(ratio.median, ratio.high);
    inside += ratio.low <= 1.1 && 1.1 <= ratio.high;
  }
  EXPECT_GE(inside, kTrials * 92 / 100);
  EXPECT_LE(inside, kTrials * 98 / 100);
}

TEST(PairedRatio, IsExactWithoutNoise) {
  const Interval ratio = PairedRatio(std::vector<double>(20, 3), std::vector<double>(20, 2));
  EXPECT_DOUBLE_EQ(ratio.low, 1.5);
  EXPECT_DOUBLE_EQ(ratio.median, 1.5);
  EXPECT_DOUBLE_EQ(ratio.high, 1.5);
}

TEST(PairedRatio, SmallestSamples) {
  EXPECT_EQ(PairedRatio({}, {}).median, 0);
  const Interval one = PairedRatio({2}, {1});
  EXPECT_DOUBLE_EQ(one.median, 2);
  EXPECT_LT(one.low, 1.9);
  EXPECT_GT(one.high, 2.1);
  // The extremes of six pairs: P(all on one side) = 2/64 < 5 %.
  const Interval six = PairedRatio({1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1});
  EXPECT_NEAR(six.low, 1, 1e-9);
  EXPECT_NEAR(six.high, 6, 1e-9);
}

TEST(Decide, FasterSlowerAndSame) {
  Interval speedup;
  EXPECT_EQ(Decide({Synthetic(1.3, 10, 1), Synthetic(1.3, 10, 2)}, &speedup), Outcome::kFaster);
  EXPECT_NEAR(speedup.median, 1.3, 0.03);
  EXPECT_EQ(Decide({Synthetic(1 / 1.3, 10, 3), Synthetic(1 / 1.3, 10, 4)}, &speedup),
            Outcome::kSlower);
  EXPECT_EQ(Decide({}, &speedup), Outcome::kSame);
}

TEST(Decide, SmallGainsAreSeenWithEnoughPairs) {
  Interval speedup;
  EXPECT_EQ(Decide({Synthetic(1.01, 100, 5), Synthetic(1.01, 100, 6)}, &speedup), Outcome::kFaster);
}

TEST(Decide, EqualCodeSeldomWins) {
  int decided = 0;
  constexpr int kTrials = 400;
  for (uint64_t trial = 0; trial < kTrials; ++trial) {
    Interval speedup;
    const Outcome outcome =
        Decide({Synthetic(1, 10, 2 * trial), Synthetic(1, 10, 2 * trial + 1)}, &speedup);
    decided += outcome != Outcome::kSame;
  }
  EXPECT_LE(decided, kTrials * 7 / 100);
}

TEST(Decide, OneLuckyProcessIsNotEnough) {
  Interval speedup;
  const Outcome outcome = Decide({Synthetic(1.2, 20, 7), Synthetic(0.99, 10, 8, 0.001)}, &speedup);
  EXPECT_GT(speedup.low, 1);
  EXPECT_EQ(outcome, Outcome::kSame);
}

TEST(Decide, OneUnluckyProcessOfManyDoesNotHideAGain) {
  std::vector<Round> rounds;
  rounds.reserve(8);
  for (int i = 0; i < 7; ++i) rounds.push_back(Synthetic(1.05, 10, 10 + i, 0.005));
  rounds.push_back(Synthetic(0.99, 10, 20, 0.005));
  Interval speedup;
  EXPECT_EQ(Decide(rounds, &speedup), Outcome::kFaster);
}

TEST(ClocksAgree, BoundsTheClaim) {
  constexpr int64_t kMs = 1'000'000;
  EXPECT_TRUE(ClocksAgree(100 * kMs, 101 * kMs, 0));
  EXPECT_FALSE(ClocksAgree(100 * kMs, 103 * kMs, 0));
  EXPECT_TRUE(ClocksAgree(kMs, kMs + 60'000, 50'000));  // 2 % and the channel
  EXPECT_FALSE(ClocksAgree(kMs, kMs + 80'000, 50'000));
  EXPECT_FALSE(ClocksAgree(kMs + 1, kMs, 50'000));  // more than there was
  EXPECT_FALSE(ClocksAgree(0, kMs, 2 * kMs));
  EXPECT_FALSE(ClocksAgree(-5, kMs, 2 * kMs));
}

TEST(RelativeHalfWidth, OfTheMedian) {
  EXPECT_NEAR(RelativeHalfWidth({.median = 2, .low = 1.9, .high = 2.1}), 0.05, 1e-12);
  EXPECT_EQ(RelativeHalfWidth({}), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace quern::workers
