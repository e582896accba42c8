#include "workers/comparison.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workers/inputs.h"

namespace quern::workers {
namespace {

std::vector<Tensor> Of(ElementType element, const std::vector<double>& values) {
  std::vector<Tensor> tensors;
  tensors.push_back(
      Tensor::Create({.element = element, .shape = {static_cast<int64_t>(values.size())}}).value());
  for (size_t i = 0; i < values.size(); ++i) tensors[0].Set(static_cast<int64_t>(i), values[i]);
  return tensors;
}

TEST(FirstDifference, ToleratesRoundingOfFloatsOnly) {
  const Tolerance tolerance{.absolute = 0.01, .relative = 0.01};
  EXPECT_FALSE(FirstDifference(Of(ElementType::kF32, {1, 2}), Of(ElementType::kF32, {1.01, 2.02}),
                               tolerance));
  EXPECT_THAT(
      FirstDifference(Of(ElementType::kF32, {1, 2}), Of(ElementType::kF32, {1, 2.5}), tolerance),
      testing::Optional(std::string("result 0, element 1: 2.5 instead of 2")));
  EXPECT_TRUE(FirstDifference(Of(ElementType::kI32, {100}), Of(ElementType::kI32, {101}),
                              {.absolute = 10, .relative = 1}));
}

TEST(FirstDifference, NaNAndInfinityAreNoWildcards) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Tolerance wide{.absolute = 1e30, .relative = 1};
  auto differ = [&](double want, double got) {
    return FirstDifference(Of(ElementType::kF32, {want}), Of(ElementType::kF32, {got}), wide)
        .has_value();
  };
  EXPECT_FALSE(differ(nan, nan));
  EXPECT_TRUE(differ(nan, 1));
  EXPECT_TRUE(differ(1, nan));
  EXPECT_FALSE(differ(infinity, infinity));
  EXPECT_TRUE(differ(infinity, -infinity));
  EXPECT_TRUE(differ(infinity, 1));
  EXPECT_TRUE(differ(1, infinity));
}

TEST(FirstDifference, ABoolIsZeroOrOne) {
  std::vector<Tensor> got = Of(ElementType::kBool, {1});
  got[0].data()[0] = std::byte{0x5a};
  EXPECT_TRUE(FirstDifference(Of(ElementType::kBool, {1}), got, {}));
}

TEST(FirstChangedBit, SeesSignsOfZero) {
  EXPECT_FALSE(FirstChangedBit(Of(ElementType::kF32, {0, 1}), Of(ElementType::kF32, {0, 1})));
  EXPECT_THAT(FirstChangedBit(Of(ElementType::kF32, {1, 0.0}), Of(ElementType::kF32, {1, -0.0})),
              testing::Optional(testing::HasSubstr("element 1")));
}

TEST(MakeInputs, FollowsTheRanges) {
  std::vector<TensorType> types;
  for (ElementType element : {ElementType::kF32, ElementType::kBF16, ElementType::kI32,
                              ElementType::kBool, ElementType::kF32, ElementType::kF32}) {
    types.push_back({.element = element, .shape = {1000}});
  }
  std::vector<InputRange> ranges(6);
  ranges[2] = {.low = 0, .high = 3, .values = {}};
  ranges[3] = {.low = 0, .high = 1, .values = {}};
  ranges[4] = {.low = 0, .high = 5, .values = {}};
  ranges[5].values = {-std::numeric_limits<double>::infinity(), 0};
  const std::vector<Tensor> inputs = MakeInputs(types, ranges, 3).value();
  const double low[] = {-1, -1, 0, 0, 0, -std::numeric_limits<double>::infinity()};
  const double high[] = {1, 1, 3, 1, 5, 0};
  for (size_t i = 0; i < inputs.size(); ++i) {
    double least = inputs[i].At(0);
    double most = least;
    for (int64_t k = 0; k < 1000; ++k) {
      least = std::min(least, inputs[i].At(k));
      most = std::max(most, inputs[i].At(k));
    }
    EXPECT_GE(least, low[i]);
    EXPECT_LE(most, high[i]);
    EXPECT_LE(least, low[i] + 0.1);  // all of the range is used
    EXPECT_GE(most, high[i] - 0.1);
  }
  EXPECT_FALSE(FirstChangedBit(inputs, MakeInputs(types, ranges, 3).value()));
  EXPECT_TRUE(FirstChangedBit(inputs, MakeInputs(types, ranges, 4).value()));
}

}  // namespace
}  // namespace quern::workers
