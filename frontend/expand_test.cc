#include "frontend/expand.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

TEST(ExpandTest, DotMultipliesVectorsAndMatrices) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i32[2,3]", {1, 2, 3, 4, 5, 6}));
  inputs.push_back(MakeTensor("i32[3]", {1, 0, -1}));
  const auto results = RunBody(
      "%r0 = stablehlo.dot %a0, %a1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>\n"
      "%r1 = stablehlo.dot %a1, %a1 : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>",
      {"i32[2]", "i32[]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{-2, -2}));
  EXPECT_EQ(Elements(results[1]), Vector{2});
}

TEST(ExpandTest, BroadcastAddsLeadingDimensions) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i8[2]", {1, 2}));
  const auto results =
      RunBody("%r0 = stablehlo.broadcast %a0, sizes = [2, 1] : (tensor<2xi8>) -> tensor<2x1x2xi8>",
              {"i8[2,1,2]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{1, 2, 1, 2}));
}

TEST(ExpandTest, CustomCallsThatAreOps) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[4]", {3, 1, 2, 5}));
  const auto results = RunBody(
      "%r0, %r1 = stablehlo.custom_call @mhlo.topk(%a0) {mhlo.attributes = {k = 2 : i64, largest = "
      "false}} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
      "%r2, %r3 = stablehlo.custom_call @mhlo.topk(%a0) {mhlo.attributes = {k = 1 : i64}} : "
      "(tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi32>)\n"
      "%r4 = stablehlo.custom_call @mhlo.erf(%a0) : (tensor<4xf32>) -> tensor<4xf32>",
      {"f32[2]", "i32[2]", "f32[1]", "i32[1]", "f32[4]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{1, 2}));
  EXPECT_EQ(Elements(results[1]), (Vector{1, 2}));
  EXPECT_EQ(Elements(results[2]), Vector{5});
  EXPECT_EQ(Elements(results[3]), Vector{3});
  EXPECT_FLOAT_EQ(results[4].At(1), std::erf(1.0f));
}

// operand[n, feature, w], statistics in f64.
struct Norm {
  static constexpr int64_t kN = 2, kFeatures = 3, kW = 4;
  static constexpr double kEpsilon = 0.125;
  std::vector<double> mean = std::vector<double>(kFeatures), variance = mean;

  explicit Norm(const Tensor& x) {
    Each([&](int64_t f, int64_t at) { mean[f] += x.At(at) / (kN * kW); });
    Each([&](int64_t f, int64_t at) {
      variance[f] += (x.At(at) - mean[f]) * (x.At(at) - mean[f]) / (kN * kW);
    });
  }
  template <typename Visit>
  static void Each(Visit visit) {
    for (int64_t at = 0; at < kN * kFeatures * kW; ++at) visit(at / kW % kFeatures, at);
  }
};

static constexpr char kWhole[] = "f64[2,3,4]", kVector[] = "f64[3]";

TEST(ExpandTest, BatchNormTrainingNormalisesWithItsOwnStatistics) {
  std::mt19937 random(14);
  std::vector<Tensor> inputs;
  inputs.push_back(RandomTensor(ParseTensorType(kWhole).value(), -9, 9, random));
  inputs.push_back(MakeTensor(kVector, {1, 2, -3}));
  inputs.push_back(MakeTensor(kVector, {0.5, 0, 4}));
  const auto results = RunBody(
      R"(%r0, %r1, %r2 = "stablehlo.batch_norm_training"(%a0, %a1, %a2) {epsilon = 0.125 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>)
      %r3 = "stablehlo.batch_norm_inference"(%a0, %a1, %a2, %r1, %r2) {epsilon = 0.125 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x4xf64>)",
      {kWhole, kVector, kVector, kWhole}, inputs);
  const Norm norm(inputs[0]);
  for (int64_t f = 0; f < Norm::kFeatures; ++f) {
    EXPECT_NEAR(results[1].At(f), norm.mean[f], 1e-12);
    EXPECT_NEAR(results[2].At(f), norm.variance[f], 1e-12);
  }
  Norm::Each([&](int64_t f, int64_t at) {
    const double normalised =
        (inputs[0].At(at) - norm.mean[f]) / std::sqrt(norm.variance[f] + Norm::kEpsilon);
    EXPECT_NEAR(results[0].At(at), normalised * inputs[1].At(f) + inputs[2].At(f), 1e-12);
  });
  EXPECT_EQ(Elements(results[3]), Elements(results[0]));
}

// The gradient against differences of sum(gradient * training output).
TEST(ExpandTest, BatchNormGradIsTheDerivative) {
  std::mt19937 random(15);
  Tensor x = RandomTensor(ParseTensorType(kWhole).value(), -9, 9, random);
  const Tensor gradient = RandomTensor(x.type(), -5, 5, random);
  const Vector scale = {1, 2, -3};
  auto loss = [&](const Tensor& at_x, const Vector& at_scale) {
    const Norm norm(at_x);
    double sum = 0;
    Norm::Each([&](int64_t f, int64_t at) {
      sum += gradient.At(at) * at_scale[f] * (at_x.At(at) - norm.mean[f]) /
             std::sqrt(norm.variance[f] + Norm::kEpsilon);
    });
    return sum;
  };
  const Norm norm(x);
  std::vector<Tensor> inputs;
  inputs.push_back(x.Clone());
  inputs.push_back(MakeTensor(kVector, scale));
  inputs.push_back(MakeTensor(kVector, norm.mean));
  inputs.push_back(MakeTensor(kVector, norm.variance));
  inputs.push_back(gradient.Clone());
  const auto results = RunBody(
      R"(%r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%a0, %a1, %a2, %a3, %a4) {epsilon = 0.125 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>))",
      {kWhole, kVector, kVector}, inputs);
  static constexpr double kStep = 1e-5;
  Vector offset(3);
  Norm::Each([&](int64_t f, int64_t at) {
    offset[f] += gradient.At(at);
    Tensor above = x.Clone(), below = x.Clone();
    above.Set(at, x.At(at) + kStep);
    below.Set(at, x.At(at) - kStep);
    const double slope = (loss(above, scale) - loss(below, scale)) / (2 * kStep);
    EXPECT_NEAR(results[0].At(at), slope, 1e-6);
  });
  for (int64_t f = 0; f < 3; ++f) {
    Vector above = scale, below = scale;
    above[f] += kStep;
    below[f] -= kStep;
    EXPECT_NEAR(results[1].At(f), (loss(x, above) - loss(x, below)) / (2 * kStep), 1e-6);
    EXPECT_NEAR(results[2].At(f), offset[f], 1e-12);
  }
}

// bf16 pieces of f32 numbers: 1 + 2^-10 is 1 and 2^-10, whose product with itself lacks 2^-20.
TEST(ExpandTest, AlgorithmsOfProductsAreSpelledOut) {
  const auto dot = [](const std::string& lhs, const std::string& accumulator, int components,
                      int products, const std::string& element, const std::string& result) {
    const double x = 1 + std::ldexp(1, -10);
    std::vector<Tensor> inputs;
    inputs.push_back(MakeTensor(element + "[1]", {x}));
    inputs.push_back(MakeTensor(element + "[1]", {x}));
    const auto results = RunBody(
        absl::StrCat("%r0 = stablehlo.dot_general %a0, %a1, contracting_dims = [0] x [0], "
                     "precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = ",
                     lhs, ", rhs_precision_type = ", lhs, ", accumulation_type = ", accumulator,
                     ", lhs_component_count = ", components, ", rhs_component_count = ", components,
                     ", num_primitive_operations = ", products,
                     ", allow_imprecise_accumulation = false> : (tensor<1x", element,
                     ">, tensor<1x", element, ">) -> tensor<", result, ">"),
        {result + "[]"}, inputs);
    return Elements(results[0])[0];
  };
  const double ten = std::ldexp(1, -10), twenty = std::ldexp(1, -20);
  EXPECT_EQ(dot("f32", "f32", 1, 1, "f32", "f32"), 1 + 2 * ten + twenty);
  EXPECT_EQ(dot("tf32", "f32", 1, 1, "f32", "f32"), 1 + 2 * ten + twenty);
  EXPECT_EQ(dot("bf16", "f32", 1, 1, "f32", "f32"), 1);
  EXPECT_EQ(dot("bf16", "f32", 2, 3, "f32", "f32"), 1 + 2 * ten);
  EXPECT_EQ(dot("bf16", "f32", 2, 4, "f32", "f32"), 1 + 2 * ten + twenty);
  EXPECT_EQ(dot("f16", "f32", 1, 1, "f16", "f16"), 1 + 2 * ten);
}

TEST(ExpandTest, RaggedProductsTakeEachGroupsMatrix) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[4,2]", {1, 2, 3, 4, 5, 6, 7, 8}));
  inputs.push_back(MakeTensor("f32[2,2,1]", {1, 0, 0, INFINITY}));
  inputs.push_back(MakeTensor("i32[2]", {2, 1}));
  inputs.push_back(MakeTensor("f32[4,1]", {1, 1, 1, 1}));
  const auto results = RunBody(
      R"(%r0 = "chlo.ragged_dot"(%a0, %a1, %a2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
        lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
        precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} :
        (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
      %r1 = "chlo.ragged_dot"(%a0, %a3, %a2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0],
        lhs_ragged_dimensions = [0]>} :
        (tensor<4x2xf32>, tensor<4x1xf32>, tensor<2xi32>) -> tensor<2x2x1xf32>)",
      {"f32[4,1]", "f32[2,2,1]"}, inputs);
  EXPECT_TRUE(SameElements(Elements(results[0]), {1, 3, INFINITY, 0}));
  EXPECT_EQ(Elements(results[1]), (Vector{4, 6, 5, 6}));
}

