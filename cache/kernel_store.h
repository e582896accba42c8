// The store of proved kernels: its contract, whatever keeps it.
#ifndef QUERN_CACHE_KERNEL_STORE_H_
#define QUERN_CACHE_KERNEL_STORE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "bundle/bundle.h"
#include "cache/cache_key.h"
#include "cache/marks.h"

namespace quern::cache {

struct Entry {
  CacheKey key;
  std::string digest;  // of the key; names the entry
  std::string bundle;  // path of its folder, for ReadBundle
  Verdict verdict = Verdict::kProved;
  double time_ns = 0;        // median, 0: not measured
  double naive_ns = 0;       // of the naive program in the same run, likewise
  int64_t created_us = 0;    // microseconds since 1970
  int64_t last_used_us = 0;  // likewise
  int64_t bytes = 0;         // of the folder
  Marks marks;
};

enum class Miss {
  kAbsent,
  kOtherText,     // the key is there, but for another canonical text
  kOtherVersion,  // only entries of other versions of quern are there
  kDamaged,       // there, but its folder is missing or changed
  kRevoked,       // there, but refused until it is proved again
};
std::string Name(Miss miss);  // "other version"

struct LookupResult {
  std::optional<Entry> entry;
  Miss miss = Miss::kAbsent;  // without an entry: why
};

// An insertion's times, for Entry.
struct Timing {
  double time_ns = 0;
  double naive_ns = 0;
};

struct GcLimits {
  int64_t max_bytes = std::numeric_limits<int64_t>::max();
  int64_t max_age_seconds = std::numeric_limits<int64_t>::max();  // since the last use
  int64_t orphan_age_seconds = 3600;  // folders without an entry: younger ones may be in the making
};

struct GcReport {
  std::vector<Entry> removed;
  int64_t bytes = 0;             // freed
  int64_t orphans_removed = 0;   // folders without an entry
  int64_t orphans_adopted = 0;   // whole and proved: they have an entry again
  int64_t dangling_removed = 0;  // entries without a folder
};

// Any number of threads and processes may use a store at once. Errors are of the environment:
// kPermissionDenied, kUnavailable (full disk, locked), with the path. Damage is no error.
class KernelStore {
 public:
  virtual ~KernelStore() = default;

  // The entry of `key` whose canonical text is `canonical`, byte for byte; marks it as used. The
  // folder's manifest is checked; its files are checked by ReadBundle. Another process may remove
  // the folder at any time: a bundle that cannot be read is a miss.
  virtual absl::StatusOr<LookupResult> Lookup(const CacheKey& key, std::string_view canonical) = 0;

  // Copies `bundle` into the store: all of it or nothing, whenever the process dies.
  // kInvalidArgument if it is not proved or of another spec than `key`; kAlreadyExists if the key
  // is there, unless `replace`. What takes the place of a revoked kernel is not revoked.
  virtual absl::StatusOr<Entry> Insert(const CacheKey& key, const Bundle& bundle, Timing timing,
                                       bool replace) = 0;

  // Most recently used first.
  virtual absl::StatusOr<std::vector<Entry>> List() = 0;

  // The entry whose digest begins with `prefix`. kNotFound; kInvalidArgument if there are several
  // or the prefix is empty.
  virtual absl::StatusOr<Entry> Show(std::string_view prefix) = 0;

  // kNotFound if there is no entry with this whole digest; kFailedPrecondition if it is pinned.
  virtual absl::Status Remove(std::string_view digest) = 0;

  // Changes the marks of the entry with this whole digest; outlives a crash. kNotFound.
  virtual absl::StatusOr<Entry> Mark(std::string_view digest,
                                     absl::FunctionRef<void(Marks&)> change) = 0;

  // Removes what is older than the limits allow, then the least recently used until the rest fits;
  // nothing that is pinned.
  virtual absl::StatusOr<GcReport> Gc(const GcLimits& limits) = 0;

  // What a person should know (a damaged index was moved aside, ...), since the last call.
  virtual std::vector<std::string> TakeWarnings() = 0;
};

}  // namespace quern::cache

#endif  // QUERN_CACHE_KERNEL_STORE_H_
