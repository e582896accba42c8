#include "cache/sqlite_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "cache/bundle_folder.h"

namespace quern::cache {

namespace fs = std::filesystem;

static constexpr int kBusyMs = 10000;
static constexpr char kColumns[] =
    "key_digest, key, folder, time_ns, naive_ns, created_us, last_used_us, bytes";

static int64_t NowUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

absl::StatusOr<std::string> DefaultDirectory() {
  auto set = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (!set("QUERN_CACHE").empty()) return set("QUERN_CACHE");
  if (!set("XDG_CACHE_HOME").empty()) return set("XDG_CACHE_HOME") + "/quern";
  if (!set("HOME").empty()) return set("HOME") + "/.cache/quern";
  return absl::FailedPreconditionError("no cache directory: set QUERN_CACHE or HOME");
}

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& directory,
                                                               std::function<void()> before_index) {
  std::unique_ptr<SqliteStore> store(new SqliteStore(directory, std::move(before_index)));
  // A path that cannot be is the environment's fault, not a missing entry.
  auto failed = [](int error_number, const std::string& action, const std::string& path) {
    const absl::Status status = FileError(error_number, action, path);
    return absl::IsNotFound(status) ? absl::UnavailableError(status.message()) : status;
  };
  std::error_code error;
  for (const fs::path& path : {fs::path(directory), fs::path(store->bundles())}) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
    if (error) return failed(error.value(), "create", path.parent_path());
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return failed(errno, "create", path);
    if (!fs::is_directory(path)) return failed(ENOTDIR, "use as a folder", path);
  }
  std::lock_guard lock(store->mutex_);
  QUERN_RETURN_IF_ERROR(store->Guarded([&] { return store->OpenIndex(); }));
  return store;
}

absl::Status SqliteStore::LookupRow(const CacheKey& key, std::string_view canonical,
                                    LookupResult& result) {
  const std::string digest = key.Digest(), family = key.Family();
  Statement found = database_->Prepare(
      absl::StrCat("SELECT ", kColumns, ", canonical FROM entry WHERE key_digest = ?"));
  QUERN_ASSIGN_OR_RETURN(const bool there, found.Bind(digest).Step());
  if (!there) {
    Statement kin = database_->Prepare("SELECT 1 FROM entry WHERE family = ? LIMIT 1");
    QUERN_ASSIGN_OR_RETURN(const bool older, kin.Bind(family).Step());
    result.miss = older ? Miss::kOtherVersion : Miss::kAbsent;
    return absl::OkStatus();
  }
  QUERN_ASSIGN_OR_RETURN(Entry entry, ReadRow(found));
  if (found.Text(8) != canonical || entry.key != key) {
    result.miss = Miss::kOtherText;
  } else if (!IsWhole(entry.bundle)) {
    result.miss = Miss::kDamaged;
  } else if (!entry.marks.revoked.empty()) {
    result.miss = Miss::kRevoked;
  } else {
    result.entry = std::move(entry);
  }
  return absl::OkStatus();
}

absl::StatusOr<LookupResult> SqliteStore::Lookup(const CacheKey& key, std::string_view canonical) {
  std::lock_guard lock(mutex_);
  LookupResult result;
  QUERN_RETURN_IF_ERROR(Guarded([&] {
    result = {};
    return LookupRow(key, canonical, result);
  }));
  if (!result.entry) return result;
  // The time of use is worth no wait: another process that writes now, or a read-only index, keeps
  // the old one.
  result.entry->last_used_us = NowUs();
  database_->set_busy_ms(0);
  database_->Prepare("UPDATE entry SET last_used_us = ? WHERE key_digest = ?")
      .Bind(result.entry->last_used_us)
      .Bind(result.entry->digest)
      .Run()
      .IgnoreError();
  database_->set_busy_ms(kBusyMs);
  return result;
}

