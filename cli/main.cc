// quern: the command line. Each subcommand is a file beside this one.
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "cli/subcommand.h"

using quern::cli::ExitCode;
using quern::cli::Subcommand;

static int Main(int argc, char** argv) {
  CLI::App app("Finds the fastest form of a tensor program on a chip, and proves it equal",
               "quern");
  app.set_version_flag("--version", QUERN_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, std::unique_ptr<Subcommand>>> commands;
  for (std::unique_ptr<Subcommand>& command : quern::cli::AllSubcommands()) {
    CLI::App* parser = command->Register(app);
    commands.emplace_back(parser, std::move(command));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kInput);
  }
  ExitCode code = ExitCode::kInput;
  for (const auto& [parser, command] : commands) {
    if (!parser->parsed()) continue;
    code = command->Run();
    break;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    code = quern::cli::Report(absl::UnavailableError("standard output cannot be written"));
  }
  return static_cast<int>(code);
}

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    return static_cast<int>(quern::cli::Report(absl::ResourceExhaustedError(error.what())));
  }
}
