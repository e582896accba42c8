#include "verifier/symbolic/term.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace quern::verifier {
namespace {

constexpr Type kF32 = {Type::kFloat, 32, 1};
constexpr Type kBool = {Type::kInt, 1, 1};

class TermTest : public testing::Test {
 protected:
  AffineTable affine_;
  SymbolId b_ = affine_.AddSymbol("b", {0, 63});
  TermTable terms_{&affine_,
                   {ElementType::kF32, ElementType::kF32, ElementType::kBool, ElementType::kBF16,
                    ElementType::kI32}};
  const Op add_ = {.code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = kF32};
  const Op fma_ = {
      .family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kFma), .type = kF32};
  const Value zero_ = TermTable::Bits(kF32, 0);

  Value Leaf(int argument, int64_t scale, int64_t offset) {
    return terms_.MakeLeaf(argument, *affine_.Add(*affine_.Scale(affine_.Symbol(b_), scale),
                                                  AffineTable::Number(offset)));
  }
};

TEST_F(TermTest, EqualTermsAreEqual) {
  const Value x = Leaf(0, 1, 2), y = Leaf(1, 1, 2);
  EXPECT_EQ(terms_.Apply(add_, {x, y}), terms_.Apply(add_, {y, x}));
  EXPECT_NE(terms_.Apply(add_, {x, y}), terms_.Apply(add_, {x, x}));
  EXPECT_EQ(terms_.ToString(terms_.Apply(add_, {x, y})), "fadd(arg0[b + 2], arg1[b + 2])");
}

TEST_F(TermTest, SumsBecomeOneRun) {
  Value sum = zero_;
  for (int64_t k = 0; k < 1000; ++k)
    sum = terms_.Apply(fma_, {Leaf(0, 64, k), Leaf(1, 1, 16 * k), sum});
  ASSERT_EQ(sum.kind, Value::kRun);
  EXPECT_EQ(sum.payload, 1000);
  EXPECT_EQ(terms_.run(sum).init, zero_);
  EXPECT_LT(terms_.bytes(), 2000);
  // The same, from its description.
  const SymbolId k = affine_.AddSymbol("k", {0, 999});
  const Affine counter = affine_.Symbol(k);
  const Value a = terms_.MakeLeaf(0, *affine_.Add(*affine_.Scale(affine_.Symbol(b_), 64), counter));
  const Value b = terms_.MakeLeaf(1, *affine_.Add(affine_.Symbol(b_), *affine_.Scale(counter, 16)));
  EXPECT_EQ(terms_.MakeRun(fma_, zero_, {a, b}, {k}, {1000}), sum);
}

TEST_F(TermTest, WhatALoopCarriesIsFolded) {
  const SymbolId k = affine_.AddSymbol("k", {0, 9});
  const Value carried =
      terms_.Apply({.family = Op::kCarried, .type = kF32}, {TermTable::Integer({0, 0})});
  const auto at = [&](int64_t offset, int64_t stride) {
    return terms_.MakeLeaf(
        0, *affine_.Add(*affine_.Scale(affine_.Symbol(k), stride), AffineTable::Number(offset)));
  };
  const auto fold = [&](Value after) { return terms_.FoldOver(carried, zero_, after, k, 10); };
  Value sum = zero_;
  for (int64_t i = 0; i < 10; ++i) sum = terms_.Apply(add_, {sum, Leaf(0, 0, 3 * i + 1)});
  EXPECT_EQ(fold(terms_.Apply(add_, {at(1, 3), carried})), sum);
  EXPECT_EQ(fold(carried), zero_);
  // Two elements in each iteration.
  Value twice = terms_.Apply(add_, {terms_.Apply(add_, {carried, at(0, 2)}), at(1, 2)});
  ASSERT_EQ(twice.kind, Value::kRun);
  const std::optional<Value> both = fold(twice);
  ASSERT_TRUE(both.has_value());
  EXPECT_EQ(both->payload, 10);
  EXPECT_EQ(terms_.run(*both).inner, std::vector<int64_t>{2});
  EXPECT_FALSE(terms_.IsCarried(*both));
  // Not of the form op(carried, element).
  EXPECT_FALSE(fold(at(0, 1)).has_value());
  EXPECT_FALSE(fold(terms_.Apply(add_, {carried, carried})).has_value());
  EXPECT_FALSE(fold(terms_.Apply(fma_, {carried, at(0, 1), at(0, 2)})).has_value());
  EXPECT_FALSE(fold(terms_.Apply(fma_, {at(0, 1), carried, carried})).has_value());
}

