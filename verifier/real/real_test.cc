#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "verifier/machine/library.h"
#include "verifier/real/bounds.h"
#include "verifier/real/normal_form.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

static constexpr Type kF32 = {Type::kFloat, 32, 1};
static constexpr Type kI32 = {Type::kInt, 32, 1};
static constexpr Type kI1 = {Type::kInt, 1, 1};

class RealTest : public testing::Test {
 protected:
  AffineTable affine_;
  SymbolId b_ = affine_.AddSymbol("b", {0, 63});
  TermTable terms_{&affine_, {ElementType::kF32, ElementType::kF32, ElementType::kI32}};
  Normaliser normaliser_{&terms_};

  Value X(int64_t offset, int64_t scale = 0) { return LeafOf(0, offset, scale); }
  Value Y(int64_t offset, int64_t scale = 0) { return LeafOf(1, offset, scale); }
  Value LeafOf(int argument, int64_t offset, int64_t scale) {
    return terms_.MakeLeaf(argument, *affine_.Add(*affine_.Scale(affine_.Symbol(b_), scale),
                                                  AffineTable::Number(offset)));
  }
  Value F(float value) { return TermTable::Bits(kF32, std::bit_cast<uint32_t>(value)); }
  Value Op2(BinaryOp op, Value a, Value b, Type type = kF32) {
    return terms_.Apply({.code = static_cast<uint8_t>(op), .type = type}, {a, b});
  }
  Value Add(Value a, Value b) { return Op2(BinaryOp::kFAdd, a, b); }
  Value Sub(Value a, Value b) { return Op2(BinaryOp::kFSub, a, b); }
  Value Mul(Value a, Value b) { return Op2(BinaryOp::kFMul, a, b); }
  Value Div(Value a, Value b) { return Op2(BinaryOp::kFDiv, a, b); }
  Value Intrin(Intrinsic op, std::vector<Value> args, Type type = kF32) {
    return terms_.Apply({.family = Op::kIntrinsic, .code = static_cast<uint8_t>(op), .type = type},
                        args);
  }
  Value Fma(Value a, Value b, Value c) { return Intrin(Intrinsic::kFma, {a, b, c}); }
  Value Max(Value a, Value b) { return Intrin(Intrinsic::kMaximum, {a, b}); }
  Value Compare(Predicate p, Value a, Value b, Type type = kF32) {
    return terms_.Apply(
        {.family = Op::kCompare, .code = static_cast<uint8_t>(p), .type = kI1, .from = type},
        {a, b});
  }
  Value Select(Value c, Value a, Value b) {
    return terms_.Apply({.family = Op::kSelect, .type = kF32}, {c, a, b});
  }
  Value Call(const char* name, Value a) {
    return terms_.Apply({.family = Op::kCall, .type = kF32, .name = terms_.Name(name)}, {a});
  }
  bool Equal(Value a, Value b, Type type = kF32) {
    absl::StatusOr<bool> equal = normaliser_.Equal(a, b, type);
    EXPECT_TRUE(equal.ok()) << equal.status();
    if (equal.ok() && !*equal) {
      EXPECT_NE(
          normaliser_.Difference(*normaliser_.Normalise(a, type), *normaliser_.Normalise(b, type)),
          "");
    }
    return equal.ok() && *equal;
  }
  // The sum of x(i) from `first` in steps of `step`.
  Value Sum(int first, int step, int count, Value init) {
    for (int i = 0; i < count; ++i) init = Add(init, X(first + i * step, 4096));
    return init;
  }
};

TEST_F(RealTest, SumsAndProductsAreThoseOfTheReals) {
  const Value a = X(0), b = X(1), c = Y(2);
  EXPECT_TRUE(Equal(Mul(a, Add(b, c)), Add(Mul(a, b), Mul(c, a))));
  EXPECT_TRUE(Equal(Fma(a, b, c), Add(c, Mul(b, a))));
  EXPECT_TRUE(Equal(Sub(Add(a, b), b), a));
  EXPECT_TRUE(Equal(Mul(F(0.5f), Add(a, a)), a));
  EXPECT_FALSE(Equal(Add(a, b), Add(a, c)));
  EXPECT_FALSE(Equal(Sub(a, b), Sub(b, a)));
  EXPECT_FALSE(Equal(Fma(a, b, c), Fma(a, c, b)));
  EXPECT_FALSE(Equal(Mul(a, a), Add(a, a)));
  EXPECT_FALSE(Equal(Mul(a, F(0.25f)), Mul(a, F(0.25000003f))));
  EXPECT_FALSE(Equal(a, X(0, 1)));
}

