#include "cli/subcommand.h"

#include <cstdio>
#include <string>

namespace quern::cli {

#define QUERN_SUBCOMMAND(name) std::unique_ptr<Subcommand> Make##name##Command();
#include "cli/subcommands.def"
#undef QUERN_SUBCOMMAND

std::vector<std::unique_ptr<Subcommand>> AllSubcommands() {
  std::vector<std::unique_ptr<Subcommand>> commands;
#define QUERN_SUBCOMMAND(name) commands.push_back(Make##name##Command());
#include "cli/subcommands.def"
#undef QUERN_SUBCOMMAND
  return commands;
}

ExitCode Report(const absl::Status& status) {
  std::fprintf(stderr, "quern: %s\n", std::string(status.message()).c_str());
  switch (status.code()) {
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDataLoss:
      return ExitCode::kEnvironment;
    default:
      return ExitCode::kInput;
  }
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::fprintf(stderr, "quern: note: %s\n", note.c_str());
}

}  // namespace quern::cli
