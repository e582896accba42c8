#include "verifier/machine/float_bits.h"

#include <bit>
#include <cfenv>
#include <cmath>

#include "bundle/tensor.h"

namespace quern::verifier {

double ToDouble(Type::Kind kind, uint64_t bits) {
  switch (kind) {
    case Type::kHalf:
      return std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
    case Type::kBFloat:
      return BF16ToF32(static_cast<uint16_t>(bits));
    case Type::kFloat:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

// To odd: the last bit tells that something was lost, so that a second rounding is correct.
static float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::isnan(value) || static_cast<double>(nearest) == value || bits % 2 == 1) return nearest;
  bits += std::fabs(nearest) > std::fabs(value) ? -1 : 1;
  return std::bit_cast<float>(bits);
}

// The conversions that are done in integers do not tell the processor that they rounded.
static uint64_t Flagged(Type::Kind kind, uint64_t bits, double value) {
  if (ToDouble(kind, bits) != value && !std::isnan(value)) std::feraiseexcept(FE_INEXACT);
  return bits;
}

uint64_t FromDouble(Type::Kind kind, double value) {
  switch (kind) {
    case Type::kHalf:
      return Flagged(kind, std::bit_cast<uint16_t>(static_cast<_Float16>(value)), value);
    case Type::kBFloat:
      return Flagged(kind, F32ToBF16(RoundToOdd(value)), value);
    case Type::kFloat:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    default:
      return std::bit_cast<uint64_t>(value);
  }
}

}  // namespace quern::verifier