TEST_F(RealTest, QuotientsCancelOnlyWhatTheyDivide) {
  const Value a = X(0), b = X(1), c = Y(2);
  EXPECT_TRUE(Equal(Div(Mul(a, b), b), a));
  EXPECT_TRUE(Equal(Div(a, F(4)), Mul(a, F(0.25f))));
  EXPECT_TRUE(Equal(Div(Add(a, b), c), Add(Div(a, c), Div(b, c))));
  EXPECT_TRUE(Equal(Div(a, Add(b, c)), Mul(a, Div(F(1), Add(c, b)))));
  EXPECT_FALSE(Equal(Div(a, b), Div(b, a)));
  EXPECT_FALSE(Equal(Div(a, Add(b, c)), Add(Div(a, b), Div(a, c))));
  EXPECT_FALSE(Equal(Div(a, F(3)), Mul(a, F(0.33333334f))));
}

TEST_F(RealTest, MaximaAreSets) {
  const Value a = X(0), b = X(1), c = Y(2), zero = F(0);
  EXPECT_TRUE(Equal(Max(a, Max(b, c)), Max(Max(c, a), Max(a, b))));
  EXPECT_TRUE(Equal(Select(Compare(Predicate::kOgt, a, zero), a, zero), Max(a, zero)));
  EXPECT_TRUE(
      Equal(Select(Compare(Predicate::kOlt, a, b), a, b), Intrin(Intrinsic::kMinNum, {b, a})));
  EXPECT_TRUE(Equal(Max(a, F(-INFINITY)), a));
  EXPECT_TRUE(Equal(Intrin(Intrinsic::kFAbs, {a}),
                    Select(Compare(Predicate::kOlt, a, zero),
                           terms_.Apply({.family = Op::kNegate, .type = kF32}, {a}), a)));
  EXPECT_FALSE(Equal(Select(Compare(Predicate::kOgt, a, zero), zero, a), Max(a, zero)));
  EXPECT_FALSE(Equal(Select(Compare(Predicate::kOgt, a, F(1)), a, zero), Max(a, zero)));
  EXPECT_FALSE(Equal(Max(a, b), Intrin(Intrinsic::kMinimum, {a, b})));
  EXPECT_FALSE(Equal(Max(a, zero), a));
  EXPECT_FALSE(Equal(Max(a, zero), Max(a, F(1e-45f))));
  EXPECT_FALSE(Equal(Max(a, F(INFINITY)), a));
  EXPECT_FALSE(Equal(Max(Add(a, b), c), Add(Max(a, c), b)));
}

TEST_F(RealTest, ComparisonsNeedTheSameBits) {
  const Value a = X(0), b = X(1), c = Y(2);
  const auto choose = [&](Value x) { return Select(Compare(Predicate::kOgt, x, F(0)), a, b); };
  EXPECT_TRUE(Equal(choose(c), Select(Compare(Predicate::kOle, c, F(0)), a, b)) ==
              false);  // the branches are not swapped
  EXPECT_TRUE(Equal(choose(c), Select(Compare(Predicate::kOlt, F(0), c), a, b)));
  // Equal over the reals, but rounded otherwise.
  EXPECT_FALSE(Equal(choose(Add(Add(a, b), c)), choose(Add(a, Add(b, c)))));
  EXPECT_FALSE(Equal(Intrin(Intrinsic::kFloor, {Add(Add(a, b), c)}),
                     Intrin(Intrinsic::kFloor, {Add(a, Add(b, c))})));
  EXPECT_TRUE(Equal(Call("expf", Add(Add(a, b), c)), Call("expf", Add(a, Add(b, c)))));
  EXPECT_FALSE(Equal(Call("expf", a), Call("exp2f", a)));
  EXPECT_FALSE(Equal(Call("expf", a), Call("expf", b)));
  EXPECT_TRUE(Equal(Call("expf", a), Call("quern_exp_f32", a)));
  EXPECT_FALSE(Equal(Call("expf", a), Call("quern_exp2_f32", a)));
}

