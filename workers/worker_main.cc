// quern-worker: times candidates for a coordinator.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <thread>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "workers/coordinator_link.h"
#include "workers/measuring_device.h"

namespace quern::workers {

// Exit codes of every quern program.
enum ExitCode { kOk = 0, kInput = 1, kEnvironment = 4 };

// Of this process alone, and still readable.
static std::string MakeId() {
  char host[40] = "";
  gethostname(host, sizeof(host) - 1);
  std::string id;
  for (const char* c = host; *c != '\0'; ++c) id += isalnum(*c) != 0 ? *c : '-';
  std::random_device random;
  return absl::StrCat(id.empty() ? "worker" : id, "-", absl::StrFormat("%08x", random()));
}

static int Main(int argc, char** argv) {
  CLI::App app("Times candidates for a coordinator.");
  LinkOptions options{.worker_id = MakeId()};
  std::string device_name = "cpu";
  app.add_option("--coordinator", options.coordinator, "HOST:PORT or unix:/PATH of quernd")
      ->required();
  app.add_option("--device", device_name, "cpu")->capture_default_str();
  app.add_option("--credits", options.credits, "Tasks to hold at once")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kInput;
  }
  // Before any thread is started: all leave these signals to the one that waits for them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const auto device = MeasuringDevice::Open(device_name);
  if (!device.ok()) {
    std::fprintf(stderr, "quern-worker: %s\n", std::string(device.status().message()).c_str());
    return absl::IsInvalidArgument(device.status()) ? kInput : kEnvironment;
  }
  options.device = (*device)->device();
  const std::string id = options.worker_id;
  CoordinatorLink link(
      std::move(options), [&](const v1::MeasureTask& task) { return (*device)->Do(task); },
      [&](const std::string& line) {
        std::fprintf(stderr, "quern-worker %s: %s\n", id.c_str(), line.c_str());
      });
  std::thread([&] {
    int signal = 0;
    sigwait(&ends, &signal);
    link.Stop();
  }).detach();
  const absl::Status status = link.Run();
  if (!status.ok()) {
    std::fprintf(stderr, "quern-worker %s: %s\n", id.c_str(),
                 std::string(status.message()).c_str());
  }
  // The thread that waits for signals refers to this frame.
  _exit(status.ok() ? kOk : absl::IsInvalidArgument(status) ? kInput : kEnvironment);
}

}  // namespace quern::workers

int main(int argc, char** argv) { return quern::workers::Main(argc, argv); }
