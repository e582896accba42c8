// Which kernels write and read which buffers.
#ifndef QUERN_SEARCH_DATAFLOW_H_
#define QUERN_SEARCH_DATAFLOW_H_

#include <vector>

#include "ir/program/program.h"

namespace quern::search {

std::vector<program::StoreOp> StoresTo(program::KernelOp kernel, mlir::Value buffer);
std::vector<program::LoadOp> LoadsFrom(program::KernelOp kernel, mlir::Value buffer);

// Temporaries that `producer` writes and `consumer` reads.
std::vector<program::BufferOp> Between(program::KernelOp producer, program::KernelOp consumer);

// Whether a kernel strictly between the two, in program order, touches a buffer that `producer`
// writes, or writes one that it reads.
bool Separated(program::KernelOp producer, program::KernelOp consumer);

// Erases stores to temporaries that nothing reads, kernels that store nothing, and the buffers.
void EraseUnused(program::ProgramOp program);

}  // namespace quern::search

#endif  // QUERN_SEARCH_DATAFLOW_H_
