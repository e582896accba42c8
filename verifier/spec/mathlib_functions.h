// Which functions of a module are mathlib's rather than the C library's.
#ifndef QUERN_VERIFIER_SPEC_MATHLIB_FUNCTIONS_H_
#define QUERN_VERIFIER_SPEC_MATHLIB_FUNCTIONS_H_

#include <string>
#include <vector>

#include "mathlib/mathlib.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// The function of mathlib that an op on f32 is, or holds; null for none.
const mathlib::Contract* MathlibFunction(SpecOp op);

// Defines ops on f32 by the functions of mathlib among `symbols`, which a kernel calls: bit for
// bit, a function is what its definition says it is. Returns what was defined, one sentence a
// function.
std::vector<std::string> DefineByMathlib(const std::vector<std::string>& symbols, SpecGraph* graph);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_MATHLIB_FUNCTIONS_H_
