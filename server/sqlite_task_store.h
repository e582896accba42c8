// A TaskStore in one SQLite file, for one coordinator.
#ifndef QUERN_SERVER_SQLITE_TASK_STORE_H_
#define QUERN_SERVER_SQLITE_TASK_STORE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cache/sqlite.h"
#include "server/task_store.h"

namespace quern::server {

class SqliteTaskStore : public TaskStore {
 public:
  // Makes the file if it is not there and brings its schema up to date. A file of a newer quern is
  // kFailedPrecondition.
  static absl::StatusOr<std::unique_ptr<SqliteTaskStore>> Open(const std::string& path);

  absl::StatusOr<JobRecord> CreateJob(const NewJob& job, int64_t now_us) override;
  absl::StatusOr<BatchRecord> CreateBatch(const NewBatch& batch, int64_t now_us) override;
  absl::StatusOr<BatchRecord> GetBatch(int64_t id) override;
  absl::StatusOr<JobRecord> GetJob(int64_t id) override;
  absl::StatusOr<std::vector<JobRecord>> ListJobs(const JobFilter& filter) override;
  absl::StatusOr<std::vector<JobRecord>> PendingJobs(int limit) override;
  absl::StatusOr<JobRecord> MoveJob(int64_t id, const std::vector<JobState>& from, JobState to,
                                    const std::string& detail, const std::string& message,
                                    int64_t now_us) override;
  absl::StatusOr<int64_t> AddEvent(int64_t job, const std::string& message,
                                   int64_t now_us) override;
  absl::StatusOr<std::vector<Event>> ListEvents(int64_t job, int64_t after, int limit) override;
  absl::StatusOr<TaskRecord> Enqueue(const NewTask& task, int64_t now_us) override;
  absl::StatusOr<TaskRecord> GetTask(int64_t id) override;
  absl::StatusOr<std::vector<ClaimedTask>> Claim(const std::string& owner,
                                                 const std::string& device, int limit,
                                                 int64_t now_us, int64_t lease_us) override;
  absl::StatusOr<bool> Renew(int64_t id, int64_t attempt, int64_t now_us,
                             int64_t lease_us) override;
  absl::StatusOr<bool> Complete(int64_t id, int64_t attempt, const std::string& result) override;
  absl::Status Release(int64_t id, int64_t attempt) override;
  absl::StatusOr<std::vector<int64_t>> Expire(int64_t now_us, int max_attempts) override;
  absl::StatusOr<int64_t> Retain(int64_t before_us) override;

 private:
  SqliteTaskStore(std::string path, cache::Database database)
      : path_(std::move(path)), database_(std::move(database)) {}

  // All need the lock.
  absl::Status Migrate();
  absl::StatusOr<JobRecord> ReadJob(int64_t id);
  absl::StatusOr<int64_t> InsertJob(const NewJob& job, int64_t batch, int64_t now_us);
  absl::StatusOr<std::vector<JobRecord>> ReadJobs(const std::string& condition, int64_t limit);
  absl::StatusOr<int64_t> InsertEvent(int64_t job, int64_t state, const std::string& message,
                                      int64_t now_us);

  const std::string path_;
  std::mutex mutex_;
  cache::Database database_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_SQLITE_TASK_STORE_H_
