// Products of groups of rows, each with a matrix of its own.
#ifndef QUERN_FRONTEND_RAGGED_DOT_H_
#define QUERN_FRONTEND_RAGGED_DOT_H_

#include "ir/stablehlo/chlo.h"
#include "mlir/IR/Value.h"

namespace quern::frontend {

// Builds one dot_general a group before the op: of all rows where the groups lie along a free
// dimension of lhs, of which each group's are kept and those of no group are zeros; of the group's
// elements, zeros elsewhere, where they lie along a contracted dimension. The value of the op.
// Failure, reported at the op, for more than 1024 groups, groups along a batch dimension, group
// sizes that are no vector, or dimension numbers that do not fit.
mlir::FailureOr<mlir::Value> ExpandRaggedDot(chlo::RaggedDotOp op);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_RAGGED_DOT_H_