TEST_F(RealTest, SumsDoNotDependOnHowTheyAreSplit) {
  const Value whole = Sum(0, 1, 1024, F(0));
  Value lanes = F(0);
  for (int l = 0; l < 8; ++l) lanes = Add(lanes, Sum(l, 8, 128, F(0)));
  EXPECT_TRUE(Equal(whole, lanes));
  EXPECT_TRUE(Equal(whole, Sum(512, 1, 512, Sum(0, 1, 512, F(0)))));
  EXPECT_TRUE(Equal(whole, Add(X(1023, 4096), Sum(1, 1, 1022, X(0, 4096)))));
  // Two accumulators of four lanes each, a tail, and a tree.
  Value parts[8];
  for (int l = 0; l < 8; ++l) parts[l] = Sum(l, 8, 127, F(0));
  Value tree = Add(Add(Add(parts[0], parts[4]), Add(parts[1], parts[5])),
                   Add(Add(parts[2], parts[6]), Add(parts[3], parts[7])));
  EXPECT_TRUE(Equal(whole, Sum(1016, 1, 8, tree)));
  // Lanes of unequal lengths.
  Value uneven = F(0);
  for (int l = 0; l < 16; ++l) uneven = Add(uneven, Sum(l, 16, l < 8 ? 5 : 4, F(0)));
  EXPECT_TRUE(Equal(Sum(0, 1, 72, F(0)), uneven));
  EXPECT_FALSE(Equal(Sum(0, 1, 71, F(0)), uneven));
  EXPECT_FALSE(Equal(Sum(0, 1, 72, F(0)), Add(Sum(8, 16, 1, F(0)), Sub(uneven, X(9, 4096)))));
  // What cancels parts of a short sum, as in Winograd's transforms.
  EXPECT_TRUE(
      Equal(Sub(Sum(0, 1, 4, F(0)), X(2, 4096)), Add(Add(X(0, 4096), X(1, 4096)), X(3, 4096))));
  EXPECT_FALSE(
      Equal(Sub(Sum(0, 1, 4, F(0)), X(2, 4096)), Add(Add(X(0, 4096), X(1, 4096)), X(2, 4096))));
  // Near misses.
  EXPECT_FALSE(Equal(whole, Sum(0, 1, 1023, F(0))));
  EXPECT_FALSE(Equal(whole, Sum(1, 1, 1024, F(0))));
  EXPECT_FALSE(Equal(whole, Sum(0, 2, 1024, F(0))));
  EXPECT_FALSE(Equal(whole, Sum(0, 1, 1024, F(1))));
  EXPECT_FALSE(Equal(whole, Sum(511, 1, 512, Sum(0, 1, 512, F(0)))));
  EXPECT_FALSE(Equal(whole, Sum(1016, 1, 7, tree)));
  Value twice = F(0);
  for (int l : {0, 1, 2, 3, 4, 5, 6, 6}) twice = Add(twice, Sum(l, 8, 128, F(0)));
  EXPECT_FALSE(Equal(whole, twice));
}

TEST_F(RealTest, DotProductsMatchWhateverTheirOrder) {
  const auto dot = [&](int first, int count, int shift, bool fma, Value init) {
    for (int k = first; k < first + count; ++k) {
      const Value a = X(k, 64), b = Y(16 * k + shift, 1);
      init = fma ? Fma(a, b, init) : Add(init, Mul(b, a));
    }
    return init;
  };
  const Value whole = dot(0, 64, 0, false, F(0));
  EXPECT_TRUE(Equal(whole, dot(0, 64, 0, true, F(0))));
  EXPECT_TRUE(Equal(whole, Add(dot(32, 32, 0, true, F(0)), dot(0, 32, 0, false, F(0)))));
  EXPECT_TRUE(Equal(Mul(F(2), whole), Add(whole, dot(0, 64, 0, true, F(0)))));
  EXPECT_FALSE(Equal(whole, dot(0, 63, 0, true, F(0))));
  EXPECT_FALSE(Equal(whole, dot(0, 64, 1, true, F(0))));
  EXPECT_FALSE(Equal(whole, dot(1, 64, 0, true, F(0))));
  // (sum a)(sum b) is not the sum of products.
  EXPECT_FALSE(Equal(Mul(Sum(0, 1, 4, F(0)), Sum(0, 1, 4, F(0))), [&] {
    Value squares = F(0);
    for (int k = 0; k < 4; ++k) squares = Fma(X(k, 4096), X(k, 4096), squares);
    return squares;
  }()));
}

TEST_F(RealTest, MaximaOverRunsAreSplitToo) {
  const auto max = [&](int first, int step, int count, Value init) {
    for (int i = 0; i < count; ++i) init = Max(init, X(first + i * step, 64));
    return init;
  };
  const Value lowest = F(-INFINITY);
  const Value whole = max(0, 1, 64, lowest);
  EXPECT_TRUE(Equal(whole, Max(max(0, 2, 32, lowest), max(1, 2, 32, lowest))));
  EXPECT_TRUE(Equal(whole, max(1, 1, 63, X(0, 64))));
  EXPECT_TRUE(Equal(whole, max(0, 1, 64, whole)));
  EXPECT_FALSE(Equal(whole, max(0, 1, 63, lowest)));
  EXPECT_FALSE(Equal(whole, max(0, 1, 64, F(0))));
  EXPECT_FALSE(Equal(whole, Max(max(0, 2, 32, lowest), max(0, 2, 32, lowest))));
}

