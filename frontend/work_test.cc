#include "frontend/work.h"

#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

TEST(WorkTest, ADotCountsProductsAndSums) {
  const Work work = CountWork(MustParse(R"(
func.func @main(%a: tensor<2x3x5xbf16>, %b: tensor<2x5x7xbf16>) -> tensor<2x3x7xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<2x3x5xbf16>, tensor<2x5x7xbf16>) -> tensor<2x3x7xf32>
  return %0 : tensor<2x3x7xf32>
})"));
  EXPECT_EQ(work.flops, 2 * (2 * 3 * 7) * 5);
  EXPECT_EQ(work.bytes, 2 * (2 * 3 * 5) + 2 * (2 * 5 * 7) + 4 * (2 * 3 * 7));
}

TEST(WorkTest, MovingAndConvertingIsFree) {
  const Work work = CountWork(MustParse(R"(
func.func @main(%a: tensor<4x8xf32>) -> tensor<8x4xbf16> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.convert %0 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  return %1 : tensor<8x4xbf16>
})"));
  EXPECT_EQ(work.flops, 0);
  EXPECT_EQ(work.bytes, 4 * 32 + 2 * 32);
}

TEST(WorkTest, AReductionAppliesItsRegionOnceAnElement) {
  const Work work = CountWork(MustParse(R"(
func.func @main(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %a, %a : tensor<4x8xf32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})"));
  EXPECT_EQ(work.flops, 32 + 32);
  EXPECT_EQ(work.bytes, 4 * 32 + 4 * 4);
}

TEST(WorkTest, LoopsCountAsOftenAsTheyRun) {
  const Spec spec = MustParse(R"(
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<8xf32>
   cond {
    %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %u = stablehlo.multiply %v, %v : tensor<8xf32>
    stablehlo.return %j, %u : tensor<i32>, tensor<8xf32>
  }
  return %w#1 : tensor<8xf32>
})");
  const std::vector<OpWork> ops = CountOps(spec);
  ASSERT_FALSE(ops.empty());
  EXPECT_EQ(ops[0].op, "multiply");
  EXPECT_EQ(ops[0].count, 1);
  EXPECT_EQ(ops[0].flops, 5 * 8);
  EXPECT_EQ(ops[0].bytes, 5 * 3 * 32);
  double flops = 0;
  for (const OpWork& op : ops) flops += op.flops;
  EXPECT_EQ(CountWork(spec).flops, flops);
}

TEST(WorkTest, OpsAreListedByTheirWork) {
  const Spec spec = MustParse(R"(
func.func @main(%a: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x8xf32>, %n: tensor<i32>) -> (tensor<1x2x2x8xf32>, tensor<i32>) {
  %c = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xf32>, tensor<3x3x2x8xf32>) -> tensor<1x2x2x8xf32>
  %r = stablehlo.tanh %c : tensor<1x2x2x8xf32>
  %w = stablehlo.while(%i = %n) : tensor<i32>
   cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %i : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %r, %w : tensor<1x2x2x8xf32>, tensor<i32>
})");
  const std::vector<OpWork> ops = CountOps(spec);
  ASSERT_EQ(ops.size(), 5u);
  EXPECT_EQ(ops[0].op, "convolution");
  EXPECT_EQ(ops[0].flops, 2 * 32 * (3 * 3 * 2));
  EXPECT_EQ(ops[0].bytes, 4 * (32 + 144 + 32));
  EXPECT_EQ(ops[0].largest, "f32[1,4,4,2], f32[3,3,2,8] -> f32[1,2,2,8]");
  EXPECT_EQ(ops[1].op, "tanh");
  EXPECT_EQ(ops[1].in_bodies, 0);
  EXPECT_EQ(ops[2].op, "add");
  EXPECT_EQ(ops[2].in_bodies, 1);
}

}  // namespace quern::frontend
