#include "verifier/symbolic/solution.h"

#include <vector>

#include "gtest/gtest.h"

namespace quern::verifier {
namespace {

class SolutionTest : public testing::Test {
 protected:
  AffineTable affine_;
  SymbolId x_ = affine_.AddSymbol("x", {0, 6});
  SymbolId y_ = affine_.AddSymbol("y", {-2, 3});

  Affine Form(int64_t a, int64_t b, int64_t c) {
    const Affine form =
        *affine_.Add(*affine_.Scale(affine_.Symbol(x_), a), *affine_.Scale(affine_.Symbol(y_), b));
    return *affine_.Add(form, AffineTable::Number(c));
  }
};

TEST_F(SolutionTest, FindsEachPlaceOfATile) {
  for (const int64_t sign : {1, -1}) {
    for (int64_t x = 0; x <= 6; ++x) {
      for (int64_t y = -2; y <= 3; ++y) {
        const auto values = Solve(affine_, {Form(6, sign, 5)}, {6 * x + sign * y + 5});
        ASSERT_TRUE(values.has_value());
        EXPECT_EQ(values->at(x_), x);
        EXPECT_EQ(values->at(y_), y);
      }
    }
  }
}

TEST_F(SolutionTest, LaterFormsKnowTheSymbolsOfEarlierOnes) {
  const std::vector<Affine> forms = {Form(0, 2, 1), Form(1, 1, 0)};
  const auto values = Solve(affine_, forms, {-3, 4});
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ(values->at(y_), -2);
  EXPECT_EQ(values->at(x_), 6);
  EXPECT_FALSE(Solve(affine_, forms, {-3, 5}).has_value());  // x = 7
}

TEST_F(SolutionTest, SaysNothingWhereThereIsNothing) {
  EXPECT_FALSE(Solve(affine_, {Form(2, 0, 0)}, {3}).has_value());
  EXPECT_FALSE(Solve(affine_, {Form(1, 0, 0)}, {7}).has_value());
  EXPECT_FALSE(Solve(affine_, {AffineTable::Number(1)}, {2}).has_value());
  EXPECT_TRUE(Solve(affine_, {AffineTable::Number(2)}, {2}).has_value());
  const Affine quotient = *affine_.Quotient(Form(1, 0, 0), 2);
  EXPECT_FALSE(Solve(affine_, {quotient}, {1}).has_value());
}

}  // namespace
}  // namespace quern::verifier
