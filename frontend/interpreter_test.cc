#include "frontend/interpreter.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::HasSubstr;
using Vector = std::vector<double>;

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kMin = -2147483648.0, kMax = 2147483647.0;

// "4xf32" of "f32[4]".
static std::string Mlir(const std::string& type) {
  TensorType parsed = ParseTensorType(type).value();
  std::string text = "tensor<";
  for (int64_t extent : parsed.shape) absl::StrAppend(&text, extent, "x");
  return absl::StrCat(text, Name(parsed.element), ">");
}

// The results of `text`, whose operands are %0, %1, ... and whose result is %r.
static Vector Evaluate(const std::string& text, const std::vector<std::string>& types,
                       const std::vector<Vector>& operands, const std::string& result) {
  std::string arguments;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&arguments, i > 0 ? ", " : "", "%", "a", i, ": ", Mlir(types[i]));
    inputs.push_back(MakeTensor(types[i], operands[i]));
  }
  Spec spec = MustParse(absl::StrCat("func.func @main(", arguments, ") -> ", Mlir(result), " {\n",
                                     text, "\nreturn %r : ", Mlir(result), "\n}\n"));
  absl::StatusOr<std::vector<Tensor>> results = Interpret(spec, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? Elements(results->front()) : Vector();
}

struct Case {
  std::string op, type;
  std::vector<Vector> operands;
  Vector expected;
};

class UnaryAndBinaryTest : public ::testing::TestWithParam<Case> {};

TEST_P(UnaryAndBinaryTest, GivesTheValuesOfTheSpecification) {
  const Case& c = GetParam();
  const std::string type = absl::StrCat(c.type, "[", c.expected.size(), "]");
  const std::string operands = c.operands.size() == 1 ? "%a0" : "%a0, %a1";
  const Vector actual =
      Evaluate(absl::StrCat("%r = stablehlo.", c.op, " ", operands, " : ", Mlir(type)),
               std::vector<std::string>(c.operands.size(), type), c.operands, type);
  EXPECT_TRUE(SameElements(actual, c.expected)) << c.op << ": " << ::testing::PrintToString(actual);
}

INSTANTIATE_TEST_SUITE_P(
    Float, UnaryAndBinaryTest,
    ::testing::Values(
        Case{"abs", "f32", {{-1.5, -0.0, -kInf, kNan}}, {1.5, 0, kInf, kNan}},
        Case{"negate", "f32", {{-1.5, 0.0, kInf}}, {1.5, -0.0, -kInf}},
        Case{"sign", "f32", {{-2, -0.0, 0, 3, kNan}}, {-1, -0.0, 0, 1, kNan}},
        Case{"floor", "f32", {{-1.5, -0.0, 1.5, kInf}}, {-2, -0.0, 1, kInf}},
        Case{"ceil", "bf16", {{-0.5, 1.5, 2}}, {-0.0, 2, 2}},
        Case{"exponential", "f32", {{0, -kInf, 1000}}, {1, 0, kInf}},
        Case{"exponential_minus_one", "f32", {{0, 1e-10}}, {0, double{1e-10f}}},
        Case{"log", "f32", {{1, 0, -1, kInf}}, {0, -kInf, kNan, kInf}},
        Case{"log_plus_one", "f32", {{0, 1e-10}}, {0, double{1e-10f}}},
        Case{"logistic", "f32", {{0, -kInf, kInf}}, {0.5, 0, 1}},
        Case{"tanh", "f32", {{0, kInf, -kInf}}, {0, 1, -1}},
        Case{"sqrt", "f32", {{4, -0.0, -1}}, {2, -0.0, kNan}},
        Case{"rsqrt", "f32", {{4, 0, -0.0}}, {0.5, kInf, -kInf}}, Case{"cosine", "f32", {{0}}, {1}},
        Case{"sine", "f32", {{-0.0}}, {-0.0}},
        Case{"maximum",
             "f32",
             {{1, kNan, 1, -0.0, 0}, {2, 1, kNan, 0, -0.0}},
             {2, kNan, kNan, 0, 0}},
        Case{"minimum", "f32", {{1, kNan, -0.0, 0}, {2, 1, 0, -0.0}}, {1, kNan, -0.0, -0.0}},
        Case{"divide", "f32", {{1, 0, -1}, {0, 0, kInf}}, {kInf, kNan, -0.0}},
        Case{"remainder", "f32", {{5.5, -5.5, 1}, {2, 2, 0}}, {1.5, -1.5, kNan}},
        Case{"power", "f32", {{2, kNan, 0, -8}, {3, 0, -1, 0.5}}, {8, 1, kInf, kNan}},
        // 256 + 1 is not a bf16; ties go to even.
        Case{"add", "bf16", {{256, 258}, {1, 1}}, {256, 260}},
        Case{"multiply", "bf16", {{1.0078125}, {1.0078125}}, {1.015625}}));

