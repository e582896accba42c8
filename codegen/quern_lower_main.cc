// quern-lower: a program, read from a file or standard input, as LLVM IR, assembly or a launch
// plan.
#include <iostream>
#include <string>

#include "codegen/compiler.h"
#include "codegen/emit.h"
#include "codegen/lower.h"
#include "ir/program/program.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

static constexpr char kUsage[] =
    "usage: quern-lower FILE [--print=ir|raw-ir|asm|plan|binary]\n"
    "  FILE: a module with one quern.program; -: standard input\n"
    "  raw-ir: before the pass pipeline\n";

static absl::StatusOr<std::string> Print(mlir::ModuleOp module, const std::string& what) {
  if (what == "raw-ir") {
    auto program = *module.getOps<quern::program::ProgramOp>().begin();
    llvm::LLVMContext context;
    absl::StatusOr<const quern::codegen::Target*> target =
        quern::codegen::FindTarget(program.getTarget().str());
    if (!target.ok()) return target.status();
    absl::StatusOr<quern::codegen::Lowered> lowered =
        quern::codegen::Lower(program, **target, context);
    if (!lowered.ok()) return lowered.status();
    std::string text;
    llvm::raw_string_ostream(text) << *lowered->module;
    return text;
  }
  absl::StatusOr<quern::Artifact> artifact = quern::codegen::Compile(module);
  if (!artifact.ok()) return artifact.status();
  if (what == "ir") return artifact->llvm_ir;
  if (what == "plan") return quern::ToJson(artifact->plan);
  if (what == "binary") return artifact->binary;
  return quern::codegen::EmitAssembly(artifact->llvm_ir, artifact->plan);
}

int main(int argc, char** argv) {
  std::string file, what = "ir";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--print=")) {
      what = argument.substr(8);
    } else if (file.empty() && (argument == "-" || !argument.starts_with("-"))) {
      file = argument;
    } else {
      file.clear();
      break;
    }
  }
  const bool known =
      what == "ir" || what == "raw-ir" || what == "asm" || what == "plan" || what == "binary";
  if (file.empty() || !known) {
    std::cerr << kUsage;
    return 1;
  }
  mlir::MLIRContext context;
  context.loadDialect<quern::program::QuernDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
  if (!module) return 1;
  absl::StatusOr<std::string> text = Print(*module, what);
  if (!text.ok()) {
    std::cerr << "quern-lower: " << text.status().message() << "\n";
    return 1;
  }
  std::cout << *text;
  return 0;
}
