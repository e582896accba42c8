#include "server/sqlite_task_store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/status.h"

namespace quern::server {

static constexpr int kBusyMs = 10000;
static constexpr int64_t kNoState = -1;  // of an event that changes none

// Statement i brings version i to i + 1. Only ever add at the end.
static constexpr const char* kMigrations[] = {
    "CREATE TABLE job (id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL,"
    " request_id TEXT, spec BLOB NOT NULL, spec_name TEXT NOT NULL, spec_sha256 TEXT NOT NULL,"
    " priority INTEGER NOT NULL, result BLOB NOT NULL, error TEXT NOT NULL,"
    " created_us INTEGER NOT NULL, updated_us INTEGER NOT NULL) STRICT",
    "CREATE UNIQUE INDEX job_request ON job (request_id) WHERE request_id IS NOT NULL",
    "CREATE INDEX job_state ON job (state, priority)",
    "CREATE TABLE event (sequence INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL,"
    " time_us INTEGER NOT NULL, state INTEGER NOT NULL, message TEXT NOT NULL) STRICT",
    "CREATE INDEX event_job ON event (job, sequence)",
    "CREATE TABLE task (id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL,"
    " key TEXT NOT NULL, device TEXT NOT NULL, state INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " owner TEXT NOT NULL, lease_until_us INTEGER NOT NULL, payload BLOB NOT NULL,"
    " result BLOB NOT NULL) STRICT",
    "CREATE UNIQUE INDEX task_key ON task (job, key)",
    // Only what is open, so that finished tasks cost a claim nothing.
    "CREATE INDEX task_open ON task (device, state, id) WHERE state < 2",
    "ALTER TABLE job ADD COLUMN target TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE job ADD COLUMN batch INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX job_batch ON job (batch, id) WHERE batch > 0",
    "CREATE TABLE batch (id INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT,"
    " request_sha256 TEXT NOT NULL, created_us INTEGER NOT NULL) STRICT",
    "CREATE UNIQUE INDEX batch_request ON batch (request_id) WHERE request_id IS NOT NULL",
};

absl::StatusOr<std::unique_ptr<SqliteTaskStore>> SqliteTaskStore::Open(const std::string& path) {
  QUERN_ASSIGN_OR_RETURN(cache::Database database, cache::Database::Open(path, kBusyMs));
  std::unique_ptr<SqliteTaskStore> store(new SqliteTaskStore(path, std::move(database)));
  std::lock_guard lock(store->mutex_);
  QUERN_RETURN_IF_ERROR(store->database_.Execute("PRAGMA journal_mode = WAL"));
  QUERN_RETURN_IF_ERROR(store->database_.Execute("PRAGMA synchronous = FULL"));
  QUERN_RETURN_IF_ERROR(store->Migrate());
  return store;
}

absl::Status SqliteTaskStore::Migrate() {
  constexpr int64_t kVersion = std::size(kMigrations);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  int64_t version;
  {
    cache::Statement pragma = database_.Prepare("PRAGMA user_version");
    QUERN_RETURN_IF_ERROR(pragma.Step().status());
    version = pragma.Integer(0);
  }
  if (version < 0 || version > kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": has schema ", version, ", this quern knows up to ", kVersion));
  }
  for (; version < kVersion; ++version) {
    QUERN_RETURN_IF_ERROR(database_.Execute(kMigrations[version]));
  }
  QUERN_RETURN_IF_ERROR(database_.Execute(absl::StrCat("PRAGMA user_version = ", kVersion)));
  return transaction.Commit();
}

static JobRecord JobOf(const cache::Statement& row) {
  return {.id = row.Integer(0),
          .state = static_cast<JobState>(row.Integer(1)),
          .job = {.request_id = row.Text(2),
                  .spec = row.Text(11),
                  .spec_name = row.Text(3),
                  .spec_sha256 = row.Text(4),
                  .target = row.Text(10),
                  .priority = static_cast<int>(row.Integer(5))},
          .result = row.Text(6),
          .error = row.Text(7),
          .created_us = row.Integer(8),
          .updated_us = row.Integer(9)};
}

