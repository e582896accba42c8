#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

static std::vector<Tensor> Inputs(std::vector<std::pair<std::string, Vector>> values) {
  std::vector<Tensor> inputs;
  for (const auto& [type, elements] : values) inputs.push_back(MakeTensor(type, elements));
  return inputs;
}

TEST(EvaluateControlTest, IfTakesOneBranch) {
  const std::string body = R"(
    %r0 = "stablehlo.if"(%a0) ({
      %0 = stablehlo.negate %a1 : tensor<2xf32>
      stablehlo.return %0 : tensor<2xf32>
    }, {
      stablehlo.return %a1 : tensor<2xf32>
    }) : (tensor<i1>) -> tensor<2xf32>)";
  EXPECT_EQ(Elements(RunBody(body, {"f32[2]"}, Inputs({{"i1[]", {1}}, {"f32[2]", {1, 2}}}))[0]),
            (Vector{-1, -2}));
  EXPECT_EQ(Elements(RunBody(body, {"f32[2]"}, Inputs({{"i1[]", {0}}, {"f32[2]", {1, 2}}}))[0]),
            (Vector{1, 2}));
}

TEST(EvaluateControlTest, CaseTakesTheLastBranchForAnyOtherIndex) {
  const std::string body = R"(
    %c0 = stablehlo.constant dense<10> : tensor<i32>
    %r0 = "stablehlo.case"(%a0) ({
      stablehlo.return %c0 : tensor<i32>
    }, {
      %0 = stablehlo.constant dense<11> : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }, {
      %0 = stablehlo.constant dense<12> : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>)";
  for (auto [index, expected] : {std::pair(0, 10), {1, 11}, {2, 12}, {3, 12}, {-1, 12}}) {
    const auto results = RunBody(body, {"i32[]"}, Inputs({{"i32[]", {double(index)}}}));
    EXPECT_EQ(Elements(results[0]), Vector{double(expected)}) << index;
  }
}

// Newton's square root: the condition and the body use values around the loop.
TEST(EvaluateControlTest, WhileRunsUntilItsConditionFails) {
  const std::string body = R"(
    %half = stablehlo.constant dense<0.5> : tensor<f64>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %limit = stablehlo.constant dense<30> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r0, %r1 = stablehlo.while(%i = %zero, %x = %a0) : tensor<i32>, tensor<f64> cond {
      %0 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %0 = stablehlo.divide %a0, %x : tensor<f64>
      %1 = stablehlo.add %0, %x : tensor<f64>
      %2 = stablehlo.multiply %1, %half : tensor<f64>
      %3 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %3, %2 : tensor<i32>, tensor<f64>
    })";
  const auto results = RunBody(body, {"i32[]", "f64[]"}, Inputs({{"f64[]", {2}}}));
  EXPECT_EQ(Elements(results[0]), Vector{30});
  EXPECT_NEAR(results[1].At(0), std::sqrt(2.0), 1e-15);
}

TEST(EvaluateControlTest, WhileMayNotRunAtAllAndMaySwap) {
  const std::string body = R"(
    %never = stablehlo.constant dense<false> : tensor<i1>
    %r0 = stablehlo.while(%x = %a0) : tensor<i32> cond {
      stablehlo.return %never : tensor<i1>
    } do {
      %0 = stablehlo.negate %x : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }
    %once = stablehlo.constant dense<true> : tensor<i1>
    %2, %r1, %r2 = stablehlo.while(%p = %once, %x = %a0, %y = %a1) : tensor<i1>, tensor<i32>, tensor<i32> cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %never, %y, %x : tensor<i1>, tensor<i32>, tensor<i32>
    })";
  const auto results =
      RunBody(body, {"i32[]", "i32[]", "i32[]"}, Inputs({{"i32[]", {7}}, {"i32[]", {8}}}));
  EXPECT_EQ(Elements(results[0]), Vector{7});
  EXPECT_EQ(Elements(results[1]), Vector{8});
  EXPECT_EQ(Elements(results[2]), Vector{7});
}

// The sum over i < 5 and j < i of i * j, with a loop in a loop in a function.
TEST(EvaluateControlTest, RegionsNestAndCallFunctions) {
  const std::string body = R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %n, %r0 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32> cond {
      %0 = stablehlo.compare LT, %i, %a0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %m, %inner = stablehlo.while(%j = %zero, %s = %sum) : tensor<i32>, tensor<i32> cond {
        %0 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
      } do {
        %0 = stablehlo.multiply %i, %j : tensor<i32>
        %1 = stablehlo.add %s, %0 : tensor<i32>
        %2 = func.call @next(%j) : (tensor<i32>) -> tensor<i32>
        stablehlo.return %2, %1 : tensor<i32>, tensor<i32>
      }
      %2 = func.call @next(%i) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %2, %inner : tensor<i32>, tensor<i32>
    })";
  const std::string functions = R"(
    func.func private @next(%x: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.constant dense<1> : tensor<i32>
      %1 = call @add(%x, %0) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      return %1 : tensor<i32>
    }
    func.func private @add(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
      %0 = stablehlo.add %x, %y : tensor<i32>
      return %0 : tensor<i32>
    })";
  const auto results = RunBody(body, {"i32[]"}, Inputs({{"i32[]", {5}}}), functions);
  EXPECT_EQ(Elements(results[0]), Vector{35});
}

TEST(EvaluateControlTest, BarrierPassesItsOperandsOn) {
  const auto results =
      RunBody("%r0, %r1 = stablehlo.optimization_barrier %a0, %a1 : tensor<2xf32>, tensor<i1>",
              {"f32[2]", "i1[]"}, Inputs({{"f32[2]", {1, -0.0}}, {"i1[]", {1}}}));
  EXPECT_TRUE(SameElements(Elements(results[0]), {1, -0.0}));
  EXPECT_EQ(Elements(results[1]), Vector{1});
}

TEST(EvaluateControlTest, CompositeRunsItsDecomposition) {
  const auto results = RunBody(
      R"(%r0 = stablehlo.composite "any.name" %a0 {decomposition = @twice} : (tensor<f32>) -> tensor<f32>)",
      {"f32[]"}, Inputs({{"f32[]", {3}}}), R"(
    func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %x, %x : tensor<f32>
      return %0 : tensor<f32>
    })");
  EXPECT_EQ(Elements(results[0]), Vector{6});
}

}  // namespace quern::frontend
