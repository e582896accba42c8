// quern verify: any kernel against any spec.
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "cli/checker_process.h"
#include "cli/subcommand.h"

namespace quern::cli {

class VerifyCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("verify", "Prove an LLVM IR kernel equal to a StableHLO program");
    parser->add_option("--spec", spec_, "StableHLO text")->required();
    parser->add_option("--ir", ir_, "LLVM IR text at code-generator input")->required();
    parser->add_option("--launch", launch_, "Launch plan, JSON")->required();
    parser->add_option("--semantics", semantics_, "real, ordered or exact")->capture_default_str();
    parser->add_option("--assume", assume_, "A condition on an argument, e.g. 'arg4>=0'");
    parser->add_option("--error-ratio", error_ratio_, "Bound allowed, over the naive program's");
    parser->add_option("--solver", solver_, "The integer solver's executable")
        ->capture_default_str();
    parser->add_flag("--json", json_, "Print the certificate");
    return parser;
  }

  ExitCode Run() override {
    std::vector<std::string> arguments = {"verify",   "--spec",   spec_,   "--ir",
                                          ir_,        "--launch", launch_, "--semantics",
                                          semantics_, "--solver", solver_};
    for (const std::string& condition : assume_) {
      arguments.insert(arguments.end(), {"--assume", condition});
    }
    if (!error_ratio_.empty()) arguments.insert(arguments.end(), {"--error-ratio", error_ratio_});
    if (json_) arguments.push_back("--json");
    return ExecChecker(arguments);
  }

 private:
  std::string spec_, ir_, launch_, error_ratio_;
  std::string semantics_ = "real";
  std::string solver_ = "cvc5";
  std::vector<std::string> assume_;
  bool json_ = false;
};

std::unique_ptr<Subcommand> MakeVerifyCommand() { return std::make_unique<VerifyCommand>(); }

}  // namespace quern::cli
