#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

// Lines along any dimension, and a second input that goes with the first.
TEST(EvaluateSortTest, SortsStablyAlongADimension) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const int64_t rank = Draw(random, 1, 3);
    Index shape;
    for (int64_t d = 0; d < rank; ++d) shape.push_back(Draw(random, 0, 9));
    const int64_t dimension = Draw(random, -rank, rank - 1);
    const size_t along = dimension < 0 ? dimension + rank : dimension;
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI8, shape}, -3, 3, random));
    inputs.push_back(RandomTensor({ElementType::kF64, shape}, 0, 1000, random));
    Tensor keys = inputs[0].Clone(), values = inputs[1].Clone();
    Index lines = shape;
    lines[along] = 1;
    ForEach(lines, [&](Index index) {
      std::vector<std::tuple<double, int64_t, double>> line;  // key, place, value
      for (int64_t i = 0; i < shape[along]; ++i) {
        index[along] = i;
        line.emplace_back(-inputs[0].At(PositionOf(shape, index)), i,
                          inputs[1].At(PositionOf(shape, index)));
      }
      std::sort(line.begin(), line.end());
      for (int64_t i = 0; i < shape[along]; ++i) {
        index[along] = i;
        keys.Set(PositionOf(shape, index), -std::get<0>(line[i]));
        values.Set(PositionOf(shape, index), std::get<2>(line[i]));
      }
    });
    const std::string first = MlirType(inputs[0].type()), second = MlirType(inputs[1].type());
    const std::string body = absl::StrCat(
        "%r0, %r1 = \"stablehlo.sort\"(%a0, %a1) <{dimension = ", dimension,
        " : i64, is_stable = true}> ({\n^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f64>, %d: "
        "tensor<f64>):\n%0 = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> "
        "tensor<i1>\nstablehlo.return %0 : tensor<i1>\n}) : (",
        first, ", ", second, ") -> (", first, ", ", second, ")");
    const auto results =
        RunBody(body, {inputs[0].type().ToString(), inputs[1].type().ToString()}, inputs);
    EXPECT_EQ(Elements(results[0]), Elements(keys)) << body;
    EXPECT_EQ(Elements(results[1]), Elements(values)) << body;
  }
}

// A comparator that contradicts itself must not do harm: the result is a permutation.
TEST(EvaluateSortTest, AnyComparatorGivesAPermutation) {
  const std::string body = R"(
    %true = stablehlo.constant dense<true> : tensor<i1>
    %r0 = "stablehlo.sort"(%a0) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      stablehlo.return %true : tensor<i1>
    }) : (tensor<100xi32>) -> tensor<100xi32>)";
  std::mt19937 random(4);
  std::vector<Tensor> inputs;
  inputs.push_back(RandomTensor({ElementType::kI32, {100}}, 0, 50, random));
  Vector before = Elements(inputs[0]), after = Elements(RunBody(body, {"i32[100]"}, inputs)[0]);
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  EXPECT_EQ(after, before);
}

TEST(EvaluateSortTest, TopKTakesTheFirstOfEqualsAndPutsNaNFirst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2,5]", {1, 3, 3, 2, 0, -1, nan, -0.0, 0, -2}));
  const auto results = RunBody(
      "%r0, %r1 = chlo.top_k(%a0, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)",
      {"f32[2,3]", "i32[2,3]"}, inputs);
  EXPECT_TRUE(SameElements(Elements(results[0]), {3, 3, 2, nan, 0, -0.0}));
  EXPECT_EQ(Elements(results[1]), (Vector{1, 2, 3, 1, 3, 2}));
}

}  // namespace quern::frontend
