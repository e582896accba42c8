// Fourier transforms as products with roots of unity.
#ifndef QUERN_FRONTEND_EXPAND_FFT_H_
#define QUERN_FRONTEND_EXPAND_FFT_H_

#include <optional>

#include "frontend/complex_parts.h"

namespace quern::frontend {

// The result of an fft from the parts of its operand, in f64 and rounded once; a real operand or
// result has no imaginary part. Lengths are split into two factors again and again (J. Cooley and
// J. Tukey, 1965) down to products with matrices of roots; a prime length above 512 is a cyclic
// convolution of a power of two (L. Bluestein, 1970). Nothing where that takes a constant of more
// than 2^18 elements.
std::optional<Parts> ExpandFft(Steps& steps, stablehlo::FftOp op, Parts operand);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_FFT_H_
