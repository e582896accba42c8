#include "server/job_plan.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "server/error.h"

namespace quern::server {

static constexpr size_t kMaxSpecBytes = size_t{16} << 20;
static constexpr size_t kMaxNameBytes = 256;
static constexpr int kMaxAssumptions = 256;
static constexpr int kMaxThreads = 1024;
static constexpr double kMaxBudget = 1e7;
static constexpr int kMaxPriority = 100;
static constexpr size_t kMaxRequestId = 64;

static absl::Status PlanNumbers(const v1::JobSpec& job, const std::string& field, JobPlan& plan) {
  if (job.error_ratio() != 0) {
    if (!(job.error_ratio() > 0) || !std::isfinite(job.error_ratio())) {
      return FieldError(field + ".error_ratio", "must be positive");
    }
    plan.error_ratio = job.error_ratio();
  }
  if (job.threads() < 0 || job.threads() > kMaxThreads) {
    return FieldError(field + ".threads", absl::StrCat("must be 1 to ", kMaxThreads));
  }
  if (job.threads() != 0) plan.threads = job.threads();
  if (job.budget_seconds() != 0) {
    if (!(job.budget_seconds() > 0) || job.budget_seconds() > kMaxBudget) {
      return FieldError(field + ".budget_seconds",
                        absl::StrCat("must be above 0, at most ", kMaxBudget));
    }
    plan.budget_seconds = job.budget_seconds();
  }
  if (job.max_candidates() < 0)
    return FieldError(field + ".max_candidates", "must not be negative");
  if (job.max_candidates() > 0) plan.max_candidates = job.max_candidates();
  plan.seed = job.seed();
  plan.use_cache = !job.no_cache();
  return absl::OkStatus();
}

static absl::Status PlanSemantics(const v1::JobSpec& job, const std::string& field, JobPlan& plan) {
  switch (job.semantics()) {
    case v1::SEMANTICS_UNSPECIFIED:
    case v1::SEMANTICS_REAL:
      plan.semantics = Semantics::kReal;
      return absl::OkStatus();
    case v1::SEMANTICS_ORDERED:
      plan.semantics = Semantics::kOrdered;
      return absl::OkStatus();
    case v1::SEMANTICS_EXACT:
      plan.semantics = Semantics::kExact;
      return absl::OkStatus();
    default:
      return FieldError(field + ".semantics",
                        absl::StrCat("has the unknown value ", job.semantics()));
  }
}

static absl::Status PlanAssumptions(const v1::JobSpec& job, const std::string& field,
                                    JobPlan& plan) {
  if (job.assumptions_size() > kMaxAssumptions) {
    return FieldError(field + ".assumptions", absl::StrCat("at most ", kMaxAssumptions));
  }
  for (int i = 0; i < job.assumptions_size(); ++i) {
    const std::string at = absl::StrCat(field, ".assumptions[", i, "]");
    const std::string& text = job.assumptions(i);
    if (text.size() > kMaxNameBytes) {
      return FieldError(at, absl::StrCat("is longer than ", kMaxNameBytes, " bytes"));
    }
    const absl::StatusOr<verifier::Box> box = verifier::ParseAssumption(text);
    if (!box.ok()) return FieldError(at, std::string(box.status().message()));
    if (box->argument < 0 || static_cast<size_t>(box->argument) >= plan.spec.arguments.size()) {
      return FieldError(at,
                        absl::StrCat("the program has ", plan.spec.arguments.size(), " arguments"));
    }
    plan.boxes.push_back(*box);
    plan.assumptions.push_back(text);
  }
  return absl::OkStatus();
}

absl::StatusOr<JobPlan> PlanJob(const v1::JobSpec& job, const std::string& field) {
  JobPlan plan;
  QUERN_RETURN_IF_ERROR(PlanNumbers(job, field, plan));
  QUERN_RETURN_IF_ERROR(PlanSemantics(job, field, plan));
  const absl::StatusOr<const codegen::Target*> target =
      codegen::FindTarget(job.target().empty() ? "host" : job.target());
  if (!target.ok()) return FieldError(field + ".target", std::string(target.status().message()));
  plan.target = *target;
  if (job.spec_name().size() > kMaxNameBytes) {
    return FieldError(field + ".spec_name",
                      absl::StrCat("is longer than ", kMaxNameBytes, " bytes"));
  }
  if (job.spec().empty()) return FieldError(field + ".spec", "is empty");
  if (job.spec().size() > kMaxSpecBytes) {
    return FieldError(field + ".spec", absl::StrCat("has ", job.spec().size(), " bytes; at most ",
                                                    kMaxSpecBytes, " are taken"));
  }
  plan.context = frontend::MakeContext();
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(
      job.spec(), job.spec_name().empty() ? "spec" : job.spec_name(), *plan.context);
  if (!spec.ok()) return FieldError(field + ".spec", std::string(spec.status().message()));
  plan.spec = *std::move(spec);
  QUERN_RETURN_IF_ERROR(PlanAssumptions(job, field, plan));
  return plan;
}

absl::Status CheckOrder(int priority, const std::string& request_id) {
  if (priority < -kMaxPriority || priority > kMaxPriority) {
    return FieldError("priority", absl::StrCat("must be -", kMaxPriority, " to ", kMaxPriority));
  }
  if (request_id.size() > kMaxRequestId) {
    return FieldError("request_id", absl::StrCat("is longer than ", kMaxRequestId, " bytes"));
  }
  return absl::OkStatus();
}

std::string JoinKey(const v1::JobSpec& job, const std::string& spec_sha256) {
  if (job.no_cache()) return "";
  std::vector<std::string> assumptions(job.assumptions().begin(), job.assumptions().end());
  std::sort(assumptions.begin(), assumptions.end());
  std::string key = absl::StrCat(spec_sha256, "\n", job.target().empty() ? "host" : job.target(),
                                 "\n", std::max<int>(job.semantics(), v1::SEMANTICS_REAL), "\n",
                                 job.error_ratio() == 0 ? 2 : job.error_ratio(), "\n",
                                 std::max(job.threads(), 1));
  for (const std::string& assumption : assumptions) absl::StrAppend(&key, "\n", assumption);
  return Sha256(key);
}

}  // namespace quern::server
