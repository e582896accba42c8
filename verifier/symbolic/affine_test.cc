#include "verifier/symbolic/affine.h"

#include <cstdint>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace quern::verifier {
namespace {

class AffineTest : public testing::Test {
 protected:
  AffineTable table_;
  SymbolId x_ = table_.AddSymbol("x", {0, 7});
  SymbolId y_ = table_.AddSymbol("y", {-2, 3});

  Affine Form(int64_t a, int64_t b, int64_t c) {
    return *table_.Add(
        *table_.Add(*table_.Scale(table_.Symbol(x_), a), *table_.Scale(table_.Symbol(y_), b)),
        AffineTable::Number(c));
  }
};

TEST_F(AffineTest, EqualFormsAreEqual) {
  EXPECT_EQ(*table_.Add(Form(2, 0, 1), Form(1, 4, 2)), Form(3, 4, 3));
  EXPECT_EQ(*table_.Subtract(Form(2, 4, 1), Form(2, 4, 9)), AffineTable::Number(-8));
  EXPECT_EQ(*table_.Substitute(Form(2, 4, 1), x_, Form(0, 1, 5)), Form(0, 6, 11));
  EXPECT_EQ(table_.ToString(Form(64, 1, 4)), "64*x + y + 4");
}

TEST_F(AffineTest, BoundsAreAttained) {
  EXPECT_EQ(*table_.Bounds(Form(2, -3, 1)), (Interval{-8, 21}));
  EXPECT_EQ(table_.Bounds(table_.Symbol(table_.Counter(1))), std::nullopt);
  EXPECT_EQ(table_.level_above(table_.Symbol(table_.Counter(1)).linear), 2);
}

TEST_F(AffineTest, OverflowIsSeen) {
  const int64_t big = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(table_.Add(Form(0, 0, big), Form(0, 0, 1)), std::nullopt);
  EXPECT_EQ(table_.Scale(Form(big / 2, 0, 0), 3), std::nullopt);
  EXPECT_EQ(table_.Bounds(Form(big / 2, 0, 0)), std::nullopt);
}

// Wherever a division is affine it is right at every point.
TEST_F(AffineTest, DivisionAgreesWithArithmetic) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> coefficient(-40, 40);
  int affine = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const int64_t a = coefficient(random), b = coefficient(random), c = coefficient(random);
    const int64_t divisor = std::abs(coefficient(random)) + 1;
    const auto division = table_.Divide(Form(a, b, c), divisor);
    if (!division.has_value()) {
      EXPECT_EQ(table_.blocked()->divisor, divisor);
      continue;
    }
    ++affine;
    for (int64_t x = 0; x <= 7; ++x) {
      for (int64_t y = -2; y <= 3; ++y) {
        const auto at = [&](Affine form) {
          form = *table_.Substitute(form, x_, AffineTable::Number(x));
          return table_.Substitute(form, y_, AffineTable::Number(y))->constant;
        };
        const int64_t value = a * x + b * y + c;
        const int64_t remainder = at(division->remainder);
        ASSERT_EQ(at(division->quotient) * divisor + remainder, value);
        ASSERT_TRUE(remainder >= 0 && remainder < divisor);
      }
    }
  }
  EXPECT_GT(affine, 100);
}

TEST_F(AffineTest, DividesByMixedRadix) {
  const auto division = table_.Divide(Form(8, 0, 3), 8);
  EXPECT_EQ(division->quotient, Form(1, 0, 0));
  EXPECT_EQ(division->remainder, AffineTable::Number(3));
  EXPECT_EQ(table_.Divide(Form(-1, 0, 7), 8)->quotient, AffineTable::Number(0));
  EXPECT_EQ(table_.Divide(Form(4, 0, 0), 8), std::nullopt);
}

}  // namespace
}  // namespace quern::verifier
