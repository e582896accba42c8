#include "cache/cache_key.h"

#include <cmath>
#include <functional>

#include "bundle/digest.h"
#include "bundle/json_mutants.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::cache {

static CacheKey Example() {
  return {.spec_sha256 = Sha256("spec"),
          .target = "x86_64",
          .machine = "A CPU; L1 32 KiB",
          .threads = 2,
          .semantics = Semantics::kExact,
          .assumptions = "|arg0| <= 1024\n",
          .error_ratio = 2.5,
          .versions = "codegen 1, checker 2"};
}

TEST(CacheKeyTest, RoundTrips) {
  CacheKey key = Example();
  EXPECT_EQ(ParseCacheKey(ToJson(key)).value(), key);
  key.error_ratio = INFINITY;
  EXPECT_EQ(ParseCacheKey(ToJson(key)).value(), key);
}

TEST(CacheKeyTest, EveryFieldIsInTheDigestAndOnlyVersionsAreNotInTheFamily) {
  const std::function<void(CacheKey&)> changes[] = {
      [](CacheKey& k) { k.spec_sha256[0] = '0'; },
      [](CacheKey& k) { k.target += "x"; },
      [](CacheKey& k) { k.machine += "x"; },
      [](CacheKey& k) { k.threads++; },
      [](CacheKey& k) { k.semantics = Semantics::kReal; },
      [](CacheKey& k) { k.assumptions += "x"; },
      [](CacheKey& k) { k.error_ratio = std::nextafter(2.5, 3); },
      [](CacheKey& k) { k.versions += "x"; }};
  int in_family = 0;
  for (const auto& change : changes) {
    CacheKey key = Example();
    change(key);
    EXPECT_NE(key.Digest(), Example().Digest());
    in_family += key.Family() != Example().Family();
  }
  EXPECT_EQ(in_family, 7);
}

TEST(CacheKeyTest, MalformedTextNamesTheKey) {
  for (const JsonMutant& mutant : JsonMutants(ToJson(Example()))) {
    const absl::Status status = ParseCacheKey(mutant.text).status();
    if (!mutant.wrong && status.ok()) continue;
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << mutant.text;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(mutant.key)) << mutant.text;
  }
}

}  // namespace quern::cache