TEST_F(RealTest, FunctionsInSumsKeepTheirIndices) {
  const auto sum = [&](int first, int count, const char* name, Value init) {
    for (int k = first; k < first + count; ++k) init = Add(init, Call(name, X(k, 64)));
    return init;
  };
  EXPECT_TRUE(
      Equal(sum(0, 64, "expf", F(0)), Add(sum(32, 32, "expf", F(0)), sum(0, 32, "expf", F(0)))));
  EXPECT_FALSE(Equal(sum(0, 64, "expf", F(0)), sum(1, 64, "expf", F(0))));
  EXPECT_FALSE(Equal(sum(0, 64, "expf", F(0)), sum(0, 64, "tanhf", F(0))));
  EXPECT_FALSE(Equal(sum(0, 64, "expf", F(0)), Mul(F(64), Call("expf", X(0, 64)))));
}

TEST_F(RealTest, IntegersWrap) {
  const Value a = LeafOf(2, 0, 0), b = LeafOf(2, 1, 0);
  const auto number = [](int32_t x) { return TermTable::Bits(kI32, static_cast<uint32_t>(x)); };
  const Value big = Op2(BinaryOp::kMul, a, number(1 << 30), kI32);
  EXPECT_TRUE(Equal(Op2(BinaryOp::kMul, big, number(4), kI32), number(0), kI32));
  EXPECT_TRUE(Equal(Op2(BinaryOp::kShl, a, number(3), kI32),
                    Op2(BinaryOp::kMul, number(8), a, kI32), kI32));
  EXPECT_FALSE(Equal(Op2(BinaryOp::kMul, big, number(2), kI32), number(0), kI32));
  EXPECT_FALSE(Equal(Op2(BinaryOp::kSDiv, Op2(BinaryOp::kMul, a, b, kI32), b, kI32), a, kI32));
}

TEST_F(RealTest, ValuesThatAreNothingHaveNoForm) {
  EXPECT_FALSE(normaliser_.Equal(Value(), Value(), kF32).ok());
  EXPECT_FALSE(normaliser_.Normalise(F(NAN), kF32).ok());
  EXPECT_FALSE(normaliser_.Normalise(Div(X(0), F(0)), kF32).ok());
  EXPECT_FALSE(normaliser_.Normalise(Mul(F(0), F(INFINITY)), kF32).ok());
}

TEST_F(RealTest, BoundsHoldForSums) {
  Bounds bounds(&terms_, {{-4, 4}, {-4, 4}, {0, 0}});
  Value sum = F(0), narrow = F(0);
  const Type bf16 = {Type::kBFloat, 16, 1};
  for (int k = 0; k < 100; ++k) {
    sum = Fma(X(k), Y(k), sum);
    narrow = Fma(X(k), Y(k), narrow);
    const Value rounded = terms_.Apply({.family = Op::kCast,
                                        .code = static_cast<uint8_t>(CastOp::kFPTrunc),
                                        .type = bf16,
                                        .from = kF32},
                                       {narrow});
    narrow = terms_.Apply({.family = Op::kCast,
                           .code = static_cast<uint8_t>(CastOp::kFPExt),
                           .type = kF32,
                           .from = bf16},
                          {rounded});
  }
  const Bound bound = *bounds.Of(sum, kF32);
  EXPECT_LE(bound.real.low, -1600);
  EXPECT_GE(bound.real.high, 1600);
  EXPECT_GT(bound.error, 100 * 100 / 2 * 16 * 0x1p-24);
  EXPECT_LT(bound.error, 100 * 102 / 2 * 16 * 0x1.01p-24);
  EXPECT_GT(bounds.Of(narrow, kF32)->error, 1000 * bound.error);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-4, 4);
  for (int trial = 0; trial < 100; ++trial) {
    float computed = 0;
    double exact = 0;
    for (int k = 0; k < 100; ++k) {
      const float a = uniform(random), b = uniform(random);
      computed = std::fma(a, b, computed);
      exact += double{a} * b;
    }
    EXPECT_LE(std::fabs(computed - exact), bound.error);
  }
}

