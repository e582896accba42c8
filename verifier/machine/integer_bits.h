// Integers of a given width, held in 64 bits.
#ifndef QUERN_VERIFIER_MACHINE_INTEGER_BITS_H_
#define QUERN_VERIFIER_MACHINE_INTEGER_BITS_H_

#include <cstdint>

namespace quern::verifier {

// The lowest `width` bits, 1 to 64.
inline uint64_t Mask(int width) { return ~uint64_t{0} >> (64 - width); }

// The value in two's complement of the lowest `width` bits.
inline int64_t Signed(uint64_t bits, int width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

// The greatest number in two's complement of `width` bits.
inline int64_t SignedMax(int width) {
  return width == 1 ? 0 : static_cast<int64_t>(~uint64_t{0} >> (65 - width));
}

// Rounded down, for c > 0.
inline int64_t FloorDivide(int64_t a, int64_t c) { return a / c - (a % c < 0 ? 1 : 0); }

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_INTEGER_BITS_H_
