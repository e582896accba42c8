#include "codegen/compiler.h"

#include "bundle/status.h"
#include "codegen/emit.h"
#include "codegen/lower.h"
#include "codegen/pipelines.h"
#include "codegen/target.h"
#include "ir/program/program.h"

namespace quern::codegen {

static absl::StatusOr<program::ProgramOp> OnlyProgram(mlir::ModuleOp module) {
  auto programs = module.getOps<program::ProgramOp>();
  if (!llvm::hasSingleElement(programs)) {
    return absl::InvalidArgumentError("the module does not hold exactly one quern.program");
  }
  return *programs.begin();
}

static std::string Pipeline(program::ProgramOp program) {
  auto name = program->getAttrOfType<mlir::StringAttr>("pipeline");
  return name ? name.str() : std::string(kDefaultPipeline);
}

absl::StatusOr<Artifact> Compile(mlir::ModuleOp module) {
  QUERN_ASSIGN_OR_RETURN(program::ProgramOp program, OnlyProgram(module));
  QUERN_ASSIGN_OR_RETURN(const Target* target, FindTarget(program.getTarget().str()));
  llvm::LLVMContext context;
  QUERN_ASSIGN_OR_RETURN(Lowered lowered, Lower(program, *target, context));
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         CreateMachine(*target, lowered.plan.cpu, lowered.plan.features));
  QUERN_RETURN_IF_ERROR(RunPipeline(Pipeline(program), *lowered.module, *machine));
  Artifact artifact{.plan = std::move(lowered.plan), .kind = target->kind()};
  llvm::raw_string_ostream(artifact.llvm_ir) << *lowered.module;
  QUERN_ASSIGN_OR_RETURN(artifact.binary, Emit(artifact.llvm_ir, artifact.plan));
  return artifact;
}

}  // namespace quern::codegen
