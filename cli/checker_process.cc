#include "cli/checker_process.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace quern::cli {

std::string BinaryDirectory() {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : self.parent_path().string();
}

ExitCode ExecChecker(const std::vector<std::string>& arguments) {
  std::string beside = BinaryDirectory() + "/quern-check";
  const std::string program = access(beside.c_str(), X_OK) == 0 ? beside : "quern-check";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(program.c_str(), argv.data());
  return Report(absl::UnavailableError(
      absl::StrCat("cannot run quern-check: ", std::strerror(errno), "; it belongs beside quern")));
}

}  // namespace quern::cli
