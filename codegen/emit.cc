#include "codegen/emit.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/expand_mathlib.h"
#include "codegen/target.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

namespace quern::codegen {

static absl::StatusOr<std::unique_ptr<llvm::Module>> Parse(std::string_view text,
                                                           llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  // LLVM's lexer wants a terminating null, which a string_view need not have.
  const std::string terminated(text);
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(terminated, diagnostic, context);
  if (!module) {
    return absl::InvalidArgumentError(absl::StrCat("LLVM IR, line ", diagnostic.getLineNo(), ": ",
                                                   diagnostic.getMessage().str()));
  }
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyModule(*module, &stream)) {
    return absl::InvalidArgumentError(absl::StrCat("LLVM IR: ", complaint));
  }
  return module;
}

// Whether a function takes a pointer for each buffer, then `coordinates` integers.
static bool Takes(const llvm::Function& function, size_t buffers, size_t coordinates) {
  if (function.arg_size() != buffers + coordinates || !function.getReturnType()->isVoidTy() ||
      function.isVarArg()) {
    return false;
  }
  for (const llvm::Argument& argument : function.args()) {
    const bool pointer = argument.getArgNo() < buffers;
    if (pointer ? !argument.getType()->isPointerTy() : !argument.getType()->isIntegerTy(64)) {
      return false;
    }
  }
  return true;
}

static absl::Status CheckAgainst(const LaunchPlan& plan, const Target& target,
                                 const llvm::Module& module) {
  for (const KernelPlan& kernel : plan.kernels) {
    const llvm::Function* function = module.getFunction(kernel.symbol);
    if (!function || function->isDeclaration()) {
      return absl::InvalidArgumentError(absl::StrCat("LLVM IR has no kernel ", kernel.symbol));
    }
    if (!Takes(*function, kernel.buffers.size(), target.has_entries() ? 0 : 3)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "LLVM IR: ", kernel.symbol, " does not take the buffers and coordinates of the plan"));
    }
  }
  return absl::OkStatus();
}

static absl::StatusOr<std::string> Generate(std::string_view llvm_ir, const LaunchPlan& plan,
                                            const Target& target, llvm::CodeGenFileType file_type) {
  llvm::LLVMContext context;
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> module, Parse(llvm_ir, context));
  QUERN_RETURN_IF_ERROR(CheckAgainst(plan, target, *module));
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                         CreateMachine(target, plan.cpu, plan.features));
  if (module->getTargetTriple() != machine->getTargetTriple() ||
      module->getDataLayout() != machine->createDataLayout()) {
    return absl::InvalidArgumentError(absl::StrCat("LLVM IR is not for ", target.name()));
  }
  QUERN_RETURN_IF_ERROR(ExpandMathlib(*module));
  target.Prepare(*module);
  return GenerateCode(*module, *machine, file_type);
}

absl::StatusOr<std::string> Emit(std::string_view llvm_ir, const LaunchPlan& plan) {
  QUERN_RETURN_IF_ERROR(Validate(plan));
  QUERN_ASSIGN_OR_RETURN(const Target* target, FindTarget(plan.target));
  QUERN_ASSIGN_OR_RETURN(std::string code, Generate(llvm_ir, plan, *target, target->file_type()));
  return target->Finish(std::move(code), plan);
}

absl::StatusOr<std::string> EmitAssembly(std::string_view llvm_ir, const LaunchPlan& plan) {
  QUERN_ASSIGN_OR_RETURN(const Target* target, FindTarget(plan.target));
  return Generate(llvm_ir, plan, *target, llvm::CodeGenFileType::AssemblyFile);
}

}  // namespace quern::codegen
