// Parts of a spec as modules of their own: what a temporary holds.
#ifndef QUERN_FRONTEND_HOLDS_H_
#define QUERN_FRONTEND_HOLDS_H_

#include <string>

#include "frontend/spec.h"

namespace quern::frontend {

// The text of a module whose @main takes all the spec's arguments and returns `value` alone, a
// value of the spec's @main. Dead code is gone.
std::string SliceModule(const Spec& spec, mlir::Value value);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_HOLDS_H_
