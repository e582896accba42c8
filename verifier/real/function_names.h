// The real functions behind LLVM's intrinsics and the names of library functions.
#ifndef QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_
#define QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_

#include <string>
#include <string_view>

#include "verifier/machine/ops.h"

namespace quern::verifier {

// Units of rounding that a function of the C library may be off by: 4 units in the last place.
inline constexpr double kLibraryUnits = 8;

// "exp", "max", "fma", "abs", ...; "" if it is no function of floats alone.
std::string RealFunctionOf(Intrinsic intrinsic);
// Of a function of the C library or mathlib: "expf" and "quern_exp_f32" are both "exp". "" if it is
// not known.
std::string RealFunctionOf(std::string_view name);
// Units of rounding that it may be off by, half a unit in the last place each.
double UnitsOf(std::string_view name);
// Whether equal reals, however they were rounded on the way, may be given to this function and
// results be compared up to an error: "exp" but not "floor".
bool IsContinuous(std::string_view function);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_
