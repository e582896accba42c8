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

}  // namespace quern::frontend
