// From LLVM IR text to the binary of an artifact: the part of code generation that a replay
// repeats.
#ifndef QUERN_CODEGEN_EMIT_H_
#define QUERN_CODEGEN_EMIT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"

namespace quern::codegen {

// Runs no pass but LLVM's code generator, the expansion of calls of mathlib (expand_mathlib.h), and
// for x86 that of roundings to 16 bits (expand_rounding.h). The bytes depend on nothing but the
// arguments and this build of quern and LLVM. kInvalidArgument for text that is not a module that
// fits the plan.
absl::StatusOr<std::string> Emit(std::string_view llvm_ir, const LaunchPlan& plan);

// Assembly of the same, for people.
absl::StatusOr<std::string> EmitAssembly(std::string_view llvm_ir, const LaunchPlan& plan);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_EMIT_H_
