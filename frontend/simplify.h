// Moves of tensors that move nothing, or that one move does.
#ifndef QUERN_FRONTEND_SIMPLIFY_H_
#define QUERN_FRONTEND_SIMPLIFY_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Removes conversions, reshapes, transpositions, broadcasts, slices, pads, reversals,
// concatenations and dynamic (update) slices that give their operand back, joins two reshapes,
// transpositions or broadcasts in a row, and takes the branch of a select whose predicate is one
// constant. What is computed stays the same bit for bit; no number is computed here.
void SimplifyMoves(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SIMPLIFY_H_
