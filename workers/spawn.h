// Starting a runner.
#ifndef QUERN_WORKERS_SPAWN_H_
#define QUERN_WORKERS_SPAWN_H_

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "workers/descriptor.h"

namespace quern::workers {

// $QUERN_RUNNER, else quern-runner beside this executable, in ../bin or ../libexec/quern from
// there. kNotFound that lists where it was looked for.
absl::StatusOr<std::string> FindRunner();

struct SpawnedRunner {
  pid_t pid = -1;
  Descriptor control;  // a SOCK_SEQPACKET socket
};

// Starts `path` in a process group of its own, with an empty environment and no open files but its
// end of the socket.
absl::StatusOr<SpawnedRunner> SpawnRunner(const std::string& path);

// `bytes` as a file in memory that cannot be changed any more.
absl::StatusOr<Descriptor> SealedFile(const std::string& bytes);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_SPAWN_H_
