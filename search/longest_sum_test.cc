#include "search/longest_sum.h"

#include "frontend/context.h"
#include "gtest/gtest.h"

namespace quern::search {

static int64_t Of(const std::string& body) {
  const auto context = frontend::MakeContext();
  const auto spec = frontend::ParseSpec(body, "test.mlir", *context);
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return LongestSum(*spec);
}

TEST(LongestSum, MultipliesWhatFollowsOneAnother) {
  EXPECT_EQ(Of(R"(func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.add %a, %a : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  })"),
            1);
  EXPECT_EQ(Of(R"(func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  })"),
            8 * 16);
}

}  // namespace quern::search