TEST_F(TermTest, AnotherElementStartsAnotherRun) {
  Value sum = zero_;
  for (int k : {0, 1, 2, 3, 5, 6, 7}) sum = terms_.Apply(add_, {sum, Leaf(0, 64, k)});
  EXPECT_NE(sum, [&] {
    Value other = zero_;
    for (int k = 0; k < 7; ++k) other = terms_.Apply(add_, {other, Leaf(0, 64, k)});
    return other;
  }());
  ASSERT_EQ(sum.kind, Value::kRun);
  EXPECT_EQ(sum.payload, 3);
  EXPECT_EQ(terms_.run(sum).init.payload, 4);
}

TEST_F(TermTest, RunsOfRunsNest) {
  const Op held = {.family = Op::kHeld, .type = kF32, .name = 7};
  Value total = zero_;
  for (int i = 0; i < 5; ++i) {
    Value row = zero_;
    for (int k = 0; k < 6; ++k) row = terms_.Apply(add_, {row, Leaf(0, 0, 100 * i + k)});
    total = terms_.Apply(add_, {total, terms_.Apply(held, {row})});
  }
  ASSERT_EQ(total.kind, Value::kRun);
  EXPECT_EQ(total.payload, 5);
  EXPECT_EQ(terms_.run(total).level, 1);
  EXPECT_EQ(terms_.LevelAbove(total), 2);
}

TEST_F(TermTest, BoolsAreBytes) {
  const Value byte = Leaf(2, 0, 4);
  const Op truth = {.family = Op::kCast,
                    .code = static_cast<uint8_t>(CastOp::kTrunc),
                    .type = kBool,
                    .from = {Type::kInt, 8, 1}};
  const Op not_zero = {.family = Op::kCompare,
                       .code = static_cast<uint8_t>(Predicate::kNe),
                       .type = kBool,
                       .from = {Type::kInt, 8, 1}};
  const Op widen = {.family = Op::kCast,
                    .code = static_cast<uint8_t>(CastOp::kZExt),
                    .type = {Type::kInt, 8, 1},
                    .from = kBool};
  const Value bit = terms_.Apply(truth, {byte});
  EXPECT_EQ(terms_.Apply(not_zero, {byte, TermTable::Bits({Type::kInt, 8, 1}, 0)}), bit);
  EXPECT_EQ(terms_.Apply(widen, {bit}), byte);
}