absl::Status SqliteStore::InsertRow(const Entry& entry, const std::string& canonical, bool replace,
                                    std::string& old_folder) {
  Statement found = database_->Prepare("SELECT folder FROM entry WHERE key_digest = ?");
  QUERN_ASSIGN_OR_RETURN(const bool there, found.Bind(entry.digest).Step());
  if (there && !IsFolderName(found.Text(0))) {
    return absl::DataLossError(absl::StrCat(index(), ": a row is damaged"));
  }
  const std::string folder = fs::path(entry.bundle).filename();
  old_folder = there ? absl::StrCat(bundles(), "/", found.Text(0)) : "";
  if (old_folder == entry.bundle) {  // adopted in the meantime
    old_folder.clear();
    return absl::OkStatus();
  }
  if (there && !replace && IsWhole(old_folder)) {
    return absl::AlreadyExistsError(absl::StrCat("the cache has an entry ", entry.digest));
  }
  const std::string key = ToJson(entry.key), family = entry.key.Family();
  return database_
      ->Prepare(absl::StrCat("REPLACE INTO entry (", kColumns,
                             ", family, canonical) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"))
      .Bind(entry.digest)
      .Bind(key)
      .Bind(folder)
      .Bind(entry.time_ns)
      .Bind(entry.naive_ns)
      .Bind(entry.created_us)
      .Bind(entry.last_used_us)
      .Bind(entry.bytes)
      .Bind(family)
      .Bind(canonical)
      .Run();
}

absl::StatusOr<Entry> SqliteStore::Insert(const CacheKey& key, const Bundle& bundle, Timing timing,
                                          bool replace) {
  if (bundle.certificate.verdict != Verdict::kProved) {
    return absl::InvalidArgumentError(
        absl::StrCat("only a proved kernel may be cached; this one is ",
                     quern::Name(bundle.certificate.verdict)));
  }
  if (bundle.spec_sha256 != key.spec_sha256) {
    return absl::InvalidArgumentError("the kernel is of another spec than its cache key");
  }
  QUERN_RETURN_IF_ERROR(ParseCacheKey(ToJson(key)).status());
  std::lock_guard lock(mutex_);
  QUERN_ASSIGN_OR_RETURN(Entry entry, WriteFolder(bundles(), key, bundle, timing));
  if (before_index_) before_index_();
  std::string old_folder;
  absl::Status status = Guarded([&] {
    Transaction transaction(*database_);
    QUERN_RETURN_IF_ERROR(transaction.status());
    QUERN_RETURN_IF_ERROR(InsertRow(entry, bundle.canonical, replace, old_folder));
    return transaction.Commit();
  });
  if (!status.ok()) {
    RemoveFolder(entry.bundle).IgnoreError();
    return status;
  }
  if (!old_folder.empty()) RemoveFolder(old_folder).IgnoreError();
  return entry;
}

absl::StatusOr<std::vector<Entry>> SqliteStore::List() {
  std::lock_guard lock(mutex_);
  std::vector<Entry> entries;
  QUERN_RETURN_IF_ERROR(Guarded([&] { return ListRows(entries); }));
  return entries;
}

absl::StatusOr<Entry> SqliteStore::Show(std::string_view prefix) {
  QUERN_ASSIGN_OR_RETURN(std::vector<Entry> entries, List());
  std::erase_if(entries, [&](const Entry& entry) { return !entry.digest.starts_with(prefix); });
  const std::string quoted = absl::StrCat("'", std::string(prefix), "'");
  if (prefix.empty()) return absl::InvalidArgumentError("an empty digest names no entry");
  if (entries.empty()) return absl::NotFoundError(absl::StrCat("no cache entry ", quoted));
  if (entries.size() == 1) return entries[0];
  return absl::InvalidArgumentError(
      absl::StrCat(quoted, " is the beginning of ", entries.size(), " cache entries"));
}

