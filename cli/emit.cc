// quern emit: LLVM IR to the binary of a bundle; what a replay runs to compare bytes.
#include <string>

#include "CLI/App.hpp"
#include "bundle/file.h"
#include "bundle/launch_plan.h"
#include "bundle/status.h"
#include "cli/subcommand.h"
#include "codegen/emit.h"

namespace quern::cli {

class EmitCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("emit", "Generate the binary of LLVM IR and a launch plan");
    parser->add_option("--ir", ir_, "LLVM IR text")->required();
    parser->add_option("--launch", launch_, "Launch plan, JSON")->required();
    parser->add_option("-o,--out", out_, "The binary")->required();
    parser->add_flag("--assembly", assembly_, "Write assembly instead");
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = Emit();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status Emit() const {
    QUERN_ASSIGN_OR_RETURN(const std::string ir, ReadFile(ir_));
    QUERN_ASSIGN_OR_RETURN(const std::string json, ReadFile(launch_));
    QUERN_ASSIGN_OR_RETURN(const LaunchPlan plan, ParseLaunchPlan(json));
    QUERN_ASSIGN_OR_RETURN(const std::string binary,
                           assembly_ ? codegen::EmitAssembly(ir, plan) : codegen::Emit(ir, plan));
    return WriteFile(out_, binary);
  }

  std::string ir_, launch_, out_;
  bool assembly_ = false;
};

std::unique_ptr<Subcommand> MakeEmitCommand() { return std::make_unique<EmitCommand>(); }

}  // namespace quern::cli
