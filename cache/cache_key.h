// What a proved kernel is remembered by.
#ifndef QUERN_CACHE_CACHE_KEY_H_
#define QUERN_CACHE_CACHE_KEY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bundle/certificate.h"

namespace quern::cache {

struct CacheKey {
  std::string spec_sha256;
  std::string target;   // "x86_64", "sm_90a", ...
  std::string machine;  // CPU or GPU model and cache sizes
  int threads = 1;
  Semantics semantics = Semantics::kReal;
  std::string assumptions;  // canonical text: sorted, one a line
  double error_ratio = 2;
  std::string versions;  // of code generator, mathlib, checker and measurement policy

  // SHA-256 of ToJson: equal for equal keys and for those alone.
  std::string Digest() const;
  // The digest of the key without its versions: what an older quern's entries have in common with
  // it.
  std::string Family() const;
  bool operator==(const CacheKey&) const = default;
};

// JSON, keys sorted; parsing is strict: kInvalidArgument that names the offending key.
std::string ToJson(const CacheKey& key);
absl::StatusOr<CacheKey> ParseCacheKey(std::string_view json);

}  // namespace quern::cache

#endif  // QUERN_CACHE_CACHE_KEY_H_