static constexpr char kJobColumns[] =
    "id, state, request_id, spec_name, spec_sha256, priority, result, error, created_us, "
    "updated_us, target";

absl::StatusOr<JobRecord> SqliteTaskStore::ReadJob(int64_t id) {
  cache::Statement row =
      database_.Prepare(absl::StrCat("SELECT ", kJobColumns, ", spec FROM job WHERE id = ?"));
  row.Bind(id);
  QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
  if (!there) return absl::NotFoundError(absl::StrCat("there is no job ", id));
  return JobOf(row);
}

absl::StatusOr<std::vector<JobRecord>> SqliteTaskStore::ReadJobs(const std::string& condition,
                                                                 int64_t limit) {
  cache::Statement row = database_.Prepare(
      absl::StrCat("SELECT ", kJobColumns, ", '' FROM job WHERE ", condition, " LIMIT ?"));
  row.Bind(limit);
  std::vector<JobRecord> jobs;
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
    if (!there) return jobs;
    jobs.push_back(JobOf(row));
  }
}

absl::StatusOr<int64_t> SqliteTaskStore::InsertEvent(int64_t job, int64_t state,
                                                     const std::string& message, int64_t now_us) {
  cache::Statement insert = database_.Prepare(
      "INSERT INTO event (job, time_us, state, message) VALUES (?, ?, ?, ?) RETURNING sequence");
  insert.Bind(job).Bind(now_us).Bind(state).Bind(message);
  QUERN_RETURN_IF_ERROR(insert.Step().status());
  const int64_t sequence = insert.Integer(0);
  QUERN_RETURN_IF_ERROR(insert.Run());
  return sequence;
}

absl::StatusOr<int64_t> SqliteTaskStore::InsertJob(const NewJob& job, int64_t batch,
                                                   int64_t now_us) {
  int64_t id;
  {
    cache::Statement insert = database_.Prepare(
        "INSERT INTO job (state, request_id, spec, spec_name, spec_sha256, priority, result, error,"
        " created_us, updated_us, target, batch)"
        " VALUES (0, nullif(?, ''), ?, ?, ?, ?, x'', '', ?, ?, ?, ?) RETURNING id");
    insert.Bind(job.request_id).BindBlob(job.spec).Bind(job.spec_name).Bind(job.spec_sha256);
    insert.Bind(int64_t{job.priority}).Bind(now_us).Bind(now_us).Bind(job.target).Bind(batch);
    QUERN_RETURN_IF_ERROR(insert.Step().status());
    id = insert.Integer(0);
    QUERN_RETURN_IF_ERROR(insert.Run());
  }
  QUERN_RETURN_IF_ERROR(
      InsertEvent(id, static_cast<int64_t>(JobState::kPending), "created", now_us).status());
  return id;
}

absl::StatusOr<JobRecord> SqliteTaskStore::CreateJob(const NewJob& job, int64_t now_us) {
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  if (!job.request_id.empty()) {
    int64_t known = 0;
    {
      cache::Statement row = database_.Prepare("SELECT id FROM job WHERE request_id = ?");
      row.Bind(job.request_id);
      QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
      if (there) known = row.Integer(0);
    }
    if (known != 0) {
      QUERN_ASSIGN_OR_RETURN(JobRecord record, ReadJob(known));
      if (record.job.spec == job.spec && record.job.priority == job.priority) return record;
      return absl::AlreadyExistsError(absl::StrCat(
          "request id ", job.request_id, " was used for job ", known, ", which is another"));
    }
  }
  QUERN_ASSIGN_OR_RETURN(const int64_t id, InsertJob(job, /*batch=*/0, now_us));
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return ReadJob(id);
}

absl::StatusOr<JobRecord> SqliteTaskStore::GetJob(int64_t id) {
  std::lock_guard lock(mutex_);
  return ReadJob(id);
}

static std::string In(const std::vector<JobState>& states) {
  return absl::StrCat("state IN (",
                      absl::StrJoin(states, ", ",
                                    [](std::string* out, JobState state) {
                                      absl::StrAppend(out, static_cast<int>(state));
                                    }),
                      ")");
}

