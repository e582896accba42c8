// Bodies for calls of mathlib's functions.
#ifndef QUERN_CODEGEN_EXPAND_MATHLIB_H_
#define QUERN_CODEGEN_EXPAND_MATHLIB_H_

#include "absl/status/status.h"
#include "llvm/IR/Module.h"

namespace quern::codegen {

// Replaces each call of a declared function of mathlib (@quern_exp_f32x8), on a float or a vector
// of that many, by the instructions of its body (mathlib/functions.h). Adds no fast-math flag and
// runs no pass. kInvalidArgument for such a function with another type, or that the module defines.
absl::Status ExpandMathlib(llvm::Module& module);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_EXPAND_MATHLIB_H_
