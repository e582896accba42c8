// A search session that a coordinator runs.
#ifndef QUERN_CLI_REMOTE_SESSION_H_
#define QUERN_CLI_REMOTE_SESSION_H_

#include <atomic>
#include <string>

#include "absl/status/statusor.h"
#include "quern/v1/jobs.pb.h"
#include "search/session.h"

namespace quern::cli {

// Makes a job of it, prints on stderr what happens, and waits, for a worker too. `stop` cancels the
// job: kCancelled. What is wrong with the job is kInvalidArgument; kUnavailable if the coordinator
// stays away; kInternal if the job failed.
absl::StatusOr<search::SessionResult> RunRemotely(const std::string& server,
                                                  const v1::JobSpec& spec,
                                                  const std::atomic<bool>& stop);

}  // namespace quern::cli

#endif  // QUERN_CLI_REMOTE_SESSION_H_
