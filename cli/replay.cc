// quern replay: prove a bundle again from nothing, and emit its binary again.
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "cli/checker_process.h"
#include "cli/subcommand.h"

namespace quern::cli {

class ReplayCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("replay", "Regenerate every obligation and the binary of a bundle");
    parser->add_option("bundle", bundle_, "Bundle directory")->required();
    parser->add_flag("--json", json_, "Print the regenerated certificate");
    return parser;
  }

  ExitCode Run() override {
    std::vector<std::string> arguments = {"replay", bundle_};
    if (json_) arguments.push_back("--json");
    return ExecChecker(arguments);
  }

 private:
  std::string bundle_;
  bool json_ = false;
};

std::unique_ptr<Subcommand> MakeReplayCommand() { return std::make_unique<ReplayCommand>(); }

}  // namespace quern::cli
