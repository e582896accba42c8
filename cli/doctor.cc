// quern doctor: what this machine can do, and what is missing.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "cache/sqlite_store.h"
#include "cli/checker_process.h"
#include "cli/subcommand.h"
#include "codegen/compiler.h"
#include "codegen/target.h"
#include "workers/devices/cpu.h"

namespace quern::cli {

// Standard output of a shell command, trimmed to its first line; empty if it fails.
static std::string FirstLine(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): our own text
  if (pipe == nullptr) return "";
  char line[256] = {};
  const bool read = fgets(line, sizeof line, pipe) != nullptr;
  const int status = pclose(pipe);
  std::string text = read && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? line : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

class DoctorCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    return app.add_subcommand("doctor", "Say what this machine can do and what is missing");
  }

  ExitCode Run() override {
    const workers::Cpu cpu = workers::DetectCpu();
    Say("cpu", cpu.Fingerprint());
    Say("usable cores", absl::StrCat(cpu.usable.size()));
    absl::StatusOr<const codegen::Target*> host = codegen::FindTarget("host");
    if (host.ok())
      Say("code for",
          absl::StrCat((*host)->cpu(), ", codegen ", std::string(codegen::kCodegenVersion)));
    else
      Miss("code generator", host.status().message());

    const std::string answer = FirstLine(
        "printf '(set-logic QF_LIA)(declare-const x Int)(assert (< x x))(check-sat)' | "
        "timeout 10 cvc5 --lang smt2 - 2>/dev/null");
    if (answer == "unsat")
      Say("cvc5", FirstLine("timeout 10 cvc5 --version 2>/dev/null"));
    else
      Miss("cvc5",
           "does not answer; install the package cvc5, or obligations that need a solver stay "
           "unknown");
    for (const char* program : {"quern-runner", "quern-check"}) {
      const std::string path = BinaryDirectory() + "/" + program;
      if (access(path.c_str(), X_OK) == 0)
        Say(program, path);
      else
        Miss(program, "is not beside quern");
    }
    absl::StatusOr<std::string> directory = cache::DefaultDirectory();
    absl::Status cache = directory.status();
    if (directory.ok()) cache = cache::SqliteStore::Open(*directory).status();
    if (cache.ok())
      Say("cache", *directory);
    else
      Miss("cache", cache.message());
    for (const auto& [name, library] :
         {std::pair{"NVIDIA driver", "libcuda.so.1"}, {"AMD runtime", "libamdhip64.so.6"}}) {
      void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
      Say(name,
          handle == nullptr ? "none; kernels for its GPUs are compiled, not measured" : library);
      if (handle != nullptr) dlclose(handle);
    }
    return missing_ ? ExitCode::kEnvironment : ExitCode::kOk;
  }

 private:
  static void Say(const char* what, const std::string& value) {
    std::printf("%-14s %s\n", what, value.c_str());
  }
  void Miss(const char* what, absl::string_view why) {
    missing_ = true;
    std::printf("%-14s MISSING: %s\n", what, std::string(why).c_str());
  }

  bool missing_ = false;
};

std::unique_ptr<Subcommand> MakeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

}  // namespace quern::cli