TEST(ExpandTest, BodiesMayWorkOnWiderTypes) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i8[3]", {100, 100, 100}));
  inputs.push_back(MakeTensor("i8[]", {0}));
  inputs.push_back(MakeTensor("i32[1]", {1}));
  const std::string wide = R"(({
      ^bb0(%x: tensor<i16>, %y: tensor<i16>):
        %s = stablehlo.add %x, %y : tensor<i16>
        stablehlo.return %s : tensor<i16>
      }))";
  const auto results = RunBody(
      R"(%r0 = "stablehlo.reduce"(%a0, %a1) )" + wide +
          R"( {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> tensor<i16>
      %r1 = "stablehlo.reduce_window"(%a0, %a1) )" +
          wide +
          R"( {window_dimensions = array<i64: 2>} : (tensor<3xi8>, tensor<i8>) -> tensor<2xi16>
      %u = stablehlo.slice %a0 [0:1] : (tensor<3xi8>) -> tensor<1xi8>
      %v = stablehlo.reshape %u : (tensor<1xi8>) -> tensor<i8>
      %r2 = "stablehlo.scatter"(%a0, %a2, %v) )" +
          wide +
          R"( {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0]>} :
          (tensor<3xi8>, tensor<1xi32>, tensor<i8>) -> tensor<3xi16>)",
      {"i16[]", "i16[2]", "i16[3]"}, inputs);
  EXPECT_EQ(Elements(results[0]), Vector{300});
  EXPECT_EQ(Elements(results[1]), (Vector{200, 200}));
  EXPECT_EQ(Elements(results[2]), (Vector{100, 200, 100}));
}

