#include "cache/cache_key.h"

#include "bundle/digest.h"
#include "bundle/json_view.h"
#include "bundle/status.h"

namespace quern::cache {

static nlohmann::json JsonOf(const CacheKey& key) {
  return {{"spec_sha256", key.spec_sha256},
          {"target", key.target},
          {"machine", key.machine},
          {"threads", key.threads},
          {"semantics", Name(key.semantics)},
          {"assumptions", key.assumptions},
          {"error_ratio", JsonNumber(key.error_ratio)},
          {"versions", key.versions}};
}

std::string ToJson(const CacheKey& key) { return JsonText(JsonOf(key)); }

std::string CacheKey::Digest() const { return Sha256(ToJson(*this)); }

std::string CacheKey::Family() const {
  nlohmann::json json = JsonOf(*this);
  json.erase("versions");
  return Sha256(JsonText(json));
}

absl::StatusOr<CacheKey> ParseCacheKey(std::string_view text) {
  QUERN_ASSIGN_OR_RETURN(nlohmann::json json, ParseJson(text, "cache key"));
  absl::Status status;
  const JsonView view(&json, "cache key:", &status);
  view.ExpectKeys({"spec_sha256", "target", "machine", "threads", "semantics", "assumptions",
                   "error_ratio", "versions"});
  CacheKey key{.spec_sha256 = view["spec_sha256"].Sha256(),
               .target = view["target"].String(),
               .machine = view["machine"].String(),
               .threads = view["threads"].Int(1),
               .semantics = view["semantics"].Enum<Semantics>(3),
               .assumptions = view["assumptions"].String(),
               .error_ratio = view["error_ratio"].NonNegative(),
               .versions = view["versions"].String()};
  QUERN_RETURN_IF_ERROR(status);
  return key;
}

}  // namespace quern::cache
