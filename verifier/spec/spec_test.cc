#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"

namespace quern::verifier {

using ::testing::HasSubstr;

static SpecGraph Read(const std::string& text) {
  absl::StatusOr<SpecGraph> graph = ReadSpec(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : SpecGraph();
}

static Tensor Make(TensorType type, const std::vector<double>& values) {
  Tensor tensor = *Tensor::Create(std::move(type));
  for (size_t i = 0; i < values.size(); ++i) tensor.Set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

static std::vector<Tensor> One(Tensor tensor) {
  std::vector<Tensor> tensors;
  tensors.push_back(std::move(tensor));
  return tensors;
}

static Tensor Random(TensorType type, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-4, 4);
  Tensor tensor = *Tensor::Create(std::move(type));
  for (int64_t i = 0; i < tensor.type().num_elements(); ++i) tensor.Set(i, uniform(random));
  return tensor;
}

static std::vector<double> Evaluate(const std::string& text, const std::vector<Tensor>& inputs,
                                    int result = 0) {
  const SpecGraph graph = Read(text);
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  absl::StatusOr<Tensor> tensor = Evaluator(graph, pointers).Result(result);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<double> values;
  for (int64_t i = 0; tensor.ok() && i < tensor->type().num_elements(); ++i) {
    values.push_back(tensor->At(i));
  }
  return values;
}

// One op on scalars of one type.
static double EvaluateScalar(const std::string& op, const std::string& element,
                             const std::vector<double>& operands) {
  const std::string type = "tensor<" + element + ">";
  std::string parameters, uses;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "%a" + std::to_string(i);
    parameters += (i == 0 ? "" : ", ") + name + ": " + type;
    uses += (i == 0 ? "" : ", ") + name;
    inputs.push_back(Make({.element = *ParseElementType(element), .shape = {}}, {operands[i]}));
  }
  return Evaluate("func.func @main(" + parameters + ") -> " + type + " {\n %0 = stablehlo." + op +
                      " " + uses + " : " + type + "\n return %0 : " + type + "\n}",
                  inputs)[0];
}

TEST(Evaluator, RoundsOnceInTheDeclaredType) {
  EXPECT_EQ(EvaluateScalar("add", "f32", {16777216, 1}), 16777216);
  EXPECT_EQ(EvaluateScalar("add", "bf16", {256, 1}), 256);
  EXPECT_EQ(EvaluateScalar("add", "bf16", {256, 3}), 260);  // a tie, to even
  EXPECT_EQ(EvaluateScalar("add", "i32", {2147483647, 1}), -2147483648.0);
  EXPECT_EQ(EvaluateScalar("add", "i1", {1, 1}), 1);
  EXPECT_EQ(EvaluateScalar("multiply", "i32", {65536, 65536}), 0);
  EXPECT_EQ(EvaluateScalar("divide", "i32", {-7, 2}), -3);
  EXPECT_EQ(EvaluateScalar("remainder", "i32", {-7, 2}), -1);
  EXPECT_EQ(EvaluateScalar("subtract", "f32", {1, 3}), -2);
}

TEST(Evaluator, KeepsNaNsAndSignedZeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(EvaluateScalar("maximum", "f32", {nan, 1})));
  EXPECT_TRUE(std::isnan(EvaluateScalar("minimum", "f32", {1, nan})));
  EXPECT_FALSE(std::signbit(EvaluateScalar("maximum", "f32", {-0.0, 0.0})));
  EXPECT_TRUE(std::signbit(EvaluateScalar("minimum", "f32", {0.0, -0.0})));
  EXPECT_TRUE(std::signbit(EvaluateScalar("sign", "f32", {-0.0})));
  EXPECT_TRUE(std::isnan(EvaluateScalar("clamp", "f32", {0, nan, 1})));
  EXPECT_EQ(EvaluateScalar("clamp", "f32", {0, 7, 1}), 1);
}

TEST(Evaluator, TellsWhetherItRounded) {
  std::feclearexcept(FE_INEXACT);
  EvaluateScalar("add", "bf16", {128, 1});
  EXPECT_EQ(std::fetestexcept(FE_INEXACT), 0);
  EvaluateScalar("add", "bf16", {256, 1});  // exact in f32
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
}

