#include "codegen/linear_form.h"

#include <random>

#include "gtest/gtest.h"

namespace quern::codegen {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

int64_t Evaluate(const LinearForm& form, const std::vector<int64_t>& counters) {
  int64_t sum = form.constant();
  for (const auto& [term, coefficient] : form.terms()) {
    sum += coefficient * (term.quotient ? FloorDivide(Evaluate(term.quotient->dividend, counters),
                                                      term.quotient->divisor)
                                        : counters[term.counter]);
  }
  return sum;
}

const LinearForm kI = LinearForm::Counter(0), kJ = LinearForm::Counter(1);

TEST(LinearFormTest, DividesATiledCounterExactly) {
  const Ranges ranges = {{0, 31}, {0, 15}};
  const LinearForm tiled = kI.Times(16).Plus(kJ);
  EXPECT_EQ(tiled.FloorDiv(16, ranges), kI);
  EXPECT_EQ(tiled.Mod(16, ranges), kJ);
  EXPECT_EQ(tiled.FloorDiv(4, ranges), kI.Times(4).Plus(kJ.FloorDiv(4, ranges)));
}

TEST(LinearFormTest, PutsTheDigitsOfACounterTogether) {
  const Ranges ranges = {{0, 99}, {0, 15}};
  EXPECT_EQ(kI.FloorDiv(16, ranges).Times(16).Plus(kI.Mod(16, ranges)), kI);
  EXPECT_EQ(kI.Mod(16, ranges).FloorDiv(16, ranges), LinearForm::Constant(0));
  EXPECT_EQ(kI.FloorDiv(4, ranges).FloorDiv(5, ranges), kI.FloorDiv(20, ranges));
}

TEST(LinearFormTest, KnowsTheStrideAndAlignment) {
  const Ranges ranges = {{0, 31}, {0, 15}};
  const LinearForm form = kI.Times(48).Plus(kJ).Plus(LinearForm::Constant(8));
  EXPECT_EQ(form.Stride(1), 1);
  EXPECT_EQ(form.Stride(2), 0);
  EXPECT_EQ(form.Without(1).PowerOfTwo(64), 8);
  EXPECT_EQ(kJ.FloorDiv(3, ranges).Stride(1), std::nullopt);
  EXPECT_TRUE(kJ.FloorDiv(3, ranges).DependsOn(1));
  EXPECT_EQ(kJ.FloorDiv(3, ranges).At(1, 7, ranges), LinearForm::Constant(2));
}

// Every operation agrees with arithmetic on numbers, and ranges hold, for random expressions.
TEST(LinearFormTest, AgreesWithArithmetic) {
  std::mt19937_64 random(1);
  const Ranges ranges = {{0, 6}, {0, 4}, {0, 1}};
  auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> at;
    for (const Range& range : ranges) at.push_back(number(range.low, range.high));
    LinearForm form = LinearForm::Counter(number(0, 2));
    int64_t value = at[form.terms()[0].first.counter];
    for (int step = 0; step < 6; ++step) {
      const int64_t n = number(1, 12);
      const int counter = static_cast<int>(number(0, 2));
      switch (number(0, 4)) {
        case 0:
          form = form.Plus(LinearForm::Counter(counter));
          value += at[counter];
          break;
        case 1:
          form = form.Plus(LinearForm::Constant(n - 6));
          value += n - 6;
          break;
        case 2:
          form = form.Times(n % 5 - 2);
          value *= n % 5 - 2;
          break;
        case 3:
          form = form.FloorDiv(n, ranges);
          value = FloorDivide(value, n);
          break;
        case 4:
          form = form.Mod(n, ranges);
          value -= n * FloorDivide(value, n);
          break;
      }
      ASSERT_EQ(Evaluate(form, at), value);
      std::optional<Range> range = form.RangeOf(ranges);
      ASSERT_TRUE(range);
      ASSERT_LE(range->low, value);
      ASSERT_GE(range->high, value);
      ASSERT_EQ(value % form.PowerOfTwo(64), 0);
      const LinearForm fixed = form.At(counter, at[counter], ranges);
      ASSERT_FALSE(fixed.DependsOn(counter));
      ASSERT_EQ(Evaluate(fixed, at), value);
    }
  }
}

TEST(LinearFormTest, HasNoRangeBeyondItsBound) {
  const Ranges ranges = {{0, int64_t{1} << 40}};
  EXPECT_EQ(kI.Times(int64_t{1} << 30).RangeOf(ranges), std::nullopt);
}

}  // namespace
}  // namespace quern::codegen
