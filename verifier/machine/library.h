// The functions of the C library that kernels may call.
#ifndef QUERN_VERIFIER_MACHINE_LIBRARY_H_
#define QUERN_VERIFIER_MACHINE_LIBRARY_H_

#include <string_view>

#include "verifier/machine/ops.h"

namespace quern::verifier {

struct LibraryFunction {
  const char* name = nullptr;
  Type::Kind kind = Type::kFloat;  // of its arguments and result
  int arguments = 1;
  // Calls this machine's function; for float, the arguments are floats and so is the result.
  double (*evaluate)(const double* arguments) = nullptr;
};

// "expf"; null if it is not on the list.
const LibraryFunction* FindLibraryFunction(std::string_view name);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_LIBRARY_H_
