// The tasks of SqliteTaskStore.
#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "server/sqlite_task_store.h"

namespace quern::server {

static constexpr char kTaskColumns[] = "SELECT id, state, attempt, result FROM task WHERE ";

static TaskRecord TaskOf(const cache::Statement& row) {
  return {.id = row.Integer(0),
          .state = static_cast<TaskState>(row.Integer(1)),
          .attempt = row.Integer(2),
          .result = row.Text(3)};
}

absl::StatusOr<TaskRecord> SqliteTaskStore::Enqueue(const NewTask& task, int64_t now_us) {
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  {
    cache::Statement job = database_.Prepare("SELECT state FROM job WHERE id = ?");
    job.Bind(task.job);
    QUERN_ASSIGN_OR_RETURN(const bool there, job.Step());
    if (!there || IsFinished(static_cast<JobState>(job.Integer(0)))) {
      return absl::FailedPreconditionError(absl::StrCat("job ", task.job, " is finished"));
    }
  }
  {
    cache::Statement row = database_.Prepare(absl::StrCat(kTaskColumns, "job = ? AND key = ?"));
    row.Bind(task.job).Bind(task.key);
    QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
    if (there) return TaskOf(row);
  }
  TaskRecord record;
  {
    cache::Statement insert = database_.Prepare(
        "INSERT INTO task (job, key, device, state, attempt, owner, lease_until_us, payload, "
        "result) VALUES (?, ?, ?, 0, 0, '', 0, ?, x'') RETURNING id");
    insert.Bind(task.job).Bind(task.key).Bind(task.device).BindBlob(task.payload);
    QUERN_RETURN_IF_ERROR(insert.Step().status());
    record.id = insert.Integer(0);
    QUERN_RETURN_IF_ERROR(insert.Run());
  }
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return record;
}

absl::StatusOr<TaskRecord> SqliteTaskStore::GetTask(int64_t id) {
  std::lock_guard lock(mutex_);
  cache::Statement row = database_.Prepare(absl::StrCat(kTaskColumns, "id = ?"));
  row.Bind(id);
  QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
  if (!there) return absl::NotFoundError(absl::StrCat("there is no task ", id));
  return TaskOf(row);
}

absl::StatusOr<std::vector<ClaimedTask>> SqliteTaskStore::Claim(const std::string& owner,
                                                                const std::string& device,
                                                                int limit, int64_t now_us,
                                                                int64_t lease_us) {
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  std::vector<ClaimedTask> claimed;
  {
    cache::Statement row = database_.Prepare(
        "SELECT task.id, task.attempt + 1, task.job, task.payload FROM task JOIN job"
        " ON job.id = task.job WHERE task.device = ? AND task.state = 0 AND job.state = 1"
        " ORDER BY job.priority DESC, task.id LIMIT ?");
    row.Bind(device).Bind(int64_t{limit});
    while (true) {
      QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
      if (!there) break;
      claimed.push_back({.id = row.Integer(0),
                         .attempt = row.Integer(1),
                         .job = row.Integer(2),
                         .payload = row.Text(3)});
    }
  }
  if (claimed.empty()) return claimed;
  for (const ClaimedTask& task : claimed) {
    cache::Statement update = database_.Prepare(
        "UPDATE task SET state = 1, attempt = ?, owner = ?, lease_until_us = ? WHERE id = ?");
    update.Bind(task.attempt).Bind(owner).Bind(now_us + lease_us).Bind(task.id);
    QUERN_RETURN_IF_ERROR(update.Run());
  }
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return claimed;
}

absl::StatusOr<bool> SqliteTaskStore::Renew(int64_t id, int64_t attempt, int64_t now_us,
                                            int64_t lease_us) {
  std::lock_guard lock(mutex_);
  cache::Statement update = database_.Prepare(
      "UPDATE task SET lease_until_us = ? WHERE id = ? AND attempt = ? AND state = 1"
      " AND lease_until_us >= ?");
  update.Bind(now_us + lease_us).Bind(id).Bind(attempt).Bind(now_us);
  QUERN_RETURN_IF_ERROR(update.Run());
  return database_.changes() == 1;
}

absl::StatusOr<bool> SqliteTaskStore::Complete(int64_t id, int64_t attempt,
                                               const std::string& result) {
  std::lock_guard lock(mutex_);
  cache::Statement update = database_.Prepare(
      "UPDATE task SET state = 2, result = ?, payload = x'' WHERE id = ? AND attempt = ?"
      " AND attempt > 0 AND state < 2");
  update.BindBlob(result).Bind(id).Bind(attempt);
  QUERN_RETURN_IF_ERROR(update.Run());
  return database_.changes() == 1;
}

absl::Status SqliteTaskStore::Release(int64_t id, int64_t attempt) {
  std::lock_guard lock(mutex_);
  cache::Statement update =
      database_.Prepare("UPDATE task SET state = 0 WHERE id = ? AND attempt = ? AND state = 1");
  return update.Bind(id).Bind(attempt).Run();
}

absl::StatusOr<std::vector<int64_t>> SqliteTaskStore::Expire(int64_t now_us, int max_attempts) {
  std::lock_guard lock(mutex_);
  cache::Statement row = database_.Prepare(
      "UPDATE task SET state = iif(attempt >= ?, 3, 0),"
      " payload = iif(attempt >= ?, x'', payload)"
      " WHERE state = 1 AND lease_until_us < ? RETURNING id");
  row.Bind(int64_t{max_attempts}).Bind(int64_t{max_attempts}).Bind(now_us);
  std::vector<int64_t> expired;
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
    if (!there) return expired;
    expired.push_back(row.Integer(0));
  }
}

}  // namespace quern::server
