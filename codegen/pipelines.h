// The closed set of LLVM pass pipelines between lowering and the code generator.
#ifndef QUERN_CODEGEN_PIPELINES_H_
#define QUERN_CODEGEN_PIPELINES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace quern::codegen {

inline constexpr std::string_view kDefaultPipeline = "default";

std::vector<std::string> PipelineNames();

// kInvalidArgument that lists the known ones for an unknown name.
absl::Status RunPipeline(std::string_view name, llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_PIPELINES_H_