TEST(Evaluator, Converts) {
  const auto convert = [](double value, const std::string& from, const std::string& to) {
    return Evaluate("func.func @main(%a: tensor<" + from + ">) -> tensor<" + to +
                        "> {\n %0 = stablehlo.convert %a : (tensor<" + from + ">) -> tensor<" + to +
                        ">\n return %0 : tensor<" + to + ">\n}",
                    One(Make({.element = *ParseElementType(from), .shape = {}}, {value})))[0];
  };
  EXPECT_EQ(convert(2.9, "f32", "i32"), 2);
  EXPECT_EQ(convert(-2.9, "f32", "i32"), -2);
  EXPECT_EQ(convert(3e9, "f32", "i32"), 2147483647);
  EXPECT_EQ(convert(0.5, "f32", "i1"), 1);
  EXPECT_EQ(convert(1.0 + 1.0 / 128 + 1.0 / 256, "f32", "bf16"), 1.015625);
  // Rounding to f32 first would make a tie of this.
  EXPECT_EQ(convert(16842753, "i32", "bf16"), 16908288);
  EXPECT_EQ(convert(16842752, "i32", "bf16"), 16777216);
  EXPECT_EQ(convert(-16842753, "i32", "bf16"), -16908288);
}

TEST(Evaluator, MovesData) {
  const std::vector<Tensor> inputs = [] {
    std::vector<Tensor> in;
    in.push_back(Make({.element = ElementType::kI32, .shape = {2, 3}}, {0, 1, 2, 3, 4, 5}));
    return in;
  }();
  const auto run = [&](const std::string& op, const std::string& type) {
    return Evaluate("func.func @main(%a: tensor<2x3xi32>) -> tensor<" + type +
                        "> {\n %0 = stablehlo." + op + " : (tensor<2x3xi32>) -> tensor<" + type +
                        ">\n return %0 : tensor<" + type + ">\n}",
                    inputs);
  };
  using List = std::vector<double>;
  EXPECT_EQ(run("transpose %a, dims = [1, 0]", "3x2xi32"), (List{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(run("reshape %a", "3x2xi32"), (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run("slice %a [1:2, 0:3:2]", "1x2xi32"), (List{3, 5}));
  EXPECT_EQ(run("broadcast_in_dim %a, dims = [2, 0]", "3x1x2xi32"), (List{0, 3, 1, 4, 2, 5}));
}

TEST(Evaluator, MakesIotasAndConstants) {
  const std::string text = R"(func.func @main() -> tensor<2x3xbf16> {
    %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xbf16>
    %i = stablehlo.iota dim = 1 : tensor<2x3xbf16>
    %s = stablehlo.constant dense<10.0> : tensor<2x3xbf16>
    %0 = stablehlo.multiply %i, %s : tensor<2x3xbf16>
    %1 = stablehlo.add %0, %c : tensor<2x3xbf16>
    return %1 : tensor<2x3xbf16>
  })";
  EXPECT_EQ(Evaluate(text, {}), (std::vector<double>{1, 12, 23, 4, 15, 26}));
}

TEST(Evaluator, FoldsFromTheInitialValueInOrder) {
  const std::string text = R"(func.func @main(%a: tensor<2x3xf32>) -> tensor<2xf32> {
    %c = stablehlo.constant dense<16777216.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })";
  std::vector<Tensor> inputs;
  inputs.push_back(Make({.element = ElementType::kF32, .shape = {2, 3}}, {1, 1, 1, 2, 1, 1}));
  // Each 1 is half a unit in the last place: lost at an even number, else a whole unit.
  EXPECT_EQ(Evaluate(text, inputs), (std::vector<double>{16777216, 16777220}));
}

TEST(Evaluator, FoldsSeveralResults) {
  const std::string text = R"(func.func @main(%a: tensor<4xf32>) -> (tensor<f32>, tensor<i32>) {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<4xi32>
    %0:2 = stablehlo.reduce(%a init: %lowest), (%i init: %zero) across dimensions = [0]
        : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
        %g = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f32>
        %w = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>
        stablehlo.return %v, %w : tensor<f32>, tensor<i32>
      }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  })";
  std::vector<Tensor> inputs;
  inputs.push_back(Make({.element = ElementType::kF32, .shape = {4}}, {1, 5, 5, 2}));
  EXPECT_EQ(Evaluate(text, inputs, 0), (std::vector<double>{5}));
  EXPECT_EQ(Evaluate(text, inputs, 1), (std::vector<double>{1}));
}

