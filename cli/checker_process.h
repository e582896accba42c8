// Hands over to `quern-check`, so that a proof is always the small binary's word.
#ifndef QUERN_CLI_CHECKER_PROCESS_H_
#define QUERN_CLI_CHECKER_PROCESS_H_

#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace quern::cli {

// Replaces this process by quern-check (beside this executable, else on PATH). Returns only on
// failure.
ExitCode ExecChecker(const std::vector<std::string>& arguments);

// The directory of this executable.
std::string BinaryDirectory();

}  // namespace quern::cli

#endif  // QUERN_CLI_CHECKER_PROCESS_H_
