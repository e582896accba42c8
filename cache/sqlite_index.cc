// The index of SqliteStore: opening it, and making it again from the folders.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "cache/bundle_folder.h"
#include "cache/sqlite_store.h"

namespace quern::cache {

namespace fs = std::filesystem;

static constexpr int kBusyMs = 10000;

// Statement i brings version i to i + 1. Only ever add at the end.
static constexpr const char* kMigrations[] = {
    "CREATE TABLE entry (key_digest TEXT PRIMARY KEY, family TEXT NOT NULL, key TEXT NOT NULL,"
    " canonical TEXT NOT NULL, folder TEXT NOT NULL, time_ns REAL NOT NULL, naive_ns REAL NOT NULL,"
    " created_us INTEGER NOT NULL, last_used_us INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    "CREATE INDEX entry_family ON entry (family)",
};

// One process at a time makes or replaces an index.
class IndexLock {
 public:
  explicit IndexLock(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0 || flock(file_, LOCK_EX) != 0) status_ = FileError(errno, "lock", path);
  }
  ~IndexLock() {
    if (file_ >= 0) close(file_);
  }
  IndexLock(const IndexLock&) = delete;
  IndexLock& operator=(const IndexLock&) = delete;
  const absl::Status& status() const { return status_; }

 private:
  int file_;
  absl::Status status_;
};

absl::StatusOr<Entry> SqliteStore::ReadRow(const Statement& row) const {
  absl::StatusOr<CacheKey> key = ParseCacheKey(row.Text(1));
  const std::string digest = row.Text(0), folder = row.Text(2);
  if (!key.ok() || key->Digest() != digest || !IsFolderName(folder)) {
    return absl::DataLossError(absl::StrCat(index(), ": a row is damaged"));
  }
  const std::string path = absl::StrCat(bundles(), "/", folder);
  QUERN_ASSIGN_OR_RETURN(Marks marks, ReadMarks(path));
  return Entry{.key = *std::move(key),
               .digest = digest,
               .bundle = path,
               .time_ns = row.Real(3),
               .naive_ns = row.Real(4),
               .created_us = row.Integer(5),
               .last_used_us = row.Integer(6),
               .bytes = std::max<int64_t>(row.Integer(7), 0),
               .marks = std::move(marks)};
}

absl::Status SqliteStore::ListRows(std::vector<Entry>& entries) {
  entries.clear();
  Statement rows = database_->Prepare(
      "SELECT key_digest, key, folder, time_ns, naive_ns, created_us, last_used_us, bytes FROM "
      "entry"
      " ORDER BY last_used_us DESC, key_digest");
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const bool there, rows.Step());
    if (!there) return absl::OkStatus();
    QUERN_ASSIGN_OR_RETURN(Entry entry, ReadRow(rows));
    entries.push_back(std::move(entry));
  }
}

static absl::StatusOr<int64_t> UserVersion(Database& database) {
  Statement pragma = database.Prepare("PRAGMA user_version");
  QUERN_RETURN_IF_ERROR(pragma.Step().status());
  return pragma.Integer(0);
}

absl::Status SqliteStore::Migrate() {
  constexpr int64_t kVersion = std::size(kMigrations);
  QUERN_ASSIGN_OR_RETURN(int64_t version, UserVersion(*database_));
  if (version == kVersion) return absl::OkStatus();
  if (version < 0 || version > kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(index(), ": has schema ", version, ", this quern knows up to ", kVersion));
  }
  Transaction transaction(*database_);
  QUERN_RETURN_IF_ERROR(transaction.status());
  const bool is_new = version == 0;
  for (; version < kVersion; ++version) {
    QUERN_RETURN_IF_ERROR(database_->Execute(kMigrations[version]));
  }
  QUERN_RETURN_IF_ERROR(database_->Execute(absl::StrCat("PRAGMA user_version = ", kVersion)));
  if (is_new) {
    QUERN_ASSIGN_OR_RETURN(const std::vector<std::string> orphans, Orphans(0));
    QUERN_ASSIGN_OR_RETURN(const int64_t adopted, Adopt(orphans));
    if (adopted > 0) {
      warnings_.push_back(absl::StrCat(index(), ": made again with ", adopted, " entries"));
    }
  }
  return transaction.Commit();
}

absl::Status SqliteStore::OpenIndex() {
  IndexLock lock(directory_ + "/lock");
  QUERN_RETURN_IF_ERROR(lock.status());
  return OpenLocked();
}

