// quernd: the coordinator.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "server/coordinator.h"

namespace quern::server {

// Exit codes of every quern program.
enum ExitCode { kOk = 0, kInput = 1, kEnvironment = 4 };

// quern-check beside this executable, else on PATH.
static std::string FindChecker() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = self.parent_path() / "quern-check";
  return access(beside.c_str(), X_OK) == 0 ? beside : "quern-check";
}

static int Main(int argc, char** argv) {
  CLI::App app("Coordinates searches for fast kernels: takes jobs, hands candidates to workers.");
  CoordinatorOptions options{.checker = FindChecker()};
  app.add_option("--listen", options.listen, "HOST:PORT, port 0 for any, or unix:/PATH")
      ->capture_default_str();
  app.add_option("--state", options.state, "Folder of jobs, kernels and cache")->required();
  app.add_option("--jobs", options.jobs, "Jobs that run at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--keep-days", options.keep_days, "Forget jobs so long after they are finished")
      ->check(CLI::Range(0.0, 1e5))
      ->capture_default_str();
  app.add_option("--checker", options.checker, "The quern-check executable")->capture_default_str();
  app.add_option("--checker-memory-mb", options.checker_memory_mb, "Memory limit of a proof")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--insecure-any", options.insecure_any,
               "Listen on other addresses than this machine's own, without encryption");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kInput;
  }
  // Before any thread is started: all leave these signals to the wait below.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const auto coordinator = Coordinator::Start(options);
  if (!coordinator.ok()) {
    std::fprintf(stderr, "quernd: %s\n", std::string(coordinator.status().message()).c_str());
    return absl::IsInvalidArgument(coordinator.status()) ? kInput : kEnvironment;
  }
  std::printf("listening on %s\n", (*coordinator)->address().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  std::fprintf(stderr, "quernd: draining\n");
  (*coordinator)->Drain();
  return kOk;
}

}  // namespace quern::server

int main(int argc, char** argv) { return quern::server::Main(argc, argv); }
