// From a program to an artifact.
#ifndef QUERN_CODEGEN_COMPILER_H_
#define QUERN_CODEGEN_COMPILER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::codegen {

// Part of the cache key; raised by any change that can alter the code of a program.
inline constexpr std::string_view kCodegenVersion = "2-llvm22.1.8";

// Compiles the one quern.program of the module for the target that it names ("host" is this
// machine's), with the pass pipeline that its attribute `pipeline` names. Equal programs give equal
// artifacts, byte for byte. Safe to call from several threads, each with its own MLIR context.
//
// kInvalidArgument for a program that cannot be lowered.
absl::StatusOr<Artifact> Compile(mlir::ModuleOp module);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_COMPILER_H_
