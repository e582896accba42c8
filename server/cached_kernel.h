// One kernel of the cache, as a search session asks for it.
#ifndef QUERN_SERVER_CACHED_KERNEL_H_
#define QUERN_SERVER_CACHED_KERNEL_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/kernel_store.h"
#include "frontend/spec.h"
#include "search/session.h"

namespace quern::server {

// What a kernel was asked for with, besides its spec.
struct KernelRequest {
  std::string target;   // "x86_64"
  std::string machine;  // that it was measured on
  int threads = 1;
  Semantics semantics = Semantics::kReal;
  std::vector<std::string> assumptions;  // in any order
  double error_ratio = 2;
};

// Under the versions of this quern.
cache::CacheKey KeyOf(const frontend::Spec& spec, const KernelRequest& request);

// One key of the cache. A hit whose module has other bytes than the user's is proved again for the
// user's before it counts.
class CachedKernel : public search::KernelStore {
 public:
  CachedKernel(const frontend::Spec& spec, cache::CacheKey key, cache::KernelStore& store,
               search::Checker& checker)
      : spec_(spec), key_(std::move(key)), store_(store), checker_(checker) {}
  absl::StatusOr<std::optional<Bundle>> Lookup() override;
  absl::Status Insert(const Bundle& bundle) override;
  // The folder of the last hit or insertion; empty if there was none.
  const std::string& folder() const { return folder_; }

 private:
  const frontend::Spec& spec_;
  cache::CacheKey key_;
  cache::KernelStore& store_;
  search::Checker& checker_;
  std::string folder_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_CACHED_KERNEL_H_