TEST(Evaluator, SumsProductsWithBatches) {
  const std::string text = R"(func.func @main(%a: tensor<2x3x4xbf16>, %b: tensor<4x2x5xbf16>)
      -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims = [2] x [0]
        : (tensor<2x3x4xbf16>, tensor<4x2x5xbf16>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  })";
  std::vector<Tensor> inputs;
  inputs.push_back(Random({.element = ElementType::kBF16, .shape = {2, 3, 4}}, 1));
  inputs.push_back(Random({.element = ElementType::kBF16, .shape = {4, 2, 5}}, 2));
  const std::vector<double> values = Evaluate(text, inputs);
  ASSERT_EQ(values.size(), 30);
  for (int b = 0; b < 2; ++b) {
    for (int m = 0; m < 3; ++m) {
      for (int n = 0; n < 5; ++n) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) {
          const auto product = static_cast<float>(inputs[0].At((b * 3 + m) * 4 + k) *
                                                  inputs[1].At((k * 2 + b) * 5 + n));
          sum = sum + product;
        }
        EXPECT_EQ(values[(b * 3 + m) * 5 + n], sum) << b << " " << m << " " << n;
      }
    }
  }
}

TEST(Evaluator, HandlesEmptyReductions) {
  const std::string text = R"(func.func @main(%a: tensor<2x0xf32>, %b: tensor<0x3xf32>)
      -> tensor<2x3xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })";
  std::vector<Tensor> inputs;
  inputs.push_back(Make({.element = ElementType::kF32, .shape = {2, 0}}, {}));
  inputs.push_back(Make({.element = ElementType::kF32, .shape = {0, 3}}, {}));
  EXPECT_EQ(Evaluate(text, inputs), std::vector<double>(6, 0));
}

TEST(Evaluator, SubstitutesCallsAlsoInBodies) {
  const std::string text = R"(module {
    func.func public @other(%a: tensor<3xf32>) -> tensor<f32> {
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.reduce(%a init: %c) across dimensions = [0]
          : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
        reducer(%x: tensor<f32>, %y: tensor<f32>) {
          %2 = func.call @times(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          stablehlo.return %2 : tensor<f32>
        }
      return %0 : tensor<f32>
    }
    func.func private @times(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.multiply %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }
  })";
  std::vector<Tensor> inputs;
  inputs.push_back(Make({.element = ElementType::kF32, .shape = {3}}, {2, 3, 5}));
  EXPECT_EQ(Evaluate(text, inputs), (std::vector<double>{30}));
}

TEST(Reader, RefusesWhatItDoesNotKnow) {
  const auto error = [](const std::string& text) {
    return std::string(ReadSpec(text).status().message());
  };
  EXPECT_THAT(error(""), HasSubstr("no public function"));
  EXPECT_THAT(error("func.func"), HasSubstr("1:"));
  EXPECT_THAT(
      error("func.func @main(%a: tensor<complex<f32>>) -> tensor<complex<f32>> {\n return %a : "
            "tensor<complex<f32>>\n}"),
      HasSubstr("tensor<complex<f32>> is not supported"));
  EXPECT_THAT(error("func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n return %a : "
                    "tensor<?xf32>\n}"),
              HasSubstr("tensor<?xf32> is not supported"));
  EXPECT_THAT(error("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                    " %0 = stablehlo.custom_call @f(%a) : (tensor<f32>) -> tensor<f32>\n"
                    " return %0 : tensor<f32>\n}"),
              HasSubstr("2:7: stablehlo.custom_call: is not supported"));
  EXPECT_THAT(error("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                    " %0 = call @main(%a) : (tensor<f32>) -> tensor<f32>\n"
                    " return %0 : tensor<f32>\n}"),
              HasSubstr("may be recursive"));
  EXPECT_THAT(error(std::string(100000, '[')), HasSubstr("nest too deeply"));
}

TEST(Evaluator, RefusesElementsThatAreNotThere) {
  const SpecGraph graph =
      Read("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n return %a : tensor<2xf32>\n}");
  const Tensor input = Make({.element = ElementType::kF32, .shape = {2}}, {1, 2});
  Evaluator evaluator(graph, {&input});
  EXPECT_EQ(*evaluator.At(0, {1}), 2);
  EXPECT_FALSE(evaluator.At(0, {2}).ok());
  EXPECT_FALSE(evaluator.At(1, {0}).ok());
  EXPECT_FALSE(evaluator.At(0, {}).ok());
}

}  // namespace quern::verifier