absl::StatusOr<std::vector<JobRecord>> SqliteTaskStore::ListJobs(const JobFilter& filter) {
  std::lock_guard lock(mutex_);
  return ReadJobs(
      absl::StrCat(
          "id < ", filter.below_id, filter.states.empty() ? "" : " AND " + In(filter.states),
          filter.batch == 0 ? "" : absl::StrCat(" AND batch > 0 AND batch = ", filter.batch),
          " ORDER BY id DESC"),
      filter.limit);
}

absl::StatusOr<std::vector<JobRecord>> SqliteTaskStore::PendingJobs(int limit) {
  std::lock_guard lock(mutex_);
  return ReadJobs("state = 0 ORDER BY priority DESC, id", limit);
}

absl::StatusOr<JobRecord> SqliteTaskStore::MoveJob(int64_t id, const std::vector<JobState>& from,
                                                   JobState to, const std::string& detail,
                                                   const std::string& message, int64_t now_us) {
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  QUERN_ASSIGN_OR_RETURN(const JobRecord job, ReadJob(id));
  if (std::find(from.begin(), from.end(), job.state) == from.end()) {
    return absl::FailedPreconditionError(absl::StrCat("job ", id, " is ", Name(job.state)));
  }
  {
    cache::Statement update = database_.Prepare(
        "UPDATE job SET state = ?, result = ?, error = ?, updated_us = ? WHERE id = ?");
    update.Bind(static_cast<int64_t>(to));
    update.BindBlob(to == JobState::kSucceeded ? std::string_view(detail) : "");
    update.Bind(to == JobState::kFailed ? std::string_view(detail) : "").Bind(now_us).Bind(id);
    QUERN_RETURN_IF_ERROR(update.Run());
  }
  QUERN_RETURN_IF_ERROR(InsertEvent(id, static_cast<int64_t>(to), message, now_us).status());
  if (IsFinished(to)) {
    cache::Statement drop = database_.Prepare("DELETE FROM task WHERE job = ? AND state < 2");
    QUERN_RETURN_IF_ERROR(drop.Bind(id).Run());
  }
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return ReadJob(id);
}

absl::StatusOr<int64_t> SqliteTaskStore::AddEvent(int64_t job, const std::string& message,
                                                  int64_t now_us) {
  std::lock_guard lock(mutex_);
  return InsertEvent(job, kNoState, message, now_us);
}

absl::StatusOr<std::vector<Event>> SqliteTaskStore::ListEvents(int64_t job, int64_t after,
                                                               int limit) {
  std::lock_guard lock(mutex_);
  cache::Statement row = database_.Prepare(
      "SELECT sequence, time_us, state, message FROM event WHERE job = ? AND sequence > ?"
      " ORDER BY sequence LIMIT ?");
  row.Bind(job).Bind(after).Bind(int64_t{limit});
  std::vector<Event> events;
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
    if (!there) return events;
    Event event{.sequence = row.Integer(0), .time_us = row.Integer(1), .message = row.Text(3)};
    if (row.Integer(2) != kNoState) event.state = static_cast<JobState>(row.Integer(2));
    events.push_back(std::move(event));
  }
}

absl::StatusOr<int64_t> SqliteTaskStore::Retain(int64_t before_us) {
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  const std::string old =
      absl::StrCat("(SELECT id FROM job WHERE state >= 3 AND updated_us < ", before_us, ")");
  QUERN_RETURN_IF_ERROR(database_.Execute("DELETE FROM task WHERE job IN " + old));
  QUERN_RETURN_IF_ERROR(database_.Execute("DELETE FROM event WHERE job IN " + old));
  QUERN_RETURN_IF_ERROR(database_.Execute("DELETE FROM job WHERE id IN " + old));
  const int64_t removed = database_.changes();
  QUERN_RETURN_IF_ERROR(database_.Execute(
      "DELETE FROM batch WHERE id NOT IN (SELECT batch FROM job WHERE batch > 0)"));
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return removed;
}

}  // namespace quern::server
