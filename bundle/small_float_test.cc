#include "bundle/small_float.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace quern {

struct Format {
  const char* name;
  SmallFloat format;
};

static const Format kFormats[] = {
#define QUERN_SMALL_FLOAT(enumerator, exponent, mantissa, bias, special) \
  {#enumerator, kSmallFloat<ElementType::enumerator>},
#include "bundle/small_floats.def"
#undef QUERN_SMALL_FLOAT
};

static uint32_t Codes(SmallFloat f) { return 1u << (f.exponent_bits + f.mantissa_bits + 1); }

// The codes of numbers from the smallest to the largest.
static std::vector<uint32_t> Ascending(SmallFloat f) {
  const bool powers = f.special == SmallFloat::Special::kPowersOfTwo;
  std::vector<uint32_t> codes;
  for (uint32_t code = 0; code < (powers ? 256 : Codes(f)); ++code) {
    if (std::isfinite(DecodeSmall(f, code))) codes.push_back(code);
  }
  std::sort(codes.begin(), codes.end(),
            [&](uint32_t a, uint32_t b) { return DecodeSmall(f, a) < DecodeSmall(f, b); });
  return codes;
}

TEST(SmallFloatTest, EveryNumberRoundTripsAndNaNsStay) {
  for (const auto& [name, f] : kFormats) {
    const bool powers = f.special == SmallFloat::Special::kPowersOfTwo;
    for (uint32_t code = 0; code < (powers ? 256 : Codes(f)); ++code) {
      const float value = DecodeSmall(f, code);
      const uint32_t back = EncodeSmall(f, value);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(DecodeSmall(f, back))) << name << " " << code;
      } else {
        EXPECT_EQ(back, code) << name;
      }
    }
  }
}

// Between neighbours the nearer wins, and the one with an even code in the middle.
TEST(SmallFloatTest, RoundsToNearestEven) {
  for (const auto& [name, f] : kFormats) {
    const std::vector<uint32_t> codes = Ascending(f);
    for (size_t i = 0; i + 1 < codes.size(); ++i) {
      const double low = DecodeSmall(f, codes[i]), high = DecodeSmall(f, codes[i + 1]);
      if (low == high) continue;
      const double middle = low + (high - low) / 2;
      const double even = codes[i] % 2 == 0 ? low : high;
      auto round = [&](double x) -> double { return DecodeSmall(f, EncodeSmall(f, x)); };
      EXPECT_EQ(round(std::nextafter(middle, low)), low) << name << " " << middle;
      EXPECT_EQ(round(std::nextafter(middle, high)), high) << name << " " << middle;
      // Powers of two have no even significand; there a tie is the larger.
      if (f.special != SmallFloat::Special::kPowersOfTwo) EXPECT_EQ(round(middle), even) << name;
    }
  }
}

TEST(SmallFloatTest, OverflowIsInfinityOrNaN) {
  for (const auto& [name, f] : kFormats) {
    const double largest = DecodeSmall(f, f.largest());
    const uint32_t below = f.largest() - 1;
    const double half = (largest - DecodeSmall(f, below)) / 2;
    const bool powers = f.special == SmallFloat::Special::kPowersOfTwo;
    for (double x : {largest * 4, 1e308, HUGE_VAL, largest + half * (powers ? 2 : 1.01)}) {
      const float rounded = DecodeSmall(f, EncodeSmall(f, x));
      EXPECT_EQ(std::isinf(rounded), f.special == SmallFloat::Special::kIeee) << name << " " << x;
      EXPECT_FALSE(std::isfinite(rounded)) << name << " " << x;
      const float negative = DecodeSmall(f, EncodeSmall(f, -x));
      EXPECT_FALSE(std::isfinite(negative)) << name;
    }
    EXPECT_EQ(DecodeSmall(f, EncodeSmall(f, largest + half * 0.99)), largest) << name;
  }
}

TEST(SmallFloatTest, KnownCodes) {
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E4M3FN>, 0x7e), 448);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E4M3FNUZ>, 0x7f), 240);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E5M2>, 0x7b), 57344);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E5M2FNUZ>, 1), 0x1p-17f);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E4M3B11FNUZ>, 0x7f), 30);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E4M3>, 0x77), 240);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E3M4>, 0x6f), 15.5f);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF8E8M0FNU>, 127), 1);
  EXPECT_EQ(DecodeSmall(kSmallFloat<ElementType::kF16>, 0x0001), 0x1p-24f);
  EXPECT_EQ(EncodeSmall(kSmallFloat<ElementType::kF16>, 65520), 0x7c00u);
  EXPECT_EQ(EncodeSmall(kSmallFloat<ElementType::kF8E4M3FNUZ>, -0.0), 0u);
  EXPECT_EQ(EncodeSmall(kSmallFloat<ElementType::kF8E4M3FN>, -0.0), 0x80u);
  EXPECT_EQ(EncodeSmall(kSmallFloat<ElementType::kF8E8M0FNU>, 0), 0u);
  EXPECT_EQ(EncodeSmall(kSmallFloat<ElementType::kF8E8M0FNU>, -1), 0xffu);
}

}  // namespace quern