INSTANTIATE_TEST_SUITE_P(
    Integer, UnaryAndBinaryTest,
    ::testing::Values(
        Case{"abs", "i32", {{-3, kMin}}, {3, kMin}}, Case{"negate", "i32", {{3, kMin}}, {-3, kMin}},
        Case{"sign", "i32", {{-3, 0, 3}}, {-1, 0, 1}}, Case{"not", "i32", {{0, -1}}, {-1, 0}},
        Case{"not", "i1", {{0, 1}}, {1, 0}}, Case{"add", "i32", {{kMax}, {1}}, {kMin}},
        Case{"subtract", "i32", {{kMin}, {1}}, {kMax}},
        Case{"multiply", "i32", {{65536, 3}, {65536, -4}}, {0, -12}},
        Case{"divide", "i32", {{-7, 7, kMin}, {2, 0, -1}}, {-3, -1, kMin}},
        Case{"remainder", "i32", {{-7, 7, kMin}, {2, 0, -1}}, {-1, 7, 0}},
        Case{"power",
             "i32",
             {{3, -1, -1, 1, 2, 0, 7}, {4, -3, -2, -9, -1, -1, 0}},
             {81, -1, 1, 1, 0, 0, 1}},
        Case{"power", "i32", {{2, 3}, {40, 41}}, {0, 2069870691}},
        Case{"maximum", "i32", {{-3}, {2}}, {2}}, Case{"minimum", "i1", {{1, 1}, {0, 1}}, {0, 1}},
        Case{"and", "i32", {{12}, {10}}, {8}}, Case{"or", "i32", {{12}, {10}}, {14}},
        Case{"xor", "i1", {{1, 0}, {1, 1}}, {0, 1}}, Case{"add", "i1", {{1, 0}, {1, 0}}, {1, 0}},
        Case{"multiply", "i1", {{1, 1}, {1, 0}}, {1, 0}}));

TEST(InterpreterTest, ConvertsBetweenAllTypes) {
  auto convert = [](const std::string& from, const std::string& to, const Vector& elements) {
    const std::string suffix = absl::StrCat("[", elements.size(), "]");
    return Evaluate(absl::StrCat("%r = stablehlo.convert %a0 : (", Mlir(from + suffix), ") -> ",
                                 Mlir(to + suffix)),
                    {from + suffix}, {elements}, to + suffix);
  };
  EXPECT_TRUE(
      SameElements(convert("f32", "i32", {1.9, -1.9, kNan, 1e10, -1e10}), {1, -1, 0, kMax, kMin}));
  EXPECT_TRUE(SameElements(convert("f32", "i1", {0, -0.0, 0.5, kNan}), {0, 0, 1, 1}));
  EXPECT_TRUE(SameElements(convert("i32", "f32", {16777217, kMax}), {16777216, 2147483648.0}));
  EXPECT_TRUE(SameElements(convert("f32", "bf16", {257, 259}), {256, 260}));
  EXPECT_TRUE(SameElements(convert("i1", "i32", {0, 1}), {0, 1}));
  EXPECT_TRUE(SameElements(convert("i32", "i1", {0, -5}), {0, 1}));
  EXPECT_TRUE(SameElements(convert("bf16", "bf16", {1.5, -0.0}), {1.5, -0.0}));
  // Just above a tie of two bf16: rounding to f32 first would lose the last bit.
  EXPECT_TRUE(SameElements(convert("i32", "bf16", {0x40400001, -0x40400001, 0x40400000}),
                           {double{0x40800000}, -double{0x40800000}, double{0x40000000}}));
}

