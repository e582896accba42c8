#include "server/batch_service.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "google/protobuf/util/time_util.h"
#include "server/error.h"
#include "server/job_message.h"
#include "server/job_names.h"

namespace quern::server {

static constexpr int64_t kMaxJobs = 1024;

static grpc::Status Reply(absl::StatusOr<v1::Batch> batch, v1::Batch* response) {
  if (batch.ok()) *response = *std::move(batch);
  return ToGrpc(batch.status());
}

// The jobs of a request, each planned, so that all of them are good.
static absl::StatusOr<std::vector<NewJob>> PlanAll(const v1::CreateBatchRequest& request) {
  const int64_t targets = std::max(request.targets_size(), 1);
  if (request.specs().empty()) return FieldError("specs", "is empty");
  if (request.specs_size() * targets > kMaxJobs) {
    return FieldError("specs", absl::StrCat("makes ", request.specs_size() * targets,
                                            " jobs; at most ", kMaxJobs, " are taken"));
  }
  std::vector<NewJob> jobs;
  for (int i = 0; i < request.specs_size(); ++i) {
    for (int t = 0; t < targets; ++t) {
      v1::JobSpec spec = request.specs(i);
      if (!request.targets().empty()) spec.set_target(request.targets(t));
      QUERN_ASSIGN_OR_RETURN(const JobPlan plan, PlanJob(spec, absl::StrCat("specs[", i, "]")));
      jobs.push_back({.spec = spec.SerializeAsString(),
                      .spec_name = spec.spec_name(),
                      .spec_sha256 = plan.spec.sha256,
                      .target = spec.target(),
                      .priority = request.priority()});
    }
  }
  return jobs;
}

absl::StatusOr<v1::Batch> BatchService::Create(const v1::CreateBatchRequest& request) {
  if (parts_.ending) return absl::UnavailableError("the coordinator is ending");
  QUERN_RETURN_IF_ERROR(CheckOrder(request.priority(), request.request_id()));
  NewBatch batch{.request_id = request.request_id()};
  QUERN_ASSIGN_OR_RETURN(batch.jobs, PlanAll(request));
  QUERN_ASSIGN_OR_RETURN(const BatchRecord record, parts_.scheduler.Create(batch));
  return Report(record);
}

absl::StatusOr<std::vector<JobRecord>> BatchService::JobsOf(int64_t batch) {
  QUERN_ASSIGN_OR_RETURN(std::vector<JobRecord> jobs,
                         parts_.store.ListJobs({.batch = batch, .limit = kMaxJobs}));
  std::reverse(jobs.begin(), jobs.end());
  return jobs;
}

absl::StatusOr<v1::Batch> BatchService::Report(const BatchRecord& batch) {
  v1::Batch report;
  report.set_name(BatchName(batch.id));
  *report.mutable_create_time() =
      google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(batch.created_us);
  QUERN_ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, JobsOf(batch.id));
  for (const JobRecord& record : jobs) {
    *report.add_jobs() = ToProto(record, parts_.workers);
    const v1::JobResult& result = report.jobs().rbegin()->result();
    if (!IsFinished(record.state)) {
      report.set_open(report.open() + 1);
    } else if (record.state != JobState::kSucceeded) {
      report.set_failed(report.failed() + 1);
    } else if (!result.proved()) {
      report.set_unproved(report.unproved() + 1);
    } else {
      report.set_proved(report.proved() + 1);
      report.set_cache_hits(report.cache_hits() + result.cache_hit());
    }
  }
  return report;
}

absl::StatusOr<v1::Batch> BatchService::Report(const std::string& name) {
  QUERN_ASSIGN_OR_RETURN(const int64_t id, ParseBatchName(name, "name"));
  QUERN_ASSIGN_OR_RETURN(const BatchRecord batch, parts_.store.GetBatch(id));
  return Report(batch);
}

absl::StatusOr<v1::Batch> BatchService::Cancel(const std::string& name) {
  QUERN_ASSIGN_OR_RETURN(const int64_t id, ParseBatchName(name, "name"));
  QUERN_ASSIGN_OR_RETURN(const BatchRecord batch, parts_.store.GetBatch(id));
  QUERN_ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, JobsOf(id));
  for (const JobRecord& job : jobs) {
    if (!IsFinished(job.state)) QUERN_RETURN_IF_ERROR(parts_.scheduler.Cancel(job.id).status());
  }
  return Report(batch);
}

grpc::Status BatchService::CreateBatch(grpc::ServerContext* context,
                                       const v1::CreateBatchRequest* request, v1::Batch* response) {
  return Reply(Create(*request), response);
}

grpc::Status BatchService::GetBatch(grpc::ServerContext* context,
                                    const v1::GetBatchRequest* request, v1::Batch* response) {
  return Reply(Report(request->name()), response);
}

grpc::Status BatchService::CancelBatch(grpc::ServerContext* context,
                                       const v1::CancelBatchRequest* request, v1::Batch* response) {
  return Reply(Cancel(request->name()), response);
}

}  // namespace quern::server
