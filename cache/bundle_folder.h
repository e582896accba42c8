// A bundle's folder in a store: the bundle, and entry.json, which says what it is kept for. The
// folder is named by the SHA-256 of entry.json, which has that of manifest.json, which has those of
// all files.
#ifndef QUERN_CACHE_BUNDLE_FOLDER_H_
#define QUERN_CACHE_BUNDLE_FOLDER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bundle/bundle.h"
#include "cache/kernel_store.h"

namespace quern::cache {

// Writes `bundle` to a new folder below `bundles`, in one step. The entry's last use is its
// creation, now.
absl::StatusOr<Entry> WriteFolder(const std::string& bundles, const CacheKey& key,
                                  const Bundle& bundle, Timing timing);

// Whether `name` is 64 lower-case hexadecimal digits, as all names of folders are.
bool IsFolderName(std::string_view name);

// Whether the folder's entry.json and manifest.json are those of its name.
bool IsWhole(const std::string& folder);

// The entry of a folder and its bundle's canonical text, with every file checked. kDataLoss if it
// is not whole or not proved.
struct Folder {
  Entry entry;
  std::string canonical;
};
absl::StatusOr<Folder> ReadFolder(const std::string& folder);

// Removes a folder in one step, as others see it. One that is gone is no error.
absl::Status RemoveFolder(const std::string& folder);

// Bytes of the files in a folder, 0 if it is gone.
int64_t FolderBytes(const std::string& folder);

}  // namespace quern::cache

#endif  // QUERN_CACHE_BUNDLE_FOLDER_H_