TEST(InterpreterTest, ComparesByFloatAndByTotalOrder) {
  const Vector a = {kNan, -0.0, 1, -kInf}, b = {kNan, 0.0, 2, kNan};
  auto compare = [&](const std::string& direction, const std::string& type) {
    return Evaluate(absl::StrCat("%r = stablehlo.compare ", direction, ", %a0, %a1, ", type,
                                 " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"),
                    {"f32[4]", "f32[4]"}, {a, b}, "i1[4]");
  };
  EXPECT_EQ(compare("EQ", "FLOAT"), (Vector{0, 1, 0, 0}));
  EXPECT_EQ(compare("NE", "FLOAT"), (Vector{1, 0, 1, 1}));
  EXPECT_EQ(compare("LT", "FLOAT"), (Vector{0, 0, 1, 0}));
  EXPECT_EQ(compare("GE", "FLOAT"), (Vector{0, 1, 0, 0}));
  EXPECT_EQ(compare("EQ", "TOTALORDER"), (Vector{1, 0, 0, 0}));
  EXPECT_EQ(compare("LT", "TOTALORDER"), (Vector{0, 1, 1, 1}));
  EXPECT_EQ(compare("GT", "TOTALORDER"), (Vector{0, 0, 0, 0}));
}

TEST(InterpreterTest, SelectsClampsAndTestsForFinite) {
  EXPECT_EQ(Evaluate("%r = stablehlo.select %a0, %a1, %a2 : tensor<i1>, tensor<2xf32>",
                     {"i1[]", "f32[2]", "f32[2]"}, {{1}, {1, 2}, {3, 4}}, "f32[2]"),
            (Vector{1, 2}));
  EXPECT_EQ(Evaluate("%r = stablehlo.select %a0, %a1, %a2 : tensor<2xi1>, tensor<2xbf16>",
                     {"i1[2]", "bf16[2]", "bf16[2]"}, {{1, 0}, {1, 2}, {3, 4}}, "bf16[2]"),
            (Vector{1, 4}));
  EXPECT_TRUE(SameElements(
      Evaluate("%r = stablehlo.clamp %a0, %a1, %a2 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> "
               "tensor<4xf32>",
               {"f32[]", "f32[4]", "f32[]"}, {{-1}, {-5, 0.5, 5, kNan}, {1}}, "f32[4]"),
      {-1, 0.5, 1, kNan}));
  EXPECT_EQ(Evaluate("%r = stablehlo.is_finite %a0 : (tensor<3xf32>) -> tensor<3xi1>", {"f32[3]"},
                     {{1, kInf, kNan}}, "i1[3]"),
            (Vector{1, 0, 0}));
}

