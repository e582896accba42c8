#include "server/task_board.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "server/clock.h"

namespace quern::server {

absl::StatusOr<std::string> TaskBoard::Await(const NewTask& task,
                                             const std::atomic<bool>& abandoned,
                                             const std::function<void()>& waiting) {
  constexpr std::chrono::milliseconds kGlance(500);
  if (abandoned) return absl::CancelledError("the job was stopped");
  QUERN_ASSIGN_OR_RETURN(TaskRecord record, store_.Enqueue(task, NowUs()));
  if (record.state == TaskState::kQueued) queued_.Ring();
  while (true) {
    if (record.state == TaskState::kDone) return std::move(record.result);
    if (record.state == TaskState::kPoisoned) {
      return absl::AbortedError(
          absl::StrCat("given up after ", record.attempt, " workers vanished over it"));
    }
    const int64_t strokes = settled_.strokes();
    if (abandoned) return absl::CancelledError("the job was stopped");
    QUERN_ASSIGN_OR_RETURN(record, store_.GetTask(record.id));
    if (record.state == TaskState::kDone || record.state == TaskState::kPoisoned) continue;
    settled_.Wait(strokes, kGlance);
    waiting();
  }
}

absl::StatusOr<std::vector<ClaimedTask>> TaskBoard::Claim(const std::string& owner,
                                                          const std::string& device, int limit) {
  return store_.Claim(owner, device, limit, NowUs(), kLeaseUs);
}

absl::StatusOr<bool> TaskBoard::Renew(int64_t id, int64_t attempt) {
  return store_.Renew(id, attempt, NowUs(), kLeaseUs);
}

absl::StatusOr<bool> TaskBoard::Complete(int64_t id, int64_t attempt, const std::string& result) {
  QUERN_ASSIGN_OR_RETURN(const bool counted, store_.Complete(id, attempt, result));
  if (counted) settled_.Ring();
  return counted;
}

absl::Status TaskBoard::Release(int64_t id, int64_t attempt) {
  QUERN_RETURN_IF_ERROR(store_.Release(id, attempt));
  queued_.Ring();
  return absl::OkStatus();
}

absl::Status TaskBoard::Expire() {
  QUERN_ASSIGN_OR_RETURN(const std::vector<int64_t> expired, store_.Expire(NowUs(), kMaxAttempts));
  if (!expired.empty()) {
    queued_.Ring();
    settled_.Ring();
  }
  return absl::OkStatus();
}

}  // namespace quern::server
