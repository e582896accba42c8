#include "server/cached_kernel.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/status.h"
#include "codegen/compiler.h"
#include "verifier/checker.h"

namespace quern::server {

static constexpr char kMeasurementPolicy[] = "measure-2";
static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

cache::CacheKey KeyOf(const frontend::Spec& spec, const KernelRequest& request) {
  std::vector<std::string> assumptions = request.assumptions;
  std::sort(assumptions.begin(), assumptions.end());
  return {
      .spec_sha256 = spec.sha256,
      .target = request.target,
      .machine = request.machine,
      .threads = request.threads,
      .semantics = request.semantics,
      .assumptions = absl::StrJoin(assumptions, "\n"),
      .error_ratio = request.error_ratio,
      .versions = absl::StrCat("codegen ", std::string(codegen::kCodegenVersion), "; checker ",
                               std::string(verifier::kCheckerVersion), "; ", kMeasurementPolicy)};
}

absl::StatusOr<std::optional<Bundle>> CachedKernel::Lookup() {
  QUERN_ASSIGN_OR_RETURN(cache::LookupResult found, store_.Lookup(key_, spec_.canonical));
  if (!found.entry) return std::nullopt;
  absl::StatusOr<Bundle> bundle = ReadBundle(found.entry->bundle);
  if (!bundle.ok()) return std::nullopt;
  if (bundle->module != spec_.source) {
    bundle->module = spec_.source;
    QUERN_ASSIGN_OR_RETURN(bundle->certificate, checker_.Check(bundle->artifact, kNoLimit));
    if (bundle->certificate.verdict != Verdict::kProved) return std::nullopt;
  }
  folder_ = found.entry->bundle;
  return *std::move(bundle);
}

absl::Status CachedKernel::Insert(const Bundle& bundle) {
  cache::Timing timing{.naive_ns = search::NaiveNs(bundle)};
  if (!bundle.measurements.empty()) timing.time_ns = bundle.measurements.front().warm.median;
  QUERN_ASSIGN_OR_RETURN(cache::Entry entry, store_.Insert(key_, bundle, timing, /*replace=*/true));
  folder_ = entry.bundle;
  return absl::OkStatus();
}

}  // namespace quern::server
