// quern interpret: the reference meaning of a program.
#include <cstdio>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "bundle/npy.h"
#include "bundle/status.h"
#include "cli/subcommand.h"
#include "cli/tensor_files.h"
#include "frontend/check.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"

namespace quern::cli {

class InterpretCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("interpret", "Run a program or a whole model element by element");
    parser->add_option("spec", spec_, "StableHLO text, bytecode, or a jax.export artifact")
        ->required();
    parser->add_option("--entry", entry_, "The function, if several are public");
    parser->add_option("--inputs", inputs_,
                       "A .npy file for each argument; drawn from --seed if absent");
    parser->add_option("--seed", seed_, "Seed of drawn inputs")->capture_default_str();
    parser->add_option("--out", out_, "Write result N to this folder as N.npy");
    parser->add_flag("--check", check_, "Run a self-checking module");
    return parser;
  }

  ExitCode Run() override {
    absl::StatusOr<ExitCode> code = check_ ? Check() : Interpret();
    return code.ok() ? *code : Report(code.status());
  }

 private:
  absl::StatusOr<ExitCode> Check() const {
    std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
    QUERN_ASSIGN_OR_RETURN(frontend::CheckReport report, frontend::RunChecks(spec_, *context));
    for (const std::string& message : report.messages)
      std::fprintf(stderr, "%s\n", message.c_str());
    std::printf("%d passed, %d failed, %d unsupported\n", report.passed, report.failed,
                report.unsupported);
    return report.failed + report.unsupported == 0 ? ExitCode::kOk : ExitCode::kInput;
  }

  absl::StatusOr<ExitCode> Interpret() const {
    std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
    QUERN_ASSIGN_OR_RETURN(frontend::Spec spec, frontend::ReadModel(spec_, *context, entry_));
    PrintNotes(spec.notes);
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                           ReadOrDrawInputs(inputs_, spec.arguments, seed_));
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> results, frontend::Interpret(spec, inputs));
    QUERN_RETURN_IF_ERROR(PrintOrWrite(results, out_));
    return ExitCode::kOk;
  }

  std::string spec_, entry_, out_;
  std::vector<std::string> inputs_;
  uint64_t seed_ = 0;
  bool check_ = false;
};

std::unique_ptr<Subcommand> MakeInterpretCommand() { return std::make_unique<InterpretCommand>(); }

}  // namespace quern::cli