TEST(InterpreterTest, MovesData) {
  EXPECT_EQ(Evaluate("%r = stablehlo.transpose %a0, dims = [2, 0, 1] : (tensor<2x1x3xf32>) -> "
                     "tensor<3x2x1xf32>",
                     {"f32[2,1,3]"}, {{0, 1, 2, 3, 4, 5}}, "f32[3,2,1]"),
            (Vector{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(Evaluate("%r = stablehlo.broadcast_in_dim %a0, dims = [2, 0] : (tensor<1x2xi32>) -> "
                     "tensor<2x2x2xi32>",
                     {"i32[1,2]"}, {{7, 8}}, "i32[2,2,2]"),
            (Vector{7, 7, 7, 7, 8, 8, 8, 8}));
  EXPECT_EQ(Evaluate("%r = stablehlo.slice %a0 [1:3, 0:3:2] : (tensor<3x3xi1>) -> tensor<2x2xi1>",
                     {"i1[3,3]"}, {{0, 0, 0, 1, 0, 0, 0, 1, 1}}, "i1[2,2]"),
            (Vector{1, 0, 0, 1}));
  EXPECT_EQ(Evaluate("%r = stablehlo.reshape %a0 : (tensor<2x2xbf16>) -> tensor<4xbf16>",
                     {"bf16[2,2]"}, {{1, 2, 3, 4}}, "bf16[4]"),
            (Vector{1, 2, 3, 4}));
  EXPECT_EQ(Evaluate("%r = stablehlo.iota dim = 1 : tensor<2x3xi32>", {}, {}, "i32[2,3]"),
            (Vector{0, 1, 2, 0, 1, 2}));
  const Vector iota =
      Evaluate("%r = stablehlo.iota dim = 0 : tensor<258xbf16>", {}, {}, "bf16[258]");
  EXPECT_EQ(iota[257], 256);
}

TEST(InterpreterTest, ReadsConstants) {
  EXPECT_EQ(Evaluate("%r = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>", {}, {},
                     "i1[3]"),
            (Vector{1, 0, 1}));
  EXPECT_EQ(Evaluate("%r = stablehlo.constant dense<true> : tensor<3xi1>", {}, {}, "i1[3]"),
            (Vector{1, 1, 1}));
  EXPECT_TRUE(SameElements(
      Evaluate("%r = stablehlo.constant dense<[0x7FC00000, 0xFF800000, -0.0]> : tensor<3xf32>", {},
               {}, "f32[3]"),
      {kNan, -kInf, -0.0}));
  EXPECT_EQ(
      Evaluate("%r = stablehlo.constant dense<\"0x803F0040\"> : tensor<2xbf16>", {}, {}, "bf16[2]"),
      (Vector{1, 2}));
}

TEST(InterpreterTest, ReducesInRowMajorOrderFromTheInitValue) {
  // ((2^24 + 1) + 1) + 1 stays at 2^24 in f32; any other order would not.
  EXPECT_EQ(Evaluate("%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo.add across dimensions "
                     "= [0, 1] : (tensor<3x1xf32>, tensor<f32>) -> tensor<f32>",
                     {"f32[3,1]", "f32[]"}, {{1, 1, 1}, {16777216}}, "f32[]"),
            (Vector{16777216}));
  // The accumulator comes first.
  const char* subtract = R"(
    %r = stablehlo.reduce(%a0 init: %a1) across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
     reducer(%x: tensor<i32>, %y: tensor<i32>) {
      %s = stablehlo.subtract %x, %y : tensor<i32>
      stablehlo.return %s : tensor<i32>
    })";
  EXPECT_EQ(Evaluate(subtract, {"i32[2,3]", "i32[]"}, {{1, 2, 3, 4, 5, 6}, {10}}, "i32[2]"),
            (Vector{4, -5}));
}

TEST(InterpreterTest, ReducesOverAnyDimensionsAndManyLanes) {
  Vector elements;
  for (int i = 0; i < 2 * 600 * 2; ++i) elements.push_back(i);
  const std::string text =
      "%t = stablehlo.reshape %a0 : (tensor<2400xi32>) -> tensor<2x2x600xi32>\n"
      "%r = stablehlo.reduce(%t init: %a1) applies stablehlo.add across dimensions = [0] : "
      "(tensor<2x2x600xi32>, tensor<i32>) -> tensor<2x600xi32>";
  const Vector sums = Evaluate(text, {"i32[2400]", "i32[]"}, {elements, {1}}, "i32[2,600]");
  ASSERT_EQ(sums.size(), 1200u);
  for (int i = 0; i < 1200; ++i) ASSERT_EQ(sums[i], i + (i + 1200) + 1) << i;
  EXPECT_EQ(Evaluate("%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo.maximum across "
                     "dimensions = [] : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>",
                     {"i32[2]", "i32[]"}, {{1, 9}, {5}}, "i32[2]"),
            (Vector{5, 9}));
}

// The second result is the first's index; a body of many ops, and a constant from outside.
TEST(InterpreterTest, ReducesPairsWithABodyThatUsesOuterValues) {
  const char* argmax = R"(
    %i = stablehlo.iota dim = 0 : tensor<5xi32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m:2 = stablehlo.reduce(%a0 init: %low), (%i init: %zero) across dimensions = [0] : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%x: tensor<f32>, %y: tensor<f32>) (%xi: tensor<i32>, %yi: tensor<i32>) {
      %inner = stablehlo.constant dense<1> : tensor<i32>
      %gt = stablehlo.compare GT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = stablehlo.select %gt, %x, %y : tensor<i1>, tensor<f32>
      %n = stablehlo.add %yi, %inner : tensor<i32>
      %k = stablehlo.select %gt, %xi, %n : tensor<i1>, tensor<i32>
      stablehlo.return %v, %k : tensor<f32>, tensor<i32>
    }
    %r = stablehlo.multiply %m#1, %one : tensor<i32>)";
  EXPECT_EQ(Evaluate(argmax, {"f32[5]"}, {{1, 7, 3, 8, 2}}, "i32[]"), (Vector{4}));
}

TEST(InterpreterTest, ReduceMaySwapItsAccumulators) {
  const char* swap = R"(
    %m:2 = stablehlo.reduce(%a0 init: %a1), (%a0 init: %a2) across dimensions = [0] : (tensor<3xi32>, tensor<3xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
     reducer(%x: tensor<i32>, %y: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      stablehlo.return %p, %x : tensor<i32>, tensor<i32>
    }
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %t = stablehlo.multiply %m#0, %ten : tensor<i32>
    %r = stablehlo.add %t, %m#1 : tensor<i32>)";
  EXPECT_EQ(Evaluate(swap, {"i32[3]", "i32[]", "i32[]"}, {{0, 0, 0}, {1}, {2}}, "i32[]"),
            (Vector{21}));
}

TEST(InterpreterTest, MultipliesMatrices) {
  EXPECT_EQ(Evaluate("%r = stablehlo.dot_general %a0, %a1, batching_dims = [1] x [0], "
                     "contracting_dims = [0] x [2] : (tensor<2x2x1xf32>, tensor<2x3x2xf32>) -> "
                     "tensor<2x1x3xf32>",
                     {"f32[2,2,1]", "f32[2,3,2]"},
                     {{1, 2, 3, 4}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 1, -1}}, "f32[2,1,3]"),
            (Vector{1, 3, 4, 4, 8, -2}));
  EXPECT_EQ(Evaluate("%r = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0] : "
                     "(tensor<2xi32>, tensor<2xi32>) -> tensor<i32>",
                     {"i32[2]", "i32[2]"}, {{65536, kMax}, {65536, 2}}, "i32[]"),
            (Vector{-2}));
  EXPECT_EQ(Evaluate("%r = stablehlo.dot_general %a0, %a1, contracting_dims = [1] x [0] : "
                     "(tensor<2x0xf32>, tensor<0x1xf32>) -> tensor<2x1xf32>",
                     {"f32[2,0]", "f32[0,1]"}, {{}, {}}, "f32[2,1]"),
            (Vector{0, 0}));
  EXPECT_EQ(Evaluate("%r = stablehlo.dot_general %a0, %a1, contracting_dims = [] x [] : "
                     "(tensor<2xi1>, tensor<2xi1>) -> tensor<2x2xi1>",
                     {"i1[2]", "i1[2]"}, {{0, 1}, {1, 1}}, "i1[2,2]"),
            (Vector{0, 0, 1, 1}));
}

TEST(InterpreterTest, DotOfBf16SumsInF32AndRoundsOnce) {
  // In bf16 sums 256 + 1 + 1 would stay at 256.
  const std::vector<Vector> operands = {{256, 1, 1, 1}, {1, 1, 1, 1}};
  for (const char* result : {"bf16", "f32"}) {
    const std::string text = absl::StrCat(
        "%r = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0] : (tensor<4xbf16>, "
        "tensor<4xbf16>) -> tensor<",
        result, ">");
    EXPECT_EQ(Evaluate(text, {"bf16[4]", "bf16[4]"}, operands, absl::StrCat(result, "[]")),
              (Vector{std::string(result) == "f32" ? 259.0 : 260.0}));
  }
}

TEST(InterpreterTest, HandlesEmptyTensors) {
  EXPECT_EQ(Evaluate("%r = stablehlo.reduce(%a0 init: %a1) applies stablehlo.add across dimensions "
                     "= [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>",
                     {"f32[2,0]", "f32[]"}, {{}, {3}}, "f32[2]"),
            (Vector{3, 3}));
  EXPECT_EQ(Evaluate("%t = stablehlo.transpose %a0, dims = [1, 0] : (tensor<2x0xf32>) -> "
                     "tensor<0x2xf32>\n%r = stablehlo.negate %t : tensor<0x2xf32>",
                     {"f32[2,0]"}, {{}}, "f32[0,2]"),
            (Vector{}));
}

TEST(InterpreterTest, ReturnsArgumentsAndRepeatedResults) {
  Spec spec = MustParse(R"(func.func @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    return %a, %a : tensor<2xf32>, tensor<2xf32>
  })");
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2]", {1, 2}));
  absl::StatusOr<std::vector<Tensor>> results = Interpret(spec, inputs);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(Elements((*results)[0]), (Vector{1, 2}));
  EXPECT_EQ(Elements((*results)[1]), (Vector{1, 2}));
}

TEST(InterpreterTest, RefusesInputsThatDoNotFit) {
  Spec spec = MustParse(
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "return %a : tensor<2xf32>\n}");
  EXPECT_THAT(std::string(Interpret(spec, {}).status().message()),
              HasSubstr("takes 1 arguments, not 0"));
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i32[2]", {1, 2}));
  EXPECT_THAT(std::string(Interpret(spec, inputs).status().message()),
              HasSubstr("argument 0 is a i32[2], not a f32[2]"));
}

}  // namespace quern::frontend