// Of bf16 numbers, floats that were widened and not rounded are such again.
TEST_F(TermTest, WidenedNumbersNarrow) {
  const Type narrow = {Type::kBFloat, 16, 1}, wide = {Type::kFloat, 32, 1};
  const auto cast = [&](CastOp code, const Type& from, const Type& to, Value x) {
    return terms_.Apply(
        {.family = Op::kCast, .code = static_cast<uint8_t>(code), .type = to, .from = from}, {x});
  };
  const auto most = [&](const Type& type, Value a, Value b) {
    return terms_.Apply(
        {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kMaximum), .type = type},
        {a, b});
  };
  const auto below = [&](const Type& type, Value a, Value b) {
    return terms_.Apply({.family = Op::kCompare,
                         .code = static_cast<uint8_t>(Predicate::kOlt),
                         .type = kBool,
                         .from = type},
                        {a, b});
  };
  const Value x = Leaf(3, 0, 1), y = Leaf(3, 0, 2);
  const Value wide_x = cast(CastOp::kFPExt, narrow, wide, x);
  const Value wide_y = cast(CastOp::kFPExt, narrow, wide, y);
  const Value greater = most(wide, wide_x, wide_y);
  EXPECT_EQ(cast(CastOp::kFPTrunc, wide, narrow, greater), most(narrow, x, y));
  EXPECT_EQ(below(wide, wide_x, wide_y), below(narrow, x, y));
  // 2^-20 above 1 is no bf16, and neither is a sum.
  const Value one = TermTable::Bits(wide, 0x3f800000), more = TermTable::Bits(wide, 0x3f800008);
  EXPECT_EQ(below(wide, wide_x, one), below(narrow, x, TermTable::Bits(narrow, 0x3f80)));
  EXPECT_EQ(terms_.term(below(wide, wide_x, more)).op.from, wide);
  const Value sum = terms_.Apply(
      {.family = Op::kBinary, .code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = wide},
      {wide_x, wide_y});
  const Value rounded = cast(CastOp::kFPTrunc, wide, narrow, most(wide, sum, wide_y));
  EXPECT_EQ(terms_.term(rounded).op.family, Op::kCast);
}

TEST_F(TermTest, ChoicesAvoidNumbers) {
  const Type i32 = {Type::kInt, 32, 1};
  const Value x = Leaf(4, 0, 0), zero = TermTable::Bits(i32, 0), one = TermTable::Bits(i32, 1);
  const auto equal = [&](Value a, Value b) {
    return terms_.Apply({.family = Op::kCompare,
                         .code = static_cast<uint8_t>(Predicate::kEq),
                         .type = kBool,
                         .from = i32},
                        {a, b});
  };
  const auto choose = [&](Value condition, Value a, Value b) {
    return terms_.Apply({.family = Op::kSelect, .type = i32}, {condition, a, b});
  };
  EXPECT_TRUE(terms_.NeverIs(choose(equal(x, zero), one, x), i32, 0));
  EXPECT_FALSE(terms_.NeverIs(choose(equal(x, zero), zero, x), i32, 0));
  EXPECT_FALSE(terms_.NeverIs(choose(equal(x, zero), x, one), i32, 0));
  EXPECT_FALSE(terms_.NeverIs(choose(equal(x, one), one, x), i32, 0));
  EXPECT_FALSE(terms_.NeverIs(choose(equal(Leaf(4, 0, 1), zero), one, x), i32, 0));
  EXPECT_FALSE(terms_.NeverIs(x, i32, 0));
}

TEST_F(TermTest, RangesDecideComparisonsOfIndices) {
  const Value b = TermTable::Integer(affine_.Symbol(b_));  // 0 .. 63
  const auto compare = [&](Predicate predicate, uint8_t bits, Value x, int64_t y) {
    const Value result = terms_.Apply({.family = Op::kCompare,
                                       .code = static_cast<uint8_t>(predicate),
                                       .type = kBool,
                                       .from = {Type::kInt, bits, 1}},
                                      {x, TermTable::Integer(AffineTable::Number(y))});
    return TermTable::ConstantBits(kBool, result);
  };
  EXPECT_EQ(compare(Predicate::kEq, 32, b, 64), 0u);
  EXPECT_EQ(compare(Predicate::kNe, 32, b, 64), 1u);
  EXPECT_EQ(compare(Predicate::kEq, 32, b, 63), std::nullopt);
  EXPECT_EQ(compare(Predicate::kNe, 32, b, 20), std::nullopt);
  EXPECT_EQ(compare(Predicate::kISlt, 32, b, 64), 1u);
  EXPECT_EQ(compare(Predicate::kISlt, 32, b, 63), std::nullopt);
  EXPECT_EQ(compare(Predicate::kISle, 32, b, 63), 1u);
  EXPECT_EQ(compare(Predicate::kIUge, 32, b, 0), 1u);
  // -1 is the greatest number without a sign, and 63 does not fit in 6 bits with one.
  EXPECT_EQ(compare(Predicate::kISgt, 32, b, -1), 1u);
  EXPECT_EQ(compare(Predicate::kIUgt, 32, b, -1), std::nullopt);
  EXPECT_EQ(compare(Predicate::kISle, 6, b, 63), std::nullopt);
}

