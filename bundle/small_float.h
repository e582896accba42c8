// Floating-point formats of at most 16 bits, encoded and decoded in software.
#ifndef QUERN_BUNDLE_SMALL_FLOAT_H_
#define QUERN_BUNDLE_SMALL_FLOAT_H_

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "bundle/tensor_type.h"

namespace quern {

struct SmallFloat {
  enum class Special {
    kIeee,            // infinities and NaNs have the largest exponent
    kAllOnesIsNan,    // FN: no infinity; a NaN has all bits but the sign set
    kMinusZeroIsNan,  // FNUZ: no infinity and no -0, whose bits are the one NaN
    kPowersOfTwo,     // E8M0FNU: no sign, no zero, no mantissa; 0xff is the NaN
  };
  int exponent_bits, mantissa_bits, bias;
  Special special;

  constexpr uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr uint32_t largest() const {
    switch (special) {
      case Special::kIeee:
        return infinity() - 1;
      case Special::kAllOnesIsNan:
        return sign_bit() - 2;
      case Special::kMinusZeroIsNan:
        return sign_bit() - 1;
      case Special::kPowersOfTwo:
        return 0xfe;
    }
    return 0;
  }
  constexpr uint32_t nan() const {
    switch (special) {
      case Special::kIeee:
        return infinity() | 1u << (mantissa_bits - 1);
      case Special::kAllOnesIsNan:
        return sign_bit() - 1;
      case Special::kMinusZeroIsNan:
        return sign_bit();
      case Special::kPowersOfTwo:
        return 0xff;
    }
    return 0;
  }
};

// The format of `type`; what has more than 16 bits has none.
template <ElementType type>
inline constexpr SmallFloat kSmallFloat{};
#define QUERN_SMALL_FLOAT(enumerator, exponent, mantissa, bias, special) \
  template <>                                                            \
  inline constexpr SmallFloat kSmallFloat<ElementType::enumerator> = {   \
      exponent, mantissa, bias, SmallFloat::Special::special};
#include "bundle/small_floats.def"
#undef QUERN_SMALL_FLOAT

// Nothing for a type that has none.
constexpr std::optional<SmallFloat> SmallFormatOf(ElementType type) {
  switch (type) {
#define QUERN_SMALL_FLOAT(enumerator, exponent, mantissa, bias, special) \
  case ElementType::enumerator:                                          \
    return kSmallFloat<ElementType::enumerator>;
#include "bundle/small_floats.def"
#undef QUERN_SMALL_FLOAT
    default:
      return std::nullopt;
  }
}

// Exact; every value of these formats is a float.
constexpr float DecodeSmall(SmallFloat format, uint32_t bits) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (format.special == SmallFloat::Special::kPowersOfTwo) {
    if (bits == 0xff) return kNan;
    return bits == 0 ? 0x1p-127f : std::bit_cast<float>(bits << 23);
  }
  const uint32_t magnitude = bits & (format.sign_bit() - 1);
  const uint32_t sign = bits & format.sign_bit() ? 0x80000000u : 0;
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
  if (format.special == SmallFloat::Special::kMinusZeroIsNan) {
    if (bits == format.sign_bit()) return kNan;
  } else if (magnitude > format.largest()) {
    const bool infinite =
        format.special == SmallFloat::Special::kIeee && magnitude == format.infinity();
    return std::bit_cast<float>(sign | 0x7f800000u |
                                (infinite ? 0 : mantissa << (23 - format.mantissa_bits)));
  }
  if (exponent == 0) {
    const int smallest = 1 - format.bias - format.mantissa_bits;  // exponent of mantissa 1
    const double value = mantissa * std::bit_cast<double>(uint64_t(smallest + 1023) << 52);
    return static_cast<float>(sign != 0 ? -value : value);
  }
  return std::bit_cast<float>(sign | static_cast<uint32_t>(exponent - format.bias + 127) << 23 |
                              mantissa << (23 - format.mantissa_bits));
}

// Rounds to nearest, ties to even. What is above the largest number becomes infinity, or NaN where
// the format has none. E8M0FNU: zero becomes 2^-127, a negative number NaN.
constexpr uint32_t EncodeSmall(SmallFloat format, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = bits >> 63 != 0 ? format.sign_bit() : 0;
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const bool ieee = format.special == SmallFloat::Special::kIeee;
  const bool signed_zero = ieee || format.special == SmallFloat::Special::kAllOnesIsNan;
  if (field == 0x7ff) {
    if (fraction == 0 && ieee) return sign | format.infinity();
    return format.nan() | (signed_zero ? sign : 0);
  }
  const bool powers = format.special == SmallFloat::Special::kPowersOfTwo;
  if (powers && bits == uint64_t{1} << 63) return 0;
  if (powers && sign != 0) return format.nan();
  const int exponent = field - 1023;
  const int lowest = powers ? -127 : 1 - format.bias;
  const int below = exponent < lowest ? lowest - exponent : 0;
  const int shift = 52 - format.mantissa_bits + below;
  uint64_t significand = 0;  // in units of the last place, the leading 1 included
  if (field != 0 && shift <= 54) {
    const uint64_t whole = fraction | uint64_t{1} << 52;
    const uint64_t half = uint64_t{1} << (shift - 1);
    const uint64_t odd = shift < 64 ? whole >> shift & 1 : 0;
    significand = (whole + half - 1 + odd) >> shift;
  }
  if (powers) {
    if (below > 0 || field == 0) return 0;
    const uint32_t code = static_cast<uint32_t>(exponent + 127) + (significand > 1 ? 1 : 0);
    return exponent > 127 || code > format.largest() ? format.nan() : code;
  }
  if (exponent > 127) significand = uint64_t{1} << 40;  // beyond every format
  uint64_t code = significand;
  if (below == 0 && field != 0)
    code += static_cast<uint64_t>(exponent + format.bias - 1) << format.mantissa_bits;
  if (code > format.largest())
    return (ieee ? format.infinity() : format.nan()) | (signed_zero ? sign : 0);
  if (code == 0 && !signed_zero) return 0;
  return static_cast<uint32_t>(code) | sign;
}

}  // namespace quern

#endif  // QUERN_BUNDLE_SMALL_FLOAT_H_