TEST_F(RealTest, BoundsHoldForFunctions) {
  Bounds bounds(&terms_, {{0.5, 8}, {-8, 8}, {0, 0}});
  const Value x = X(0), y = Y(0);
  const Value mean = Div(Add(x, F(1)), Add(Mul(y, y), F(2)));
  struct Case {
    Value value;
    long double (*exact)(long double, long double);
    float (*computed)(float, float);
  };
  const Case cases[] = {
      {Call("expf", Mul(x, y)), [](long double a, long double b) { return std::exp(a * b); },
       [](float a, float b) { return std::exp(a * b); }},
      {Call("logf", x), [](long double a, long double) { return std::log(a); },
       [](float a, float) { return std::log(a); }},
      {Call("tanhf", Add(x, y)), [](long double a, long double b) { return std::tanh(a + b); },
       [](float a, float b) { return std::tanh(a + b); }},
      {Intrin(Intrinsic::kSqrt, {Add(x, Mul(y, y))}),
       [](long double a, long double b) { return std::sqrt(a + b * b); },
       [](float a, float b) {
         const float square = b * b;
         return std::sqrt(a + square);
       }},
      {mean, [](long double a, long double b) { return (a + 1) / (b * b + 2); },
       [](float a, float b) {
         const float square = b * b;
         const float sum = square + 2;
         return (a + 1) / sum;
       }},
  };
  std::mt19937 random(2);
  std::uniform_real_distribution<float> above(0.5, 8), around(-8, 8);
  for (const Case& c : cases) {
    const absl::StatusOr<Bound> bound = bounds.Of(c.value, kF32);
    ASSERT_TRUE(bound.ok()) << terms_.ToString(c.value) << bound.status();
    for (int trial = 0; trial < 1000; ++trial) {
      const float a = above(random), b = around(random);
      const long double exact = c.exact(a, b);
      const float computed = c.computed(a, b);
      EXPECT_LE(std::fabs(computed - exact), bound->error) << terms_.ToString(c.value);
      EXPECT_GE(exact, bound->real.low);
      EXPECT_LE(exact, bound->real.high);
      EXPECT_GE(computed, bound->computed.low);
      EXPECT_LE(computed, bound->computed.high);
    }
  }
}

TEST_F(RealTest, BoundsOfMathlibAreItsContracts) {
  Bounds bounds(&terms_, {{0, 1}});
  const auto error = [&](const char* name) { return bounds.Of(Call(name, X(0)), kF32)->error; };
  // Where the result is at most e: units in the last place are 2^-22.
  EXPECT_GE(error("quern_exp_f32"), FindLibraryFunction("quern_exp_f32")->contract->ulp * 0x1p-22);
  EXPECT_LE(2 * error("quern_exp_f32"), error("expf") + 0x1p-40);
  EXPECT_FALSE(bounds.Of(Call("quern_log_f32", X(0)), kF32).ok());
}

TEST_F(RealTest, BoundsRefuseWhatMayGoWrong) {
  Bounds bounds(&terms_, {{-1024, 1024}, {-1, INFINITY}, {0, 0}});
  EXPECT_FALSE(bounds.Of(Div(F(1), X(0)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Intrin(Intrinsic::kSqrt, {X(0)}), kF32).ok());
  EXPECT_FALSE(bounds.Of(Call("expf", X(0)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Call("logf", X(0)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Add(Y(0), F(1)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Sub(Y(0), Y(0)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Mul(X(0), F(1e38f)), kF32).ok());
  EXPECT_FALSE(bounds.Of(Value(), kF32).ok());
  EXPECT_FALSE(bounds.Of(Intrin(Intrinsic::kExp, {Max(X(0), F(0))}), kF32).ok());
  EXPECT_TRUE(bounds.Of(Max(F(-INFINITY), X(0)), kF32).ok());
  const Op held = {.family = Op::kHeld, .type = kF32, .name = 3};
  const Value temporary = terms_.Apply(held, {X(0)});
  EXPECT_FALSE(bounds.Of(temporary, kF32).ok());
  bounds.SetHeld(3, {.error = 0.25});
  EXPECT_EQ(bounds.Of(temporary, kF32)->error, 0.25);
}

// The spec as terms against the kernels' ways to compute it.
TEST(SymbolicTest, DenotesDotProductsAsRuns) {
  const SpecGraph graph = *ReadSpec(R"(func.func @main(%a: tensor<64x48xbf16>,
      %b: tensor<48x32xbf16>, %c: tensor<32xf32>) -> tensor<64x32xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<64x48xbf16>, tensor<48x32xbf16>) -> tensor<64x32xf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
    %2 = stablehlo.add %0, %1 : tensor<64x32xf32>
    %z = stablehlo.constant dense<0.0> : tensor<64x32xf32>
    %3 = stablehlo.maximum %2, %z : tensor<64x32xf32>
    return %3 : tensor<64x32xf32>
  })");
  AffineTable affine;
  const SymbolId m = affine.AddSymbol("m", {0, 63}), n = affine.AddSymbol("n", {0, 31});
  TermTable terms(&affine, {ElementType::kBF16, ElementType::kBF16, ElementType::kF32});
  SymbolicAlgebra algebra(graph, &terms);
  Denotation<SymbolicAlgebra> denotation(graph, algebra);
  const Affine row = affine.Symbol(m), column = affine.Symbol(n);
  const Value value = *ResultAt(denotation, terms, graph, 0, {row, column});
  const Type bf16 = {Type::kBFloat, 16, 1};
  const auto kernel = [&](int first, int last, int64_t bias) {
    const auto wide = [&](Value x) {
      return terms.Apply({.family = Op::kCast,
                          .code = static_cast<uint8_t>(CastOp::kFPExt),
                          .type = kF32,
                          .from = bf16},
                         {x});
    };
    Value sum = TermTable::Bits(kF32, 0);
    for (int k = first; k < last; ++k) {
      const Value a =
          terms.MakeLeaf(0, *affine.Add(*affine.Scale(row, 48), AffineTable::Number(k)));
      const Value b = terms.MakeLeaf(1, *affine.Add(column, AffineTable::Number(32 * k)));
      sum = terms.Apply(
          {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kFma), .type = kF32},
          {wide(a), wide(b), sum});
    }
    const Value c = terms.MakeLeaf(2, *affine.Add(column, AffineTable::Number(bias)));
    sum = terms.Apply({.code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = kF32}, {sum, c});
    return terms.Apply(
        {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kMaxNum), .type = kF32},
        {sum, TermTable::Bits(kF32, 0)});
  };
  Normaliser normaliser(&terms);
  EXPECT_TRUE(*normaliser.Equal(kernel(0, 48, 0), value, kF32));
  EXPECT_FALSE(*normaliser.Equal(kernel(0, 47, 0), value, kF32));
  EXPECT_FALSE(*normaliser.Equal(kernel(1, 48, 0), value, kF32));
  EXPECT_FALSE(*normaliser.Equal(kernel(0, 48, 1), value, kF32));
  Bounds bounds(&terms, {{-1024, 1024}, {-1024, 1024}, {-1024, 1024}});
  const double naive = bounds.Of(value, kF32)->error;
  EXPECT_LE(bounds.Of(kernel(0, 48, 0), kF32)->error, 2 * naive);
}

