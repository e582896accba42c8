#include "codegen/expand_rounding.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/testing/loaded.h"
#include "gtest/gtest.h"

namespace quern::codegen {
namespace {

// Converts 2^20 elements of `from` to bf16.
std::string Convert(const std::string& from, const std::string& op) {
  return absl::StrCat("!x = !quern.buffer<[1048576] x ", from, ", global>", R"(
!y = !quern.buffer<[1048576] x bf16, global>
#m = affine_map<(d0, d1) -> (d0 * 16 + d1)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !y
  quern.kernel "k0" { quern.loop "i" %i to 65536 serial { quern.loop "j" %j to 16 vector {
    %v = quern.load %x[#m](%i, %j) : !x -> )",
                      from, "\n    %w = ", op, " %v : ", from, R"( to bf16
    quern.store %w, %y[#m](%i, %j) : bf16, !y
  } } }
})");
}

constexpr int64_t kElements = 1 << 20;

// All 2^32 floats, 4096 apart at a time: every exponent, every upper half, and the halfway cases.
TEST(ExpandRoundingTest, RoundsEveryFloatToNearestEven) {
  Loaded kernel(Convert("f32", "arith.truncf"));
  Tensor x = *Tensor::Create({ElementType::kF32, {kElements}});
  Tensor y = *Tensor::Create({ElementType::kBF16, {kElements}});
  for (uint32_t low : {0u, 1u, 0x7FFu, 0xFFEu, 0xFFFu}) {
    for (int64_t i = 0; i < kElements; ++i) {
      const uint32_t bits = static_cast<uint32_t>(i) << 12 | low;
      std::memcpy(x.as<float>() + i, &bits, 4);
    }
    ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
    for (int64_t i = 0; i < kElements; ++i) {
      const float in = x.as<float>()[i], out = BF16ToF32(y.as<uint16_t>()[i]);
      if (std::isnan(in)) {
        ASSERT_TRUE(std::isnan(out));
      } else {
        ASSERT_EQ(y.as<uint16_t>()[i], F32ToBF16(in)) << in;
      }
    }
  }
}

// Rounding once: 2^24 + 2^16 + 1 lies above a halfway case that a float cannot tell it from.
TEST(ExpandRoundingTest, RoundsIntegersOnce) {
  Loaded kernel(Convert("i32", "arith.sitofp"));
  Tensor x = *Tensor::Create({ElementType::kI32, {kElements}});
  Tensor y = *Tensor::Create({ElementType::kBF16, {kElements}});
  for (int64_t i = 0; i < kElements; ++i) {
    x.as<int32_t>()[i] = static_cast<int32_t>(i * 2654435761u);
  }
  const int32_t halfway = (1 << 24) + (1 << 16);
  for (int i = 0; i < 5; ++i) x.as<int32_t>()[i] = halfway + i - 2;
  for (int i = 0; i < 5; ++i) x.as<int32_t>()[5 + i] = -x.as<int32_t>()[i];
  ASSERT_EQ(kernel.Run({&x}, {&y}), QUERN_OK);
  EXPECT_EQ(y.At(1), 1 << 24);
  EXPECT_EQ(y.At(2), 1 << 24);
  EXPECT_EQ(y.At(3), (1 << 24) + (1 << 17));
  EXPECT_EQ(y.At(8), -(1 << 24) - (1 << 17));
  for (int64_t i = 0; i < kElements; ++i) {
    // The nearest of the two neighbours, found in exact arithmetic.
    const double in = x.as<int32_t>()[i], out = y.At(i);
    const double ulp = in == 0 ? 1 : std::ldexp(1.0, std::ilogb(in) - 7);
    ASSERT_LE(std::abs(out - in), ulp / 2) << in;
    if (std::abs(out - in) == ulp / 2) ASSERT_EQ(y.as<uint16_t>()[i] & 1, 0) << in;
  }
}

}  // namespace
}  // namespace quern::codegen
