// The real functions behind LLVM's intrinsics and the C library's names.
#ifndef QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_
#define QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_

#include <string>
#include <string_view>

#include "verifier/machine/ops.h"

namespace quern::verifier {

// "exp", "max", "fma", "abs", ...; "" if it is no function of floats alone.
std::string RealFunctionOf(Intrinsic intrinsic);
// Of a C function: "expf" and "exp" are both "exp". "" if it is not known.
std::string RealFunctionOf(std::string_view name);
// Whether equal reals, however they were rounded on the way, may be given to this function and
// results be compared up to an error: "exp" but not "floor".
bool IsContinuous(std::string_view function);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_FUNCTION_NAMES_H_