absl::Status SqliteStore::OpenLocked() {
  database_.reset();
  QUERN_ASSIGN_OR_RETURN(Database database, Database::Open(index(), kBusyMs));
  database_ = std::make_unique<Database>(std::move(database));
  QUERN_RETURN_IF_ERROR(database_->Execute("PRAGMA journal_mode = WAL"));
  QUERN_RETURN_IF_ERROR(database_->Execute("PRAGMA synchronous = NORMAL"));
  return Migrate();
}

absl::Status SqliteStore::CheckIndex() {
  Statement check = database_->Prepare("PRAGMA integrity_check(1)");
  QUERN_RETURN_IF_ERROR(check.Step().status());
  if (check.Text(0) != "ok") return absl::DataLossError(check.Text(0));
  QUERN_RETURN_IF_ERROR(database_->Execute("SELECT family, canonical FROM entry LIMIT 0"));
  std::vector<Entry> entries;
  return ListRows(entries);
}

absl::Status SqliteStore::ReplaceIndex(const absl::Status& damage) {
  IndexLock lock(directory_ + "/lock");
  QUERN_RETURN_IF_ERROR(lock.status());
  absl::Status status = OpenLocked();
  if (status.ok()) status = CheckIndex();
  if (!absl::IsDataLoss(status)) return status;  // another process has replaced it
  database_.reset();
  int n = 1;
  std::error_code error;
  while (fs::exists(absl::StrCat(index(), ".damaged-", n), error)) ++n;
  const std::string aside = absl::StrCat(index(), ".damaged-", n);
  // The log goes first: a new index must not find it.
  for (const char* suffix : {"-wal", "-shm", ""}) {
    const std::string from = index() + suffix, to = aside + suffix;
    if (rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return FileError(errno, "move aside", from);
    }
  }
  warnings_.push_back(absl::StrCat(damage.message(), "; the cache's index was damaged and is now ",
                                   aside, "; kernels are kept"));
  return OpenLocked();
}

absl::Status SqliteStore::Guarded(absl::FunctionRef<absl::Status()> work) {
  absl::Status status = database_ == nullptr ? OpenIndex() : absl::OkStatus();
  if (status.ok()) status = work();
  if (!absl::IsDataLoss(status)) return status;
  QUERN_RETURN_IF_ERROR(ReplaceIndex(status));
  status = work();
  if (!absl::IsDataLoss(status)) return status;
  return absl::UnavailableError(absl::StrCat("the cache is damaged again: ", status.message()));
}

absl::StatusOr<std::vector<std::string>> SqliteStore::Orphans(int64_t age) {
  std::set<std::string> kept;
  Statement rows = database_->Prepare("SELECT folder FROM entry");
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const bool there, rows.Step());
    if (!there) break;
    kept.insert(rows.Text(0));
  }
  std::vector<std::string> orphans;
  std::error_code error;
  fs::directory_iterator it(bundles(), error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    struct stat facts;
    const std::string path = it->path();
    if (kept.contains(it->path().filename()) || lstat(path.c_str(), &facts) != 0) continue;
    if (time(nullptr) - facts.st_mtime >= age) orphans.push_back(path);
  }
  if (error) return FileError(error.value(), "list", bundles());
  std::sort(orphans.begin(), orphans.end());
  return orphans;
}

absl::StatusOr<int64_t> SqliteStore::Adopt(const std::vector<std::string>& orphans) {
  std::vector<Folder> folders;
  for (const std::string& orphan : orphans) {
    absl::StatusOr<Folder> folder = ReadFolder(orphan);
    if (folder.ok()) folders.push_back(*std::move(folder));
  }
  // Of two for one key the newer has replaced the older.
  std::sort(folders.begin(), folders.end(), [](const Folder& a, const Folder& b) {
    return std::tie(a.entry.created_us, a.entry.bundle) >
           std::tie(b.entry.created_us, b.entry.bundle);
  });
  int64_t adopted = 0;
  for (const Folder& folder : folders) {
    std::string old_folder;
    const absl::Status status =
        InsertRow(folder.entry, folder.canonical, /*replace=*/false, old_folder);
    if (absl::IsAlreadyExists(status)) continue;
    QUERN_RETURN_IF_ERROR(status);
    ++adopted;
  }
  return adopted;
}

}  // namespace quern::cache
