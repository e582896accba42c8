#include "verifier/symbolic/integers.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "verifier/symbolic/loops.h"

namespace quern::verifier {
namespace {

constexpr Type kI64 = {Type::kInt, 64, 1};
constexpr Type kI8 = {Type::kInt, 8, 1};

class IntegersTest : public testing::Test {
 protected:
  AffineTable affine_;
  SymbolId x_ = affine_.AddSymbol("x", {0, 99});
  Integers integers_{&affine_};
  const Value x = TermTable::Integer(affine_.Symbol(x_));

  static Value Number(int64_t n) { return TermTable::Integer(AffineTable::Number(n)); }
};

TEST_F(IntegersTest, AFlagThatMayBeViolatedIsPoison) {
  const Value far = Number(INT64_MAX - 50);
  EXPECT_EQ(integers_.Binary(BinaryOp::kAdd, {.nsw = true}, kI64, x, far), TermTable::Poison());
  EXPECT_EQ(integers_.Binary(BinaryOp::kAdd, {}, kI64, x, far), std::nullopt);
  EXPECT_EQ(integers_.Binary(BinaryOp::kMul, {.nsw = true}, kI8, x, Number(2)),
            TermTable::Poison());
  EXPECT_EQ(integers_.Binary(BinaryOp::kSub, {.nuw = true}, kI64, x, Number(1)),
            TermTable::Poison());
  EXPECT_EQ(integers_.Binary(BinaryOp::kOr, {.disjoint = true}, kI64, x, Number(1)),
            TermTable::Poison());
}

TEST_F(IntegersTest, ComparisonsSplitWhereTheyChange) {
  EXPECT_EQ(integers_.Compare(Predicate::kISlt, false, kI64, x, Number(100)), Number(1));
  EXPECT_EQ(integers_.Compare(Predicate::kISlt, false, kI64, x, Number(37)), std::nullopt);
  ASSERT_TRUE(integers_.split().has_value());
  EXPECT_EQ(integers_.split()->symbol, x_);
  EXPECT_EQ(integers_.split()->at, 37);
  // An unsigned comparison with a negative number.
  EXPECT_EQ(integers_.Compare(Predicate::kIUlt, false, kI8, Number(1), Number(-1)), Number(1));
}

TEST_F(IntegersTest, DivisionsAskForDigits) {
  EXPECT_EQ(integers_.Binary(BinaryOp::kUDiv, {}, kI64, x, Number(10)), std::nullopt);
  ASSERT_TRUE(integers_.split().has_value());
  EXPECT_EQ(integers_.split()->radix, 10);
  EXPECT_EQ(integers_.Binary(BinaryOp::kUDiv, {}, kI64, x, Number(16)), std::nullopt);
  EXPECT_EQ(integers_.split()->at, 96);
}

TEST(LoopsTest, GuessesIterations) {
  // for (i = 0; i < 10; i += 3), tested at the top; and i + 3 != 12 at the bottom.
  EXPECT_EQ(GuessIterations(Predicate::kISlt, 64, true, 0, 3, 10), 4);
  EXPECT_EQ(GuessIterations(Predicate::kNe, 64, true, 3, 3, 12), 3);
  EXPECT_EQ(GuessIterations(Predicate::kISgt, 64, false, 0, 3, 10), 4);
  EXPECT_EQ(GuessIterations(Predicate::kIUlt, 64, true, 0, 0, 10), 0);
}

}  // namespace
}  // namespace quern::verifier
