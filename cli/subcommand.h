// What every subcommand of `quern` is.
#ifndef QUERN_CLI_SUBCOMMAND_H_
#define QUERN_CLI_SUBCOMMAND_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace quern::cli {

// Exit codes of every quern program; part of the contract with scripts.
enum class ExitCode {
  kOk = 0,
  kInput = 1,        // usage or input error
  kRefuted = 2,      // verify, replay
  kNotProved = 3,    // nothing proved
  kEnvironment = 4,  // the machine failed: no compiler, runner, solver, disk
};

class Subcommand {
 public:
  virtual ~Subcommand() = default;
  // Adds `quern NAME` with its options to `app`.
  virtual CLI::App* Register(CLI::App& app) = 0;
  // Runs with the parsed options: data on stdout, everything else on stderr.
  virtual ExitCode Run() = 0;
};

// One of each subcommand in subcommands.def, in that order.
std::vector<std::unique_ptr<Subcommand>> AllSubcommands();

// Prints "quern: MESSAGE" on stderr and gives the exit code that `status` stands for: errors of the
// environment (internal, unavailable, permission, resources, a kernel that failed or took too long)
// are kEnvironment, all others kInput.
ExitCode Report(const absl::Status& status);

// Prints "quern: note: ..." on stderr for each.
void PrintNotes(const std::vector<std::string>& notes);

}  // namespace quern::cli

#endif  // QUERN_CLI_SUBCOMMAND_H_
