// Loops whose trip counts the program tells.
#ifndef QUERN_FRONTEND_LOOPS_H_
#define QUERN_FRONTEND_LOOPS_H_

#include <cstdint>
#include <optional>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// How often a loop runs: its counter starts at a constant, steps by one, and is compared with one.
// Nothing for another loop, or above 2^20.
std::optional<int64_t> TripCount(stablehlo::WhileOp loop);

// Replaces loops of known trip counts by their iterations, inner ones first, as long as these are
// at most `max_ops` ops in all. The others stay.
void UnrollLoops(mlir::func::FuncOp function, int64_t max_ops);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_LOOPS_H_
