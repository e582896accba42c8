#include "verifier/symbolic/places.h"

#include <algorithm>
#include <random>
#include <set>

#include "gtest/gtest.h"
#include "verifier/solver/cvc5_process.h"
#include "verifier/symbolic/integers.h"
#include "verifier/symbolic/points.h"

namespace quern::verifier {
namespace {

int64_t FloorOf(int64_t a, int64_t c) { return a >= 0 ? a / c : -((-a + c - 1) / c); }

class PlacesTest : public testing::Test {
 protected:
  AffineTable affine_;
  SymbolId x_ = affine_.AddSymbol("x", {0, 6});
  SymbolId y_ = affine_.AddSymbol("y", {-2, 3});
  Cvc5Process solver_{{.seconds = 10}};
  Oracle oracle_{&solver_,
                 {.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5)}};

  Affine Form(int64_t a, int64_t b, int64_t c) {
    const Affine form =
        *affine_.Add(*affine_.Scale(affine_.Symbol(x_), a), *affine_.Scale(affine_.Symbol(y_), b));
    return *affine_.Add(form, AffineTable::Number(c));
  }
};

// The values of (ax + by + c) / d / e + x, point by point.
TEST_F(PlacesTest, QuotientsHaveTheValuesOfTheirDefinition) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int64_t> number(-30, 30);
  int symbols = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int64_t a = number(random), b = number(random), c = number(random);
    const int64_t d = std::abs(number(random)) + 1, e = std::abs(number(random)) + 1;
    const Affine inner = *affine_.Quotient(Form(a, b, c), d);
    const Affine outer = *affine_.Add(*affine_.Quotient(inner, e), affine_.Symbol(x_));
    symbols += affine_.has_quotients(outer.linear) ? 1 : 0;
    std::multiset<int64_t> expected;
    for (int64_t y = -2; y <= 3; ++y) {
      for (int64_t x = 0; x <= 6; ++x) {
        expected.insert(FloorOf(FloorOf(a * x + b * y + c, d), e) + x);
      }
    }
    // Those of y's values count once that the form does not depend on.
    std::multiset<int64_t> actual;
    Points points(affine_, outer.linear);
    ASSERT_TRUE(points.count().has_value());
    for (int64_t i = 0; i < *points.count(); ++i, points.Next()) {
      for (int64_t j = 0; j < 42 / *points.count(); ++j) {
        actual.insert(points.value() + outer.constant);
      }
    }
    ASSERT_EQ(actual, expected) << a << "x + " << b << "y + " << c << " / " << d << " / " << e;
    const Interval bounds = *affine_.Bounds(outer);
    EXPECT_LE(bounds.low, *expected.begin());
    EXPECT_GE(bounds.high, *expected.rbegin());
  }
  EXPECT_GT(symbols, 100);
}

TEST_F(PlacesTest, EqualQuotientsAreOne) {
  EXPECT_EQ(affine_.Quotient(Form(6, 0, 5), 4), affine_.Quotient(Form(3, 0, 2), 2));
  EXPECT_EQ(affine_.Quotient(Form(7, 0, 9), 3),
            affine_.Add(*affine_.Quotient(Form(1, 0, 0), 3), Form(2, 0, 3)));
  EXPECT_EQ(affine_.Quotient(*affine_.Quotient(Form(2, 1, 0), 3), 5),
            affine_.Quotient(Form(2, 1, 0), 15));
  // What depends on a symbol through a quotient cannot be rewritten.
  EXPECT_EQ(affine_.Substitute(*affine_.Quotient(Form(1, 0, 0), 3), x_, Form(0, 0, 1)),
            std::nullopt);
}

TEST_F(PlacesTest, TheOracleAgreesWithEnumeration) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int64_t> number(-9, 9);
  Integers integers(&affine_);
  integers.UseOracle(&oracle_);
  int inside = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int64_t c = std::abs(number(random)) + 2;
    const Affine form = Form(number(random), number(random), number(random));
    const std::optional<AffineTable::Division> division = integers.Divide(form, c);
    ASSERT_TRUE(division.has_value());
    EXPECT_TRUE(integers.Within(division->remainder, {0, c - 1}, "index"));
    const Affine mixed = *affine_.Add(division->remainder, division->quotient);
    int64_t low = INT64_MAX, high = INT64_MIN;
    Points points(affine_, mixed.linear);
    for (int64_t i = 0; i < *points.count(); ++i, points.Next()) {
      low = std::min(low, points.value() + mixed.constant);
      high = std::max(high, points.value() + mixed.constant);
    }
    EXPECT_TRUE(integers.Within(mixed, {low, high}, "index"));
    EXPECT_FALSE(integers.Within(mixed, {low + 1, high}, "index"));
    EXPECT_FALSE(integers.Within(mixed, {low, high - 1}, "index"));
    inside += affine_.has_quotients(mixed.linear) ? 1 : 0;
  }
  EXPECT_GT(inside, 20);
  EXPECT_EQ(oracle_.silence(), "");
}

TEST_F(PlacesTest, DisjointAgreesWithEnumeration) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> number(-12, 12);
  int disjoint = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Places> places;
    for (int i = 0; i < 2; ++i) {
      const Affine form = Form(number(random) * 4, trial % 2 == 0 ? 0 : number(random) * 24, 0);
      places.push_back({.linear = form.linear,
                        .first = number(random) * 30,
                        .bytes = 4,
                        .step = number(random),
                        .count = std::abs(number(random)) % 3 + 1});
    }
    std::set<int64_t> bytes;
    bool apart = true;
    for (const Places& set : places) {
      Points points(affine_, set.linear);
      for (int64_t i = 0; i < *points.count(); ++i, points.Next()) {
        for (int64_t k = 0; k < set.count; ++k) {
          for (int64_t byte = 0; byte < set.bytes; ++byte) {
            apart &= bytes.insert(points.value() + set.first + set.step * k + byte).second;
          }
        }
      }
    }
    EXPECT_EQ(Disjoint(affine_, &oracle_, {}, places), apart);
    disjoint += apart ? 1 : 0;
  }
  EXPECT_GT(disjoint, 5);
}

TEST_F(PlacesTest, PlacesInARowAreOneSet) {
  std::vector<Places> places;
  for (int64_t at : {0, 4, 8, 12, 20, 28})
    AddPlace({.linear = 0, .first = at, .bytes = 4}, &places);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].count, 4);
  EXPECT_EQ(places[1].first, 20);
  EXPECT_EQ(places[1].step, 8);
}

}  // namespace
}  // namespace quern::verifier
