// The batches of SqliteTaskStore.
#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "server/sqlite_task_store.h"

namespace quern::server {

// Equal for equal requests.
static std::string DigestOf(const NewBatch& batch) {
  std::string all;
  for (const NewJob& job : batch.jobs) {
    absl::StrAppend(&all, Sha256(job.spec), " ", job.priority, "\n");
  }
  return Sha256(all);
}

absl::StatusOr<BatchRecord> SqliteTaskStore::CreateBatch(const NewBatch& batch, int64_t now_us) {
  const std::string digest = DigestOf(batch);
  std::lock_guard lock(mutex_);
  cache::Transaction transaction(database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  if (!batch.request_id.empty()) {
    cache::Statement row =
        database_.Prepare("SELECT id, created_us, request_sha256 FROM batch WHERE request_id = ?");
    row.Bind(batch.request_id);
    QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
    if (there && row.Text(2) == digest) {
      return BatchRecord{.id = row.Integer(0), .created_us = row.Integer(1)};
    }
    if (there) {
      return absl::AlreadyExistsError(absl::StrCat("request id ", batch.request_id,
                                                   " was used for batch ", row.Integer(0),
                                                   ", which is another"));
    }
  }
  BatchRecord record{.created_us = now_us};
  {
    cache::Statement insert = database_.Prepare(
        "INSERT INTO batch (request_id, request_sha256, created_us) VALUES (nullif(?, ''), ?, ?)"
        " RETURNING id");
    insert.Bind(batch.request_id).Bind(digest).Bind(now_us);
    QUERN_RETURN_IF_ERROR(insert.Step().status());
    record.id = insert.Integer(0);
    QUERN_RETURN_IF_ERROR(insert.Run());
  }
  for (const NewJob& job : batch.jobs) {
    QUERN_RETURN_IF_ERROR(InsertJob(job, record.id, now_us).status());
  }
  QUERN_RETURN_IF_ERROR(transaction.Commit());
  return record;
}

absl::StatusOr<BatchRecord> SqliteTaskStore::GetBatch(int64_t id) {
  std::lock_guard lock(mutex_);
  cache::Statement row = database_.Prepare("SELECT created_us FROM batch WHERE id = ?");
  row.Bind(id);
  QUERN_ASSIGN_OR_RETURN(const bool there, row.Step());
  if (there) return BatchRecord{.id = id, .created_us = row.Integer(0)};
  return absl::NotFoundError(absl::StrCat("there is no batch ", id));
}

}  // namespace quern::server
