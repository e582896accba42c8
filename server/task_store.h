// What the coordinator must not forget: jobs, the tasks of their candidates, and what happened.
#ifndef QUERN_SERVER_TASK_STORE_H_
#define QUERN_SERVER_TASK_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quern::server {

// Stored by number: only ever add at the end.
enum class JobState { kPending, kRunning, kPaused, kSucceeded, kFailed, kCancelled };
bool IsFinished(JobState state);
std::string Name(JobState state);  // "PENDING"

struct NewJob {
  std::string request_id;  // empty: none
  std::string spec;        // what to do, opaque here; equal requests have equal bytes
  std::string spec_name;
  std::string spec_sha256;  // of the canonical program
  std::string target;
  int priority = 0;  // higher first
};

struct JobRecord {
  int64_t id = 0;  // ascending
  JobState state = JobState::kPending;
  NewJob job;
  std::string result;  // of kSucceeded, opaque here
  std::string error;   // of kFailed
  int64_t created_us = 0;
  int64_t updated_us = 0;
};

struct JobFilter {
  std::vector<JobState> states;  // empty: all
  int64_t batch = 0;             // 0: all
  int64_t below_id = INT64_MAX;  // newest first, so the next page begins below the last one's id
  int limit = 100;
};

struct NewBatch {
  std::string request_id;  // as of a job
  std::vector<NewJob> jobs;
};

struct BatchRecord {
  int64_t id = 0;  // ascending
  int64_t created_us = 0;
};

struct Event {
  int64_t sequence = 0;  // ascending over all jobs
  int64_t time_us = 0;
  std::optional<JobState> state;  // if it changed
  std::string message;
};

// `key` names the task within its job. `device` is the class of devices that can do it.
struct NewTask {
  int64_t job = 0;
  std::string key;
  std::string device;
  std::string payload;
};

enum class TaskState { kQueued, kLeased, kDone, kPoisoned };

struct TaskRecord {
  int64_t id = 0;
  TaskState state = TaskState::kQueued;
  int64_t attempt = 0;  // how often it was claimed; the fence
  std::string result;   // of kDone
};

struct ClaimedTask {
  int64_t id = 0;
  int64_t attempt = 0;
  int64_t job = 0;
  std::string payload;
};

// Everything that returned ok is on the disk: it outlives the process and the power. Any number of
// threads. Times are microseconds since 1970 and given by the caller. Errors, besides those named:
// kUnavailable (full disk, locked), kPermissionDenied, kDataLoss, with the path.
class TaskStore {
 public:
  virtual ~TaskStore() = default;

  // A pending job with its first event. With a request id that is known: that job, unchanged, if it
  // is the same request, else kAlreadyExists.
  virtual absl::StatusOr<JobRecord> CreateJob(const NewJob& job, int64_t now_us) = 0;
  // All of its jobs, in order, or none. Request ids are those of batches alone.
  virtual absl::StatusOr<BatchRecord> CreateBatch(const NewBatch& batch, int64_t now_us) = 0;
  virtual absl::StatusOr<BatchRecord> GetBatch(int64_t id) = 0;  // kNotFound
  virtual absl::StatusOr<JobRecord> GetJob(int64_t id) = 0;      // kNotFound
  // Without `spec`, which is large. Newest first.
  virtual absl::StatusOr<std::vector<JobRecord>> ListJobs(const JobFilter& filter) = 0;
  // The pending jobs as they should run: by priority, then oldest first. Without `spec`.
  virtual absl::StatusOr<std::vector<JobRecord>> PendingJobs(int limit) = 0;
  // Moves the job from one of the states `from` to `to`, with an event; `detail` is the result of
  // kSucceeded and the error of kFailed. kFailedPrecondition, and nothing changes, if it is in
  // another state. Queued and leased tasks of a finished job are dropped.
  virtual absl::StatusOr<JobRecord> MoveJob(int64_t id, const std::vector<JobState>& from,
                                            JobState to, const std::string& detail,
                                            const std::string& message, int64_t now_us) = 0;

  // The event's sequence number.
  virtual absl::StatusOr<int64_t> AddEvent(int64_t job, const std::string& message,
                                           int64_t now_us) = 0;
  // In order, those after `after`.
  virtual absl::StatusOr<std::vector<Event>> ListEvents(int64_t job, int64_t after, int limit) = 0;

  // Queues the task, or gives the one that the job has under this key, whatever its state: work
  // that is done is not done again. kFailedPrecondition if the job is finished.
  virtual absl::StatusOr<TaskRecord> Enqueue(const NewTask& task, int64_t now_us) = 0;
  virtual absl::StatusOr<TaskRecord> GetTask(int64_t id) = 0;  // kNotFound
  // Up to `limit` queued tasks for `device` of running jobs, by priority of the job and age; each
  // is leased to `owner` until now_us + lease_us, under the next attempt number.
  virtual absl::StatusOr<std::vector<ClaimedTask>> Claim(const std::string& owner,
                                                         const std::string& device, int limit,
                                                         int64_t now_us, int64_t lease_us) = 0;
  // False if the lease has ended, the attempt is not the newest, or the task is not leased.
  virtual absl::StatusOr<bool> Renew(int64_t id, int64_t attempt, int64_t now_us,
                                     int64_t lease_us) = 0;
  // Stores the result and forgets the payload. True once for each task: for the attempt that is the
  // newest, also if its lease has run out and nobody took the task since. A repetition, a stale
  // attempt and a task that is gone are false and change nothing.
  virtual absl::StatusOr<bool> Complete(int64_t id, int64_t attempt, const std::string& result) = 0;
  // Gives the task back, unless the attempt is stale.
  virtual absl::Status Release(int64_t id, int64_t attempt) = 0;
  // Queues tasks whose lease has ended; those at `max_attempts` are poisoned instead. Returns the
  // ids of both.
  virtual absl::StatusOr<std::vector<int64_t>> Expire(int64_t now_us, int max_attempts) = 0;

  // Removes finished jobs last changed before `before_us`, with all that belongs to them; how many.
  // A batch goes with its last job.
  virtual absl::StatusOr<int64_t> Retain(int64_t before_us) = 0;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_TASK_STORE_H_