TEST(ExpandTest, TuplesAreTakenApart) {
  const Spec spec = MustParse(R"(
func.func private @pair(%x: tensor<f32>, %y: tensor<i32>) -> tuple<tensor<i32>, tuple<tensor<f32>>> {
  %0 = stablehlo.tuple %x : tuple<tensor<f32>>
  %1 = stablehlo.tuple %y, %0 {xla_shape = "a pair"} : tuple<tensor<i32>, tuple<tensor<f32>>>
  return %1 : tuple<tensor<i32>, tuple<tensor<f32>>>
}
func.func public @main(%x: tensor<f32>, %y: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
  %0 = call @pair(%x, %y) : (tensor<f32>, tensor<i32>) -> tuple<tensor<i32>, tuple<tensor<f32>>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<i32>, tuple<tensor<f32>>>) -> tuple<tensor<f32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<f32>>) -> tensor<f32>
  %3 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<i32>, tuple<tensor<f32>>>) -> tensor<i32>
  return %2, %3 : tensor<f32>, tensor<i32>
})");
  EXPECT_EQ(spec.canonical.find("tuple"), std::string::npos);
  EXPECT_EQ(spec.results.size(), 2u);
}

TEST(ExpandTest, GenericConstantsAndDefaultAccuraciesAreRead) {
  const Spec generic = MustParse(R"(
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %1 = stablehlo.exponential %0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  const Spec plain = MustParse(R"(
func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = stablehlo.exponential %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  EXPECT_EQ(generic.canonical, plain.canonical);
}

TEST(ExpandTest, RandomBitsOfLibrariesAreThreefry) {
  // Of the paper's own test vectors, for 20 rounds.
  std::vector<Tensor> inputs;
  for (const double word : {0x13198a2e, 0x03707344, 0x243f6a88}) {
    inputs.push_back(MakeTensor("ui32[1]", {word}));
  }
  inputs.push_back(MakeTensor("ui32[1]", {static_cast<double>(0x85a308d3u)}));
  const auto results = RunBody(
      "%r0, %r1 = stablehlo.custom_call @cu_threefry2x32_ffi(%a0, %a1, %a2, %a3) : "
      "(tensor<1xui32>, tensor<1xui32>, tensor<1xui32>, tensor<1xui32>) -> (tensor<1xui32>, "
      "tensor<1xui32>)",
      {"ui32[1]", "ui32[1]"}, inputs);
  EXPECT_EQ(Elements(results[0]), Vector{0xc4923a9cu});
  EXPECT_EQ(Elements(results[1]), Vector{0x483df7a0u});
}

TEST(ExpandTest, TriangularSolvesOfLapack) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2,2]", {2, 9, 1, 4}));
  inputs.push_back(MakeTensor("f32[2,1]", {2, 9}));
  const auto results = RunBody(
      "%r0 = stablehlo.custom_call @lapack_strsm_ffi(%a0, %a1) {mhlo.backend_config = {diag = 78 : "
      "ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x2xf32>, "
      "tensor<2x1xf32>) -> tensor<2x1xf32>",
      {"f32[2,1]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{1, 2}));
}

// Sums along a dimension, from either end, with the last sum; as StableHLO's own tests have it.
TEST(ExpandTest, ScansAreLoops) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i32[2,3]", {1, 2, 3, 4, 5, 6}));
  inputs.push_back(MakeTensor("i32[2]", {0, 10}));
  const auto scan = [](const std::string& results, const std::string& attributes) {
    return results + " = chlo.scan(%a0) inits(%a1) dimension=1 " + attributes + R"( {
      ^bb0(%x: tensor<2xi32>, %sum: tensor<2xi32>):
        %s = stablehlo.add %x, %sum : tensor<2xi32>
        stablehlo.return %s, %s : tensor<2xi32>, tensor<2xi32>
      } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
      )";
  };
  const auto results =
      RunBody(scan("%r0, %r1", "") + scan("%r2, %r3", "attributes {is_reverse = true}"),
              {"i32[2,3]", "i32[2]", "i32[2,3]", "i32[2]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{1, 3, 6, 14, 19, 25}));
  EXPECT_EQ(Elements(results[1]), (Vector{6, 25}));
  EXPECT_EQ(Elements(results[2]), (Vector{6, 5, 3, 25, 21, 16}));
  EXPECT_EQ(Elements(results[3]), (Vector{6, 25}));
}

}  // namespace quern::frontend