TEST_F(TermTest, FloatsMovedAsIntegersKeepTheirTerm) {
  const Op to_int = {.family = Op::kCast,
                     .code = static_cast<uint8_t>(CastOp::kBitcast),
                     .type = {Type::kInt, 32, 1},
                     .from = kF32};
  const Op back = {.family = Op::kCast,
                   .code = static_cast<uint8_t>(CastOp::kBitcast),
                   .type = kF32,
                   .from = {Type::kInt, 32, 1}};
  const Value x = Leaf(0, 1, 0);
  EXPECT_EQ(terms_.Apply(back, {terms_.Apply(to_int, {x})}), x);
  // An integer operation on a float is not one on an integer.
  const Op integer = {.code = static_cast<uint8_t>(BinaryOp::kAdd), .type = {Type::kInt, 32, 1}};
  const Value sum = terms_.Apply(integer, {x, x});
  EXPECT_EQ(terms_.term(terms_.term(sum).args[0]).op, to_int);
}

TEST_F(TermTest, PoisonAndLossSpread) {
  EXPECT_EQ(terms_.Apply(add_, {Leaf(0, 1, 0), Value()}), Value());
  const Value lost = {.kind = Value::kLost};
  EXPECT_EQ(terms_.Apply(add_, {lost, Value()}), lost);
}

TEST_F(TermTest, SubstitutesInAllIndices) {
  Value sum = zero_;
  for (int k = 0; k < 4; ++k) sum = terms_.Apply(add_, {sum, Leaf(0, 64, k)});
  Value at3 = zero_;
  for (int k = 0; k < 4; ++k) at3 = terms_.Apply(add_, {at3, Leaf(0, 0, 192 + k)});
  EXPECT_EQ(terms_.Substitute(sum, b_, AffineTable::Number(3)), at3);
}

TEST_F(TermTest, HugeTreesAreNotWalked) {
  Value x = Leaf(0, 1, 0);
  const Op multiply = {.code = static_cast<uint8_t>(BinaryOp::kFMul), .type = kF32};
  for (int i = 0; i < 200; ++i) x = terms_.Apply(multiply, {x, x});
  EXPECT_EQ(terms_.Size(x), TermTable::kMaxSize);
  EXPECT_EQ(terms_.Substitute(x, b_, AffineTable::Number(0)), std::nullopt);
}