absl::Status SqliteStore::RemoveEntry(const Entry& entry) {
  QUERN_RETURN_IF_ERROR(RemoveFolder(entry.bundle));
  const std::string folder = fs::path(entry.bundle).filename();
  return database_->Prepare("DELETE FROM entry WHERE key_digest = ? AND folder = ?")
      .Bind(entry.digest)
      .Bind(folder)
      .Run();
}

absl::StatusOr<Entry> SqliteStore::FindRow(std::string_view digest) {
  Statement row =
      database_->Prepare(absl::StrCat("SELECT ", kColumns, " FROM entry WHERE key_digest = ?"));
  QUERN_ASSIGN_OR_RETURN(const bool there, row.Bind(digest).Step());
  if (there) return ReadRow(row);
  return absl::NotFoundError(absl::StrCat("no cache entry '", std::string(digest), "'"));
}

absl::Status SqliteStore::Remove(std::string_view digest) {
  std::lock_guard lock(mutex_);
  return Guarded([&]() -> absl::Status {
    QUERN_ASSIGN_OR_RETURN(const Entry entry, FindRow(digest));
    if (!entry.marks.pinned) return RemoveEntry(entry);
    return absl::FailedPreconditionError(absl::StrCat("cache entry ", entry.digest, " is pinned"));
  });
}

absl::StatusOr<Entry> SqliteStore::Mark(std::string_view digest,
                                        absl::FunctionRef<void(Marks&)> change) {
  std::lock_guard lock(mutex_);
  Entry entry;
  QUERN_RETURN_IF_ERROR(Guarded([&]() -> absl::Status {
    QUERN_ASSIGN_OR_RETURN(entry, FindRow(digest));
    change(entry.marks);
    return WriteMarks(entry.bundle, entry.marks);
  }));
  return entry;
}

absl::Status SqliteStore::RemoveExcess(const GcLimits& limits, GcReport& report) {
  std::vector<Entry> entries;
  QUERN_RETURN_IF_ERROR(ListRows(entries));
  const int64_t now = NowUs();
  int64_t kept = 0;
  for (const Entry& entry : entries) {
    const bool dangling = !IsWhole(entry.bundle);
    const bool old = (now - entry.last_used_us) / 1000000 > limits.max_age_seconds;
    const bool wanted = entry.marks.pinned || (!old && entry.bytes <= limits.max_bytes - kept);
    if (!dangling && wanted) {
      kept += entry.bytes;
      continue;
    }
    const int64_t bytes = FolderBytes(entry.bundle);
    QUERN_RETURN_IF_ERROR(RemoveEntry(entry));
    report.bytes += bytes;
    report.dangling_removed += dangling;
    if (!dangling) report.removed.push_back(entry);
  }
  return absl::OkStatus();
}

absl::StatusOr<GcReport> SqliteStore::Gc(const GcLimits& limits) {
  std::lock_guard lock(mutex_);
  GcReport report;
  QUERN_RETURN_IF_ERROR(Guarded([&]() -> absl::Status {
    QUERN_ASSIGN_OR_RETURN(std::vector<std::string> orphans, Orphans(limits.orphan_age_seconds));
    if (!orphans.empty()) {
      Transaction transaction(*database_);
      QUERN_RETURN_IF_ERROR(transaction.status());
      QUERN_ASSIGN_OR_RETURN(const int64_t adopted, Adopt(orphans));
      QUERN_RETURN_IF_ERROR(transaction.Commit());
      report.orphans_adopted += adopted;
    }
    QUERN_ASSIGN_OR_RETURN(orphans, Orphans(limits.orphan_age_seconds));
    for (const std::string& orphan : orphans) {
      const int64_t bytes = FolderBytes(orphan);
      QUERN_RETURN_IF_ERROR(RemoveFolder(orphan));
      report.bytes += bytes;
      ++report.orphans_removed;
    }
    return RemoveExcess(limits, report);
  }));
  return report;
}

std::vector<std::string> SqliteStore::TakeWarnings() {
  std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

}  // namespace quern::cache
