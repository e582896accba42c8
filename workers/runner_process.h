// The parent's handle of one quern-runner.
#ifndef QUERN_WORKERS_RUNNER_PROCESS_H_
#define QUERN_WORKERS_RUNNER_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "workers/descriptor.h"
#include "workers/runner/protocol.h"
#include "workers/runner_memory.h"

namespace quern::workers {

// What a candidate did wrong.
enum class Fault {
  kNone,
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kForbiddenCall,  // a system call that the sandbox does not allow
  kOutOfBounds,    // a red zone or guard page was touched
  kInputWritten,
  kBadCall,    // quern_run did not return QUERN_OK
  kBadObject,  // cannot be loaded, or lacks an entry point
  kFpState,    // left MXCSR changed
  kProtocol,   // spoke to the parent itself
  kWrongOutput,
  kNondeterministic,  // two runs differ, or an output is not written
  kClock,             // its times and the parent's disagree
};

struct Failure {
  Fault fault = Fault::kNone;
  std::string message;

  bool ok() const { return fault == Fault::kNone; }
  std::string kind() const;  // "crashed", "timed out", "wrong output", ...
};

struct RunnerOptions {
  std::vector<int> cpus = {0};  // one for each thread
  int num_sets = 1;             // of inputs
  uint32_t placement = 0;       // of RunnerMemory
  int64_t evict_bytes = 0;
  int64_t memory_bytes = int64_t{1} << 30;  // what the candidate may allocate; 0: any
  double start_timeout_seconds = 20;
};

// One batch of runs. `elapsed_ns` is by the parent's clock and bounds the others.
struct Batch {
  int64_t ns = 0;  // of all runs, by the runner
  uint64_t tsc = 0;
  int64_t elapsed_ns = 0;
  int preemptions = 0;
};

// Owns the process: it is killed and reaped with the handle. A candidate's failure is kept, and
// every later request fails with it. For use by one thread.
class RunnerProcess {
 public:
  // Starts a runner on the artifact's shared object. A status is about the environment; a candidate
  // that cannot be loaded is in failure().
  static absl::StatusOr<std::unique_ptr<RunnerProcess>> Start(const Artifact& artifact,
                                                              const RunnerOptions& options);
  ~RunnerProcess();
  RunnerProcess(const RunnerProcess&) = delete;

  const Failure& failure() const { return failure_; }
  void Fail(Fault fault, std::string message);  // also ends the process
  RunnerMemory& memory() { return *memory_; }

  // Each is false or empty on failure.
  bool Prepare(int set, double timeout_seconds);
  // Also checks the red zones.
  std::optional<Batch> Run(int64_t count, int first_set, double timeout_seconds);
  std::optional<Batch> Calibrate();
  bool Evict();
  // The longest of some round trips in ns: what the channel adds to elapsed_ns.
  std::optional<int64_t> MeasureRoundTrip();

 private:
  RunnerProcess() = default;
  absl::Status SendSetup(const Artifact& artifact, const RunnerOptions& options);
  absl::Status AwaitReady(double timeout_seconds);
  std::optional<Reply> Ask(Command command, double timeout_seconds, int64_t* elapsed_ns);
  std::optional<Reply> Receive(double timeout_seconds);
  void Reap(bool timed_out);

  std::unique_ptr<RunnerMemory> memory_;
  Descriptor control_;
  pid_t pid_ = -1;
  Failure failure_;
  std::mt19937 nonces_{std::random_device{}()};
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_PROCESS_H_