// Of an input, which the kernel moves between bounds.
TEST_F(TermTest, ClampedInputsAreIndices) {
  const Type i32 = {Type::kInt, 32, 1}, i64 = {Type::kInt, 64, 1};
  AffineTable affine;
  const SymbolId b = affine.AddSymbol("b", {0, 7});
  TermTable terms(&affine, {ElementType::kI32});
  const auto apply = [&](Intrinsic code, const Type& type, Value x, int64_t bound) {
    const Value constant = TermTable::Bits(type, static_cast<uint64_t>(bound));
    return terms.Apply({.family = Op::kIntrinsic, .code = static_cast<uint8_t>(code), .type = type},
                       {x, constant});
  };
  const auto widened = [&](Value x) {
    return terms.Apply({.family = Op::kCast,
                        .code = static_cast<uint8_t>(CastOp::kSExt),
                        .type = i64,
                        .from = i32},
                       {x});
  };
  const Value x = terms.MakeLeaf(0, affine.Symbol(b));
  const auto clamp = [&](Value v, const Type& type, int64_t low, int64_t high) {
    return apply(Intrinsic::kSMin, type, apply(Intrinsic::kSMax, type, v, low), high);
  };
  const std::optional<Affine> index = terms.IndexOf(clamp(x, i32, 0, 19), i32);
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(affine.Bounds(*index), (Interval{0, 19}));
  EXPECT_TRUE(affine.has_data(index->linear));
  // The same number, written in other ways.
  EXPECT_EQ(terms.IndexOf(clamp(widened(x), i64, 0, 19), i64), index);
  EXPECT_EQ(terms.IndexOf(widened(clamp(x, i32, 0, 19)), i64), index);
  EXPECT_EQ(
      terms.IndexOf(apply(Intrinsic::kUMin, i32, apply(Intrinsic::kSMax, i32, x, 0), 19), i32),
      index);
  EXPECT_EQ(
      terms.IndexOf(apply(Intrinsic::kSMax, i32, apply(Intrinsic::kSMin, i32, x, 19), 0), i32),
      index);
  // Other numbers, or no bounds.
  EXPECT_NE(terms.IndexOf(clamp(x, i32, 0, 18), i32), index);
  EXPECT_NE(terms.IndexOf(clamp(terms.MakeLeaf(0, AffineTable::Number(3)), i32, 0, 19), i32),
            index);
  EXPECT_EQ(terms.IndexOf(x, i32), std::nullopt);
  EXPECT_EQ(terms.IndexOf(apply(Intrinsic::kUMin, i32, x, 19), i32), std::nullopt);
  EXPECT_EQ(
      terms.IndexOf(apply(Intrinsic::kUMin, i32, apply(Intrinsic::kSMax, i32, x, -1), 19), i32),
      std::nullopt);
  // It changes with the block, which must not be replaced behind its back.
  EXPECT_EQ(affine.FreeSymbols(index->linear), std::vector<SymbolId>{b});
  EXPECT_EQ(affine.Substitute(*index, b, AffineTable::Number(0)), std::nullopt);
  const Value row = terms.MakeLeaf(0, *index);
  EXPECT_EQ(terms.Substitute(row, b, AffineTable::Number(0)), std::nullopt);
}

TEST_F(TermTest, RangesOfWidenedData) {
  const Type i8 = {Type::kInt, 8, 1}, i32 = {Type::kInt, 32, 1};
  AffineTable affine;
  TermTable terms(&affine, {ElementType::kI8});
  const auto wide = [&](CastOp code, int64_t at) {
    return terms.Apply(
        {.family = Op::kCast, .code = static_cast<uint8_t>(code), .type = i32, .from = i8},
        {terms.MakeLeaf(0, AffineTable::Number(at))});
  };
  const auto binary = [&](BinaryOp code, Value a, Value b) {
    return terms.Apply({.code = static_cast<uint8_t>(code), .type = i32}, {a, b});
  };
  const Value x = wide(CastOp::kSExt, 0);
  EXPECT_EQ(terms.RangeOf(x, i32), (Interval{-128, 127}));
  EXPECT_EQ(terms.RangeOf(wide(CastOp::kZExt, 0), i32), (Interval{0, 255}));
  const Value product = binary(BinaryOp::kMul, x, wide(CastOp::kSExt, 1));
  EXPECT_EQ(terms.RangeOf(product, i32), (Interval{-16256, 16384}));
  Value sum = TermTable::Bits(i32, 0);
  for (int64_t k = 0; k < 100; ++k) {
    sum = binary(BinaryOp::kAdd, sum, wide(CastOp::kSExt, 2 * k));
  }
  EXPECT_EQ(sum.kind, Value::kRun);
  const Interval range = terms.RangeOf(sum, i32);
  EXPECT_LE(range.low, -12800);
  EXPECT_GE(range.high, 12700);
  EXPECT_LE(range.high, 12827);
  const Value shifted = binary(BinaryOp::kMul, product, TermTable::Bits(i32, 1 << 18));
  EXPECT_EQ(terms.RangeOf(shifted, i32), (Interval{INT32_MIN, INT32_MAX}));  // it may wrap
  EXPECT_EQ(terms.RangeOf(terms.MakeLeaf(0, AffineTable::Number(0)), i8), (Interval{-128, 127}));
}

}  // namespace
}  // namespace quern::verifier
