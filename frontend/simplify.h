// Moves of tensors that move nothing, or that one move does, and what constants determine.
#ifndef QUERN_FRONTEND_SIMPLIFY_H_
#define QUERN_FRONTEND_SIMPLIFY_H_

#include <memory>

#include "mlir/Pass/Pass.h"

namespace quern::frontend {

// The pass quern-simplify, over functions. It removes conversions, reshapes, transpositions,
// broadcasts, slices, pads, reversals, concatenations and dynamic (update) slices that give their
// operand back, joins two reshapes, transpositions or broadcasts in a row, takes the branch of a
// select whose predicate is one constant, and computes what constants determine (frontend/fold.h).
// What the function computes stays the same bit for bit.
std::unique_ptr<mlir::Pass> CreateSimplifyPass();

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SIMPLIFY_H_
