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

}  // namespace quern::frontend
