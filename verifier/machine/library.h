// The functions of the C library and of mathlib that kernels may call.
#ifndef QUERN_VERIFIER_MACHINE_LIBRARY_H_
#define QUERN_VERIFIER_MACHINE_LIBRARY_H_

#include <string_view>

#include "mathlib/mathlib.h"
#include "verifier/machine/ops.h"

namespace quern::verifier {

struct LibraryFunction {
  std::string_view name;
  Type::Kind kind = Type::kFloat;  // of its arguments and result
  int arguments = 1;
  // This machine's function; null for mathlib's.
  double (*library)(const double* arguments) = nullptr;
  const mathlib::Contract* contract = nullptr;

  // For float, the arguments are floats and so is the result.
  double Evaluate(const double* arguments) const;
};

// "expf", "quern_exp_f32"; null if it is not on the list.
const LibraryFunction* FindLibraryFunction(std::string_view name);
// What each lane of a call of `symbol` on that many arguments of a type computes; null if it is no
// such function. mathlib has vector forms, "quern_exp_f32x8"; the C library has none, and would
// read a vector as a number.
const LibraryFunction* FindLanes(std::string_view symbol, const Type& type, int arguments);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_LIBRARY_H_
