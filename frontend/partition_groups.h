// Which ops of a block run together as one kernel's worth of work.
#ifndef QUERN_FRONTEND_PARTITION_GROUPS_H_
#define QUERN_FRONTEND_PARTITION_GROUPS_H_

#include <vector>

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace quern::frontend {

// Whether the op is copied into every group that uses it: constants that are splats or of at most
// 64 elements, iota, and data movement of such.
bool IsCopied(mlir::Operation* op);

// Groups in an order in which they can run, each with its ops in the block's order. An op joins the
// group of its last producer; a contraction starts a group, unless it is the second of an attention
// (a contraction, then a reduction); what is made of arguments alone joins its first consumer, and
// an element-wise group its only one; control flow and what has no loop nest of its own stay alone.
// Groups have at most 64 ops. Constants are in no group unless the block returns them. Linear in
// the ops and their operands.
std::vector<std::vector<mlir::Operation*>> GroupOps(mlir::Block& block);

// The operand values of an op and of the ops in its regions that come from outside of it.
llvm::SmallVector<mlir::Value> OutsideOperands(mlir::Operation* op);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_PARTITION_GROUPS_H_
