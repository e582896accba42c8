// What a client asked for, read and checked.
#ifndef QUERN_SERVER_JOB_PLAN_H_
#define QUERN_SERVER_JOB_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/certificate.h"
#include "codegen/target.h"
#include "frontend/context.h"
#include "frontend/spec.h"
#include "quern/v1/jobs.pb.h"
#include "verifier/checker.h"

namespace quern::server {

struct JobPlan {
  std::unique_ptr<mlir::MLIRContext> context;  // outlives the spec
  frontend::Spec spec;
  const codegen::Target* target = nullptr;
  Semantics semantics = Semantics::kReal;
  std::vector<std::string> assumptions;
  std::vector<verifier::Box> boxes;  // of the assumptions
  double error_ratio = 2;
  int threads = 1;
  double budget_seconds = 60;
  int64_t max_candidates = -1;  // -1: no limit
  uint64_t seed = 0;
  bool use_cache = true;

  // Candidates are timed, by a worker.
  bool needs_worker() const { return target->kind() == BinaryKind::kSharedObject; }
};

// FieldError of the first field that is wrong, "job.spec", where `field` is the job's own.
absl::StatusOr<JobPlan> PlanJob(const v1::JobSpec& job, const std::string& field = "job");

// FieldError about what a request says besides the job.
absl::Status CheckOrder(int priority, const std::string& request_id);

// Equal for two jobs of which one's kernel serves the other. Empty: serves no other.
std::string JoinKey(const v1::JobSpec& job, const std::string& spec_sha256);

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_PLAN_H_
