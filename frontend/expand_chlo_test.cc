#include "frontend/expand_chlo.h"

#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::HasSubstr;
using ::testing::Not;
using Vector = std::vector<double>;

static Vector RunText(const std::string& text, std::vector<Tensor> inputs) {
  const Spec spec = MustParse(text);
  EXPECT_THAT(spec.canonical, Not(HasSubstr("broadcast_add")));
  EXPECT_THAT(spec.canonical, Not(HasSubstr("constant_like")));
  absl::StatusOr<std::vector<Tensor>> results = Interpret(spec, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? Elements(results->front()) : Vector();
}

static std::vector<Tensor> Two(Tensor a, Tensor b) {
  std::vector<Tensor> tensors;
  tensors.push_back(std::move(a));
  tensors.push_back(std::move(b));
  return tensors;
}

TEST(ExpandChloTest, MissingDimensionsComeFirst) {
  EXPECT_EQ(RunText(R"(func.func @main(%a: tensor<2xf32>, %b: tensor<3x1xf32>) -> tensor<3x2xf32> {
    %0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  })",
                    Two(MakeTensor("f32[2]", {1, 2}), MakeTensor("f32[3,1]", {10, 20, 30}))),
            (Vector{11, 12, 21, 22, 31, 32}));
}

TEST(ExpandChloTest, NamedDimensionsSayWhere) {
  EXPECT_EQ(RunText(R"(func.func @main(%a: tensor<2xi8>, %b: tensor<2x2xi8>) -> tensor<2x2xi1> {
    %0 = chlo.broadcast_compare %a, %b {broadcast_dimensions = array<i64: 0>,
        comparison_direction = #stablehlo<comparison_direction LT>}
        : (tensor<2xi8>, tensor<2x2xi8>) -> tensor<2x2xi1>
    return %0 : tensor<2x2xi1>
  })",
                    Two(MakeTensor("i8[2]", {1, 2}), MakeTensor("i8[2,2]", {0, 2, 2, 3}))),
            (Vector{0, 1, 0, 1}));
}

TEST(ExpandChloTest, ConstantsAndSquares) {
  EXPECT_EQ(RunText(R"(func.func @main(%a: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
    %c = "chlo.constant_like"(%a) {value = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>
    %d = chlo.constant dense<1.0> : tensor<f32>
    %s = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
    %t = chlo.broadcast_select %p, %s, %d : (tensor<i1>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %r = stablehlo.add %t, %c : tensor<2xf32>
    return %r : tensor<2xf32>
  })",
                    Two(MakeTensor("f32[2]", {2, 5}), MakeTensor("i1[]", {1}))),
            (Vector{7, 28}));
}

TEST(ExpandChloTest, OperandsThatDoNotFitAreNamed) {
  absl::StatusOr<Spec> spec = ParseSpec(
      R"(func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = chlo.broadcast_add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })",
      "t.mlir", TestContext());
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("t.mlir:2:"));
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("does not broadcast to"));
}

}  // namespace quern::frontend
