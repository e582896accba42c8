// What code that is not trusted may do in the runner's process.
#ifndef QUERN_WORKERS_RUNNER_SANDBOX_H_
#define QUERN_WORKERS_RUNNER_SANDBOX_H_

#include <cstdint>

namespace quern::workers {

// No core dump, no file growth, at most `memory_bytes` of address space beyond today's. Without
// effect on memory if 0. False with errno set on failure.
bool LimitResources(uint64_t memory_bytes);

// Where the kernel has Landlock: files outside the system's library folders cannot be opened, and
// other processes' memory is out of reach. Elsewhere nothing happens.
void ConfineFiles();

enum class SandboxStage {
  kLoading,  // may open files for reading and map code; no new thread, process, socket or signal
  kRunning,  // memory, futexes, clocks, and messages on kControlFd
};

// Filters the system calls of all threads of the process; any other one kills it with SIGSYS.
// kRunning may follow kLoading. False on failure.
bool FilterSystemCalls(SandboxStage stage);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_SANDBOX_H_
