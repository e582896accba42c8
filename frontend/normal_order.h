// One order for programs that differ in the order of what has none.
#ifndef QUERN_FRONTEND_NORMAL_ORDER_H_
#define QUERN_FRONTEND_NORMAL_ORDER_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Puts the operands of sums, products, maxima, minima and of bit operations into an order that
// depends on what they compute alone, and ops, in each block, into the order in which the results
// need them. Blocks with ops that have effects, such as calls of libraries, keep their order. Two
// programs that differ in this way alone print the same afterwards.
void PutInNormalOrder(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_NORMAL_ORDER_H_
