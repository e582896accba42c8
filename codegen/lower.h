// From a program to LLVM IR.
#ifndef QUERN_CODEGEN_LOWER_H_
#define QUERN_CODEGEN_LOWER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "codegen/target.h"
#include "ir/program/program.h"
#include "llvm/IR/Module.h"

namespace quern::codegen {

struct Lowered {
  std::unique_ptr<llvm::Module> module;
  LaunchPlan plan;
};

// One function a kernel: `void kernel_NAME(ptr buffers..., i64 bx, i64 by, i64 bz)`, with the
// buffers that the kernel accesses in the order of their declaration, then its scratch. Where a
// driver launches an entry of its own, that entry has the name and the function is
// `kernel_NAME_block`.
//
// No pass has run. kInvalidArgument, naming kernel, loop and op, for what cannot be lowered.
absl::StatusOr<Lowered> Lower(program::ProgramOp program, const Target& target,
                              llvm::LLVMContext& context);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_LOWER_H_
