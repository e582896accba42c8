#include "bundle/tensor.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace quern {

static constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(TensorTypeTest, TextRoundTrips) {
  for (const char* text : {"f32[]", "bf16[0]", "i32[512,1024]", "i1[1,2,3,4]", "complex<f32>[2]"}) {
    std::optional<TensorType> type = ParseTensorType(text);
    ASSERT_TRUE(type.has_value()) << text;
    EXPECT_EQ(type->ToString(), text);
  }
  for (const char* text : {"", "f32", "f32[", "[1]", "f65[1]", "f32[-1]", "f32[1,]", "f32[,]",
                           "f32[ 1]", "f32[1]x", "f32[99999999999999999999]", "]", "f32]["}) {
    EXPECT_FALSE(ParseTensorType(text).has_value()) << text;
  }
}

TEST(TensorTypeTest, SizesSaturate) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_EQ((TensorType{.shape = {big, big}}).num_elements(), INT64_MAX);
  EXPECT_EQ((TensorType{.shape = {big, big, 0}}).num_elements(), 0);
  EXPECT_EQ((TensorType{.shape = {INT64_MAX}}).num_bytes(), INT64_MAX);
  EXPECT_EQ((TensorType{.shape = {}}).num_bytes(), 4);
}

TEST(TensorTest, IsZeroFilledAndAligned) {
  for (int64_t n : {0, 1, 63, 64, 65, 1000}) {
    absl::StatusOr<Tensor> tensor = Tensor::Create({.element = ElementType::kBool, .shape = {n}});
    ASSERT_TRUE(tensor.ok());
    ASSERT_NE(tensor->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0);
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(tensor->At(i), 0);
  }
}

TEST(TensorTest, LargerThanMemoryIsAnError) {
  for (int64_t n : {int64_t{1} << 50, INT64_MAX}) {
    absl::StatusOr<Tensor> tensor = Tensor::Create({.shape = {n, n}});
    EXPECT_TRUE(absl::IsResourceExhausted(tensor.status()));
  }
}

TEST(TensorTest, CloneIsSeparate) {
  Tensor tensor = Tensor::Create({.shape = {2}}).value();
  tensor.Set(1, 3);
  Tensor copy = tensor.Clone();
  copy.Set(1, 4);
  EXPECT_EQ(tensor.At(1), 3);
  EXPECT_EQ(copy.At(1), 4);
  EXPECT_EQ(copy.type(), tensor.type());
  EXPECT_EQ(Tensor().Clone().data(), nullptr);
}

TEST(TensorTest, IntegersAndBoolsRoundAndSaturate) {
  Tensor ints = Tensor::Create({.element = ElementType::kI32, .shape = {1}}).value();
  const std::pair<double, double> cases[] = {{0.5, 0},
                                             {1.5, 2},
                                             {-2.5, -2},
                                             {1e20, 2147483647},
                                             {-1e20, -2147483648.0},
                                             {NAN, 0},
                                             {kInf, 2147483647},
                                             {2147483646.5, 2147483646},
                                             {-7, -7}};
  for (const auto& [value, expected] : cases) {
    ints.Set(0, value);
    EXPECT_EQ(ints.At(0), expected) << value;
  }
  Tensor bools = Tensor::Create({.element = ElementType::kBool, .shape = {1}}).value();
  bools.Set(0, -2);
  EXPECT_EQ(bools.At(0), 1);
  bools.Set(0, 0);
  EXPECT_EQ(bools.At(0), 0);
}

TEST(BF16Test, RoundsToNearestEven) {
  const std::pair<uint32_t, uint16_t> cases[] = {
      {0x3f800000, 0x3f80},                        // 1
      {0x3f808000, 0x3f80},                        // tie to even, down
      {0x3f818000, 0x3f82},                        // tie to even, up
      {0x3f808001, 0x3f81},                        // just above a tie
      {0x3f807fff, 0x3f80},                        // just below
      {0x80000000, 0x8000},                        // -0
      {0x7f7fffff, 0x7f80},                        // the largest f32 rounds to infinity
      {0x7f7f7fff, 0x7f7f},                        // the largest that does not
      {0x7f800000, 0x7f80},                        // infinity
      {0xff800000, 0xff80}, {0x00000001, 0x0000},  // the smallest subnormal
      {0x00008001, 0x0001}, {0x3fffffff, 0x4000},  // a carry into the exponent
  };
  for (const auto& [from, to] : cases) {
    EXPECT_EQ(F32ToBF16(std::bit_cast<float>(from)), to) << std::hex << from;
  }
}

TEST(BF16Test, NaNsStayNaN) {
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0x7fc00000u, 0x7f80ffffu}) {
    const uint16_t rounded = F32ToBF16(std::bit_cast<float>(bits));
    EXPECT_TRUE(std::isnan(BF16ToF32(rounded))) << std::hex << bits;
    EXPECT_EQ(rounded >> 15, bits >> 31);
  }
}

TEST(BF16Test, EveryValueRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = BF16ToF32(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) ASSERT_EQ(F32ToBF16(value), bits);
  }
}

TEST(BF16Test, ADoubleIsRoundedOnce) {
  Tensor tensor = Tensor::Create({.element = ElementType::kBF16, .shape = {1}}).value();
  // Halfway between 1 and its successor, and a little more: through f32 it would be a tie, to even.
  tensor.Set(0, 1 + 0x1p-8 + 0x1p-40);
  EXPECT_EQ(tensor.At(0), 1 + 0x1p-7);
  tensor.Set(0, -(1 + 0x1p-8 + 0x1p-40));
  EXPECT_EQ(tensor.At(0), -(1 + 0x1p-7));
  tensor.Set(0, 1 + 0x1p-7 + 0x1p-8 - 0x1p-40);
  EXPECT_EQ(tensor.At(0), 1 + 0x1p-7);
  tensor.Set(0, 1e300);
  EXPECT_EQ(tensor.At(0), kInf);
  tensor.Set(0, -1e-300);
  EXPECT_EQ(tensor.At(0), 0);
  EXPECT_TRUE(std::signbit(tensor.At(0)));
  tensor.Set(0, NAN);
  EXPECT_TRUE(std::isnan(tensor.At(0)));
}

}  // namespace quern
