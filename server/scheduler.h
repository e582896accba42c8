// Runs pending jobs, a few at a time.
#ifndef QUERN_SERVER_SCHEDULER_H_
#define QUERN_SERVER_SCHEDULER_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/job_runner.h"

namespace quern::server {

// By priority, then oldest first. A job that an equal one of the running could serve waits for it:
// then it is in the cache. A job whose candidates are timed waits for a worker.
class Scheduler {
 public:
  // All outlive it. `events` rings when a job's state changes. Jobs that are finished are forgotten
  // after `keep_days`.
  Scheduler(TaskStore& store, TaskBoard& board, WorkerRegistry& workers, JobRunner& runner,
            Bell& events, double keep_days)
      : store_(store),
        board_(board),
        workers_(workers),
        runner_(runner),
        events_(events),
        keep_days_(keep_days) {}
  ~Scheduler() { Drain(); }

  // Queues the jobs that a process before this one left running, and starts.
  absl::Status Start(int concurrent);
  // Stops what runs, which goes on at the next start. Returns when all threads have ended.
  void Drain();

  absl::StatusOr<JobRecord> Create(const NewJob& job);
  absl::StatusOr<BatchRecord> Create(const NewBatch& batch);
  // A finished job stays as it is.
  absl::StatusOr<JobRecord> Cancel(int64_t id);
  absl::StatusOr<JobRecord> Pause(int64_t id);
  absl::StatusOr<JobRecord> Resume(int64_t id);

 private:
  struct Active {
    std::string join_key;
    std::atomic<bool> abandoned{false};
  };
  struct Turn {
    JobRecord job;
    JobPlan plan;
    std::optional<v1::Device> device;
    std::shared_ptr<Active> active;
  };

  void Work();
  void Housekeep();
  absl::Status ForgetOldJobs();
  // The next job that can run, marked as running; none if there is none.
  absl::StatusOr<std::optional<Turn>> Next();
  void RunTurn(Turn turn);
  // Moves the job and ends its turn, if it has one; no other turn begins in between.
  absl::StatusOr<JobRecord> Stop(int64_t id, const std::vector<JobState>& from, JobState to,
                                 const std::string& message);

  TaskStore& store_;
  TaskBoard& board_;
  WorkerRegistry& workers_;
  JobRunner& runner_;
  Bell& events_;
  const double keep_days_;
  std::atomic<bool> draining_{false};
  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<Active>> active_;  // also those that are winding down
  std::vector<std::thread> threads_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_SCHEDULER_H_