TEST(SymbolicTest, DenotesReductionsOverSeveralDimensions) {
  const SpecGraph graph = *ReadSpec(R"(func.func @main(%a: tensor<8x6x4xf32>) -> tensor<6xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reshape %a : (tensor<8x6x4xf32>) -> tensor<48x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<48x4xf32>) -> tensor<8x6x4xf32>
    %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 2]
        : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  })");
  AffineTable affine;
  const SymbolId i = affine.AddSymbol("i", {0, 5});
  TermTable terms(&affine, {ElementType::kF32});
  SymbolicAlgebra algebra(graph, &terms);
  Denotation<SymbolicAlgebra> denotation(graph, algebra);
  const Value value = *ResultAt(denotation, terms, graph, 0, {affine.Symbol(i)});
  EXPECT_EQ(value.kind, Value::kRun);
  const auto sum = [&](int planes) {
    Value total = TermTable::Bits(kF32, 0);
    for (int lane = 3; lane >= 0; --lane) {
      for (int plane = 0; plane < planes; ++plane) {
        const Value x = terms.MakeLeaf(0, *affine.Add(*affine.Scale(affine.Symbol(i), 4),
                                                      AffineTable::Number(24 * plane + lane)));
        total =
            terms.Apply({.code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = kF32}, {total, x});
      }
    }
    return total;
  };
  Normaliser normaliser(&terms);
  EXPECT_TRUE(*normaliser.Equal(sum(8), value, kF32));
  EXPECT_FALSE(*normaliser.Equal(sum(7), value, kF32));
}

class GreatestTest : public RealTest {
 protected:
  Bounds bounds_{&terms_, {{-1000, 1000}, {-1000, 1000}, {0, 0}}};
  SymbolId k_ = affine_.AddSymbol("k", {0, 4095});

  // x[offset + k * stride]
  Value AtK(int64_t offset = 0, int64_t stride = 1, int argument = 0) {
    return terms_.MakeLeaf(argument, *affine_.Add(*affine_.Scale(affine_.Symbol(k_), stride),
                                                  AffineTable::Number(offset)));
  }
  Value Fold(Op op, Value init, Value element, int64_t count) {
    return *terms_.MakeRun(op, init, {element}, {k_}, {count});
  }
  Value Greatest(Value element, int64_t count, float init = -INFINITY) {
    return Fold(
        {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kMaximum), .type = kF32},
        F(init), element, count);
  }
  Value Sum(Value element, int64_t count, float init = 0) {
    return Fold(
        {.family = Op::kBinary, .code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = kF32},
        F(init), element, count);
  }
  Value ExpLess(Value x, Value m) { return Call("expf", Sub(x, m)); }
  bool IsBounded(Value v) { return bounds_.Of(v, kF32).ok(); }
};

