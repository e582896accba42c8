// Recognising an accumulation in a loop.
#ifndef QUERN_SEARCH_RULES_REDUCTION_H_
#define QUERN_SEARCH_RULES_REDUCTION_H_

#include <optional>

#include "ir/program/program.h"

namespace quern::search {

// acc = combine(acc, ...) in a loop's own body, on a scalar register buffer made outside it.
struct Accumulation {
  program::LoadOp load;
  program::StoreOp store;
  mlir::Operation* combine = nullptr;
  mlir::Value accumulator;
};

// None unless the body of `loop`, an innermost loop, makes exactly one accumulation.
std::optional<Accumulation> FindAccumulation(program::LoopOp loop);

// The op that combines two partial results (of a math.fma: addf), and the value that changes
// nothing; null if there is no neutral element.
mlir::Value Combine(mlir::OpBuilder& builder, mlir::Operation* combine, mlir::Value left,
                    mlir::Value right);
mlir::Value Neutral(mlir::OpBuilder& builder, mlir::Operation* combine);

}  // namespace quern::search

#endif  // QUERN_SEARCH_RULES_REDUCTION_H_
