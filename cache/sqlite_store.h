// A KernelStore in a directory: index.sqlite, and bundles/ with a folder for each entry.
#ifndef QUERN_CACHE_SQLITE_STORE_H_
#define QUERN_CACHE_SQLITE_STORE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "cache/kernel_store.h"
#include "cache/sqlite.h"

namespace quern::cache {

// $QUERN_CACHE, else $XDG_CACHE_HOME/quern, else ~/.cache/quern. kFailedPrecondition if none is
// set.
absl::StatusOr<std::string> DefaultDirectory();

// The folders are the truth and the index is made from them: one that is damaged is moved aside to
// index.sqlite.damaged-N, one that is missing is made again. An index of a newer quern is
// kFailedPrecondition.
class SqliteStore : public KernelStore {
 public:
  // `directory` is made, for its owner alone, if it is not there. `before_index`, for tests, is
  // called by Insert when the folder is in place and its row is not.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(
      const std::string& directory, std::function<void()> before_index = nullptr);

  absl::StatusOr<LookupResult> Lookup(const CacheKey& key, std::string_view canonical) override;
  absl::StatusOr<Entry> Insert(const CacheKey& key, const Bundle& bundle, Timing timing,
                               bool replace) override;
  absl::StatusOr<std::vector<Entry>> List() override;
  absl::StatusOr<Entry> Show(std::string_view prefix) override;
  absl::Status Remove(std::string_view digest) override;
  absl::StatusOr<Entry> Mark(std::string_view digest,
                             absl::FunctionRef<void(Marks&)> change) override;
  absl::StatusOr<GcReport> Gc(const GcLimits& limits) override;
  std::vector<std::string> TakeWarnings() override;

 private:
  SqliteStore(std::string directory, std::function<void()> before_index)
      : directory_(std::move(directory)), before_index_(std::move(before_index)) {}

  std::string bundles() const { return directory_ + "/bundles"; }
  std::string index() const { return directory_ + "/index.sqlite"; }

  // Opens the index, brings its schema up to date and fills a new one from the folders.
  absl::Status OpenIndex();
  absl::Status OpenLocked();
  absl::Status Migrate();
  absl::Status CheckIndex();
  // Runs `work`; if the index turns out damaged, moves it aside, makes it again and runs it once
  // more.
  absl::Status Guarded(absl::FunctionRef<absl::Status()> work);
  absl::Status ReplaceIndex(const absl::Status& damage);

  // kDataLoss if the row is not one that InsertRow wrote.
  absl::StatusOr<Entry> ReadRow(const Statement& row) const;
  absl::Status LookupRow(const CacheKey& key, std::string_view canonical, LookupResult& result);
  // Within a transaction. `old_folder` is that of the row it replaces, or empty.
  absl::Status InsertRow(const Entry& entry, const std::string& canonical, bool replace,
                         std::string& old_folder);
  absl::Status ListRows(std::vector<Entry>& entries);
  absl::StatusOr<Entry> FindRow(std::string_view digest);
  absl::Status RemoveEntry(const Entry& entry);
  // Folders without a row, temporary ones too, that are at least `age` seconds old.
  absl::StatusOr<std::vector<std::string>> Orphans(int64_t age);
  // Gives rows to the whole ones whose key has none; how many.
  absl::StatusOr<int64_t> Adopt(const std::vector<std::string>& orphans);
  absl::Status RemoveExcess(const GcLimits& limits, GcReport& report);

  const std::string directory_;
  const std::function<void()> before_index_;
  std::mutex mutex_;  // guards all below
  std::unique_ptr<Database> database_;
  std::vector<std::string> warnings_;
};

}  // namespace quern::cache

#endif  // QUERN_CACHE_SQLITE_STORE_H_