TEST_F(GreatestTest, AnElementIsAtMostTheGreatest) {
  const Value m = Greatest(AtK(2, 3), 8);
  EXPECT_TRUE(IsBounded(ExpLess(X(2), m)));
  EXPECT_TRUE(IsBounded(ExpLess(X(2 + 3 * 7), m)));
  EXPECT_TRUE(IsBounded(ExpLess(X(5), Max(Y(0), m))));
  EXPECT_LE(bounds_.Of(Sub(X(2), m), kF32)->computed.high, 0);
  EXPECT_FALSE(IsBounded(ExpLess(X(2 + 3 * 8), m)));  // beyond the last
  EXPECT_FALSE(IsBounded(ExpLess(X(-1), m)));
  EXPECT_FALSE(IsBounded(ExpLess(X(3), m)));  // between two
  EXPECT_FALSE(IsBounded(ExpLess(Y(2), m)));
  EXPECT_FALSE(IsBounded(Call("expf", Sub(m, X(2)))));
  EXPECT_FALSE(IsBounded(ExpLess(Mul(X(2), F(2)), m)));
}

TEST_F(GreatestTest, ASymbolRangesOverTheElements) {
  const Value m = Greatest(AtK(), 64);
  EXPECT_TRUE(IsBounded(ExpLess(X(0, 1), m)));   // x[b], b < 64
  EXPECT_FALSE(IsBounded(ExpLess(X(1, 1), m)));  // x[b + 1]
  EXPECT_FALSE(IsBounded(ExpLess(X(0, 2), m)));
  // The first of them is what the run begins with.
  Value chain = X(0);
  for (int i = 1; i < 64; ++i) chain = Max(chain, X(i));
  EXPECT_TRUE(IsBounded(ExpLess(X(0, 1), chain)));
  EXPECT_FALSE(IsBounded(ExpLess(X(1, 1), chain)));
  EXPECT_FALSE(IsBounded(ExpLess(X(-1, 1), chain)));
  // The same addends are bounded below 64, and not below 65, whichever comes first.
  const Value addend = ExpLess(AtK(), m);
  EXPECT_TRUE(IsBounded(Sum(addend, 64)));
  EXPECT_FALSE(IsBounded(Sum(addend, 65)));
  Bounds other(&terms_, {{-1000, 1000}, {-1000, 1000}, {0, 0}});
  EXPECT_FALSE(other.Of(Sum(addend, 65), kF32).ok());
  EXPECT_TRUE(other.Of(Sum(addend, 64), kF32).ok());
}

TEST_F(GreatestTest, TheSumHoldsExpOfZero) {
  const auto quotient_is_bounded = [&](Value sum) { return IsBounded(Div(F(1), sum)); };
  const Value m = Greatest(AtK(), 64);
  EXPECT_TRUE(quotient_is_bounded(Sum(ExpLess(AtK(), m), 64)));
  EXPECT_GE(bounds_.Of(Sum(ExpLess(AtK(), m), 64), kF32)->computed.low, 0.999);
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(), m), 63)));  // the greatest may be the last
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(1), m), 63)));
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(), m), 64, -1)));
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(), Greatest(AtK(), 64, 2000)), 64)));
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(), Max(Y(0), m)), 64)));
  EXPECT_FALSE(quotient_is_bounded(Sum(ExpLess(AtK(), Greatest(AtK(0, 1, 1), 64)), 64)));
}

TEST_F(GreatestTest, ARescaledSumHoldsExpOfZero) {
  const auto quotient_is_bounded = [&](Value sum) { return IsBounded(Div(F(1), sum)); };
  // Element by element.
  Value m = X(0), sum = F(1);
  for (int i = 1; i < 12; ++i) {
    const Value next = Max(m, X(i));
    const Value rescaled = Mul(sum, ExpLess(m, next));
    sum = Add(rescaled, ExpLess(X(i), next));
    EXPECT_TRUE(quotient_is_bounded(sum)) << i;
    // Without what may be the greatest, or the sum of those before it.
    EXPECT_FALSE(quotient_is_bounded(Add(rescaled, ExpLess(X(i - 1), next)))) << i;
    EXPECT_FALSE(quotient_is_bounded(Add(Mul(F(0), ExpLess(m, next)), ExpLess(X(i), next)))) << i;
    const Value more = Max(next, Y(0));
    EXPECT_FALSE(quotient_is_bounded(Add(Mul(sum, ExpLess(m, more)), ExpLess(X(i), more)))) << i;
    m = next;
  }
  // In blocks of 16.
  const auto maximum = [&](Value init, Value element, int64_t count) {
    return Fold(
        {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(Intrinsic::kMaximum), .type = kF32},
        init, element, count);
  };
  const auto add = [&](Value init, Value element, int64_t count) {
    return Fold(
        {.family = Op::kBinary, .code = static_cast<uint8_t>(BinaryOp::kFAdd), .type = kF32}, init,
        element, count);
  };
  const Value first = Greatest(AtK(), 16), next = maximum(first, AtK(16), 16);
  const Value before = Sum(ExpLess(AtK(), first), 16);
  const Value rescaled = Mul(before, ExpLess(first, next));
  EXPECT_TRUE(quotient_is_bounded(add(rescaled, ExpLess(AtK(16), next), 16)));
  EXPECT_FALSE(quotient_is_bounded(add(rescaled, ExpLess(AtK(16), next), 15)));
  EXPECT_FALSE(quotient_is_bounded(add(rescaled, ExpLess(AtK(17), next), 16)));
  EXPECT_FALSE(quotient_is_bounded(add(F(0), ExpLess(AtK(16), next), 16)));
}

