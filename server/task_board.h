// Where sessions leave tasks and workers find them: the TaskStore, and whom to wake.
#ifndef QUERN_SERVER_TASK_BOARD_H_
#define QUERN_SERVER_TASK_BOARD_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/bell.h"
#include "server/task_store.h"

namespace quern::server {

class TaskBoard {
 public:
  static constexpr int64_t kLeaseUs = 10'000'000;
  static constexpr int kMaxAttempts = 3;

  explicit TaskBoard(TaskStore& store) : store_(store) {}

  // Queues the task, unless the job has it already, and waits for its result. kCancelled once
  // `abandoned`; kAborted if it is poisoned: workers kept vanishing over it. Calls `waiting` about
  // twice a second.
  absl::StatusOr<std::string> Await(const NewTask& task, const std::atomic<bool>& abandoned,
                                    const std::function<void()>& waiting);

  absl::StatusOr<std::vector<ClaimedTask>> Claim(const std::string& owner,
                                                 const std::string& device, int limit);
  absl::StatusOr<bool> Renew(int64_t id, int64_t attempt);
  absl::StatusOr<bool> Complete(int64_t id, int64_t attempt, const std::string& result);
  absl::Status Release(int64_t id, int64_t attempt);
  // Queues what was lost; to be called about once a second.
  absl::Status Expire();

  // Rings when there may be something to claim.
  Bell& queued() { return queued_; }
  // Rings when a session has to look again, after it is set `abandoned`, say.
  Bell& settled() { return settled_; }

 private:
  TaskStore& store_;
  Bell queued_, settled_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_TASK_BOARD_H_
