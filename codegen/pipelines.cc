#include "codegen/pipelines.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "llvm/Passes/PassBuilder.h"

namespace quern::codegen {

struct Pipeline {
  const char* name;
  const char* passes;
};

static constexpr Pipeline kPipelines[] = {
#define QUERN_PIPELINE(name, passes) {name, passes},
#include "codegen/pipelines.def"
#undef QUERN_PIPELINE
};

std::vector<std::string> PipelineNames() {
  std::vector<std::string> names;
  for (const Pipeline& pipeline : kPipelines) names.push_back(pipeline.name);
  return names;
}

static absl::Status Run(const char* passes, llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(manager, passes)) {
    return absl::InternalError(llvm::toString(std::move(error)));
  }
  manager.run(module, modules);
  return absl::OkStatus();
}

absl::Status RunPipeline(std::string_view name, llvm::Module& module,
                         llvm::TargetMachine& machine) {
  for (const Pipeline& pipeline : kPipelines) {
    if (pipeline.name == name) return Run(pipeline.passes, module, machine);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown pass pipeline '", std::string(name),
                                                 "'; known are ",
                                                 absl::StrJoin(PipelineNames(), ", ")));
}

}  // namespace quern::codegen