TEST_F(GreatestTest, AnEqualDivisorIsKnownAgain) {
  const Value m = Greatest(AtK(), 64);
  const auto lanes = [&](int count) {
    Value sum = F(0);
    for (int lane = 0; lane < count; ++lane) {
      sum = Op2(BinaryOp::kFAdd, sum, Sum(ExpLess(AtK(lane, 8), m), 8));
    }
    return sum;
  };
  bounds_.UseNormaliser(&normaliser_);
  EXPECT_FALSE(IsBounded(Div(F(1), lanes(8))));
  EXPECT_TRUE(IsBounded(Div(F(1), Sum(ExpLess(AtK(), m), 64))));
  EXPECT_TRUE(IsBounded(Div(F(1), lanes(8))));
  EXPECT_GE(bounds_.Of(Div(F(1), lanes(8)), kF32)->real.low, 0.015);
  EXPECT_FALSE(IsBounded(Div(F(1), lanes(7))));
  EXPECT_FALSE(IsBounded(Div(F(1), Op2(BinaryOp::kFSub, lanes(8), F(1)))));
}

TEST_F(GreatestTest, AHeldMaximumIsOneIfNothingRounds) {
  const Op held = {.family = Op::kHeld, .type = kF32, .name = 3};
  const Value m = terms_.Apply(held, {Greatest(AtK(), 64)});
  const Value sums = terms_.Apply(held, {Greatest(Op2(BinaryOp::kFAdd, AtK(), AtK(64)), 64)});
  const Value sum = Op2(BinaryOp::kFAdd, X(5), X(69));
  EXPECT_FALSE(IsBounded(ExpLess(X(5), m)));
  bounds_.SetHeld(3, {.error = 0x1p-30});
  EXPECT_FALSE(IsBounded(ExpLess(X(5), m)));
  bounds_.SetHeld(3, {.error = 0});
  EXPECT_TRUE(IsBounded(ExpLess(X(5), m)));
  EXPECT_FALSE(IsBounded(ExpLess(X(64), m)));
  EXPECT_FALSE(IsBounded(ExpLess(sum, sums)));  // rounds, and is held as the real sum
}

TEST_F(GreatestTest, AHeldDifferenceKeepsItsRelativeError) {
  const Value m = Greatest(AtK(), 64);
  const Op held = {.family = Op::kHeld, .type = kF32, .name = 3};
  const Value power = Call("expf", terms_.Apply(held, {Sub(X(5), m)}));
  bounds_.SetHeld(3, {.error = 1e-3});
  EXPECT_GE(bounds_.Of(power, kF32)->error, 1e-3);
  bounds_.SetHeld(3, {.error = 1e-3, .floor = 0, .relative = 0x1p-24});
  EXPECT_LE(bounds_.Of(power, kF32)->error, 0x1p-20);
  EXPECT_GE(bounds_.Of(power, kF32)->error, 0x1p-26);
  bounds_.SetHeld(3, {.error = 1e-3, .floor = 1e-4, .relative = 0x1p-24});
  EXPECT_GE(bounds_.Of(power, kF32)->error, 1e-4);
}

// Softmax of rows of random numbers: what is computed lies within the bound.
TEST_F(GreatestTest, SoftmaxIsWithinItsBound) {
  const Value m = Greatest(AtK(), 64);
  const Value quotient = Div(ExpLess(X(5), m), Sum(ExpLess(AtK(), m), 64));
  const Bound bound = *bounds_.Of(quotient, kF32);
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const double width = std::pow(10.0, round % 4);
    float x[64], greatest = -INFINITY, sum = 0;
    double exact = 0;
    for (float& v : x) {
      v = static_cast<float>(std::uniform_real_distribution<double>(-width, width)(random));
      greatest = std::max(greatest, v);
    }
    for (float v : x) {
      sum += std::exp(v - greatest);
      exact += std::exp(double{v} - greatest);
    }
    const double real = std::exp(double{x[5]} - greatest) / exact;
    const float computed = std::exp(x[5] - greatest) / sum;
    EXPECT_LE(std::fabs(computed - real), bound.error);
    EXPECT_GE(real, bound.real.low);
    EXPECT_LE(computed, bound.computed.high);
  }
}

}  // namespace quern::verifier
