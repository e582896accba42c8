#include "cache/bundle_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/json_view.h"
#include "bundle/status.h"

namespace quern::cache {

namespace fs = std::filesystem;

// Beside the folders; removed with other orphans if its process died.
static std::string TemporaryName(const fs::path& bundles) {
  static std::atomic<int> counter = 0;
  return bundles / absl::StrCat(".tmp-", getpid(), "-", counter++);
}

static void SyncDirectory(const std::string& path) {
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);
  close(directory);
}

absl::StatusOr<Entry> WriteFolder(const std::string& bundles, const CacheKey& key,
                                  const Bundle& bundle, Timing timing) {
  const std::string fresh = TemporaryName(bundles);
  std::error_code error;
  absl::Cleanup remove_fresh = [&] { fs::remove_all(fresh, error); };
  QUERN_RETURN_IF_ERROR(WriteBundle(bundle, fresh));
  QUERN_ASSIGN_OR_RETURN(const std::string manifest, ReadFile(fresh + "/manifest.json"));
  const int64_t now = std::chrono::duration_cast<std::chrono::microseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  // The process and a count make every insertion's name its own.
  const std::string text = JsonText({{"version", 1},
                                     {"key", ToJson(key)},
                                     {"manifest_sha256", Sha256(manifest)},
                                     {"time_ns", JsonNumber(timing.time_ns)},
                                     {"naive_ns", JsonNumber(timing.naive_ns)},
                                     {"created_us", now},
                                     {"writer", fs::path(fresh).filename().string()}});
  QUERN_RETURN_IF_ERROR(WriteFile(fresh + "/entry.json", text));
  Entry entry{.key = key,
              .digest = key.Digest(),
              .bundle = fs::path(bundles) / Sha256(text),
              .verdict = bundle.certificate.verdict,
              .time_ns = timing.time_ns,
              .naive_ns = timing.naive_ns,
              .created_us = now,
              .last_used_us = now,
              .bytes = FolderBytes(fresh)};
  if (rename(fresh.c_str(), entry.bundle.c_str()) != 0) {
    return FileError(errno, "create", entry.bundle);
  }
  std::move(remove_fresh).Cancel();
  SyncDirectory(bundles);
  return entry;
}

static absl::StatusOr<nlohmann::json> ReadEntryJson(const fs::path& folder) {
  absl::StatusOr<std::string> text = ReadFile(folder / "entry.json");
  absl::StatusOr<std::string> manifest = ReadFile(folder / "manifest.json");
  const std::string changed = absl::StrCat(folder.string(), ": is not the folder of its name");
  if (!text.ok() || !manifest.ok() || Sha256(*text) != folder.filename()) {
    return absl::DataLossError(changed);
  }
  absl::StatusOr<nlohmann::json> json = ParseJson(*text, absl::StrCat(folder.string(), ":"));
  if (!json.ok()) return absl::DataLossError(json.status().message());
  absl::Status status;
  const JsonView view(&*json, absl::StrCat(folder.string(), ":"), &status);
  if (view["manifest_sha256"].Sha256() != Sha256(*manifest) || !status.ok()) {
    return absl::DataLossError(changed);
  }
  return json;
}

bool IsFolderName(std::string_view name) {
  return name.size() == 64 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsWhole(const std::string& folder) { return ReadEntryJson(folder).ok(); }

absl::StatusOr<Folder> ReadFolder(const std::string& folder) {
  QUERN_ASSIGN_OR_RETURN(const nlohmann::json json, ReadEntryJson(folder));
  absl::Status status;
  const JsonView view(&json, absl::StrCat(folder, ":"), &status);
  view.ExpectKeys(
      {"version", "key", "manifest_sha256", "time_ns", "naive_ns", "created_us", "writer"});
  view["version"].Integer(1, 1);
  absl::StatusOr<CacheKey> key = ParseCacheKey(view["key"].String());
  if (!key.ok()) view["key"].Fail(std::string(key.status().message()));
  Folder read{.entry = {.bundle = folder,
                        .time_ns = view["time_ns"].NonNegative(),
                        .naive_ns = view["naive_ns"].NonNegative(),
                        .created_us = view["created_us"].Integer(),
                        .last_used_us = view["created_us"].Integer(),
                        .bytes = FolderBytes(folder)}};
  if (!status.ok()) return absl::DataLossError(status.message());
  QUERN_ASSIGN_OR_RETURN(Bundle bundle, ReadBundle(folder));
  if (bundle.certificate.verdict != Verdict::kProved || bundle.spec_sha256 != key->spec_sha256) {
    return absl::DataLossError(absl::StrCat(folder, ": is not a proved kernel of its key"));
  }
  read.entry.key = *std::move(key);
  read.entry.digest = read.entry.key.Digest();
  read.canonical = std::move(bundle.canonical);
  return read;
}

absl::Status RemoveFolder(const std::string& folder) {
  const std::string doomed = TemporaryName(fs::path(folder).parent_path());
  if (rename(folder.c_str(), doomed.c_str()) != 0) {
    return errno == ENOENT ? absl::OkStatus() : FileError(errno, "remove", folder);
  }
  std::error_code error;
  fs::remove_all(doomed, error);
  return error ? FileError(error.value(), "remove", doomed) : absl::OkStatus();
}

int64_t FolderBytes(const std::string& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const uintmax_t size = it->file_size(error);
    if (!error) bytes += static_cast<int64_t>(size);
    error.clear();
  }
  return bytes;
}

}  // namespace quern::cache
