// Floats as bit patterns of their type.
#ifndef QUERN_VERIFIER_MACHINE_FLOAT_BITS_H_
#define QUERN_VERIFIER_MACHINE_FLOAT_BITS_H_

#include <cstdint>

#include "verifier/machine/ops.h"

namespace quern::verifier {

// Exact: every kind's values are doubles.
double ToDouble(Type::Kind kind, uint64_t bits);
// To nearest, ties to even; raises FE_INEXACT if that changes the value. For +, -, *, /, sqrt of
// the smaller kinds, rounding the double result once more is correct: 53 >= 2 * 24 + 2 (Figueroa
// 1995, "When is double rounding innocuous?").
uint64_t FromDouble(Type::Kind kind, double value);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_FLOAT_BITS_H_
