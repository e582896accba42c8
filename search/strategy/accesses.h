// How the loops of a kernel go through its buffers: what a sketch decides by.
#ifndef QUERN_SEARCH_STRATEGY_ACCESSES_H_
#define QUERN_SEARCH_STRATEGY_ACCESSES_H_

#include <cstddef>
#include <optional>

#include "ir/program/program.h"

namespace quern::search {

// The dimension of the accessed buffer whose coordinate is exactly `counter`, or none.
std::optional<size_t> DimensionOf(program::LoadOp load, mlir::Value counter);

bool Uses(mlir::Operation* access, mlir::Value counter);

// Whether consecutive values of `counter` access consecutive elements, or one and the same.
bool IsConsecutive(mlir::Operation* access, mlir::Value counter);

// Whether the counter numbers elements of a register buffer: what sinking leaves.
bool OnRegisters(program::LoopOp loop);

// Whether the kernel loads about as often as the buffer has elements.
bool ReadsOnce(program::KernelOp kernel, program::BufferOp buffer);

}  // namespace quern::search

#endif  // QUERN_SEARCH_STRATEGY_ACCESSES_H_
