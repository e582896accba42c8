// Random bits as integer ops.
#ifndef QUERN_FRONTEND_EXPAND_RANDOM_H_
#define QUERN_FRONTEND_EXPAND_RANDOM_H_

#include <array>

#include "frontend/steps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Threefry-2x32 with 20 rounds (frontend/random.h), of tensors of ui32 of one type.
std::array<mlir::Value, 2> ThreefrySteps(Steps& steps, std::array<mlir::Value, 2> counter,
                                         std::array<mlir::Value, 2> key);

// Rewrites each rng_bit_generator as the interpreter computes it, bit for bit.
void ExpandRandom(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_RANDOM_H_
