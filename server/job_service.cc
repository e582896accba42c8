#include "server/job_service.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "google/protobuf/util/time_util.h"
#include "server/error.h"
#include "server/job_message.h"
#include "server/job_names.h"

namespace quern::server {

template <typename Response>
static grpc::Status Reply(absl::StatusOr<Response> result, Response* response) {
  if (result.ok()) *response = *std::move(result);
  return ToGrpc(result.status());
}

grpc::Status JobService::Answer(const std::string& name,
                                const std::function<absl::StatusOr<JobRecord>(int64_t)>& change,
                                v1::Job* response) {
  const absl::StatusOr<int64_t> id = ParseJobName(name, "name");
  if (!id.ok()) return ToGrpc(id.status());
  const absl::StatusOr<JobRecord> record = change(*id);
  if (record.ok()) *response = ToProto(*record, parts_.workers);
  return ToGrpc(record.status());
}

absl::StatusOr<v1::Job> JobService::Create(const v1::CreateJobRequest& request) {
  if (parts_.ending) return absl::UnavailableError("the coordinator is ending");
  QUERN_RETURN_IF_ERROR(CheckOrder(request.priority(), request.request_id()));
  QUERN_ASSIGN_OR_RETURN(const JobPlan plan, PlanJob(request.job()));
  QUERN_ASSIGN_OR_RETURN(const JobRecord record,
                         parts_.scheduler.Create({.request_id = request.request_id(),
                                                  .spec = request.job().SerializeAsString(),
                                                  .spec_name = request.job().spec_name(),
                                                  .spec_sha256 = plan.spec.sha256,
                                                  .target = request.job().target(),
                                                  .priority = request.priority()}));
  return ToProto(record, parts_.workers);
}

grpc::Status JobService::CreateJob(grpc::ServerContext* context,
                                   const v1::CreateJobRequest* request, v1::Job* response) {
  return Reply(Create(*request), response);
}

grpc::Status JobService::GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                v1::Job* response) {
  return Answer(request->name(), [&](int64_t id) { return parts_.store.GetJob(id); }, response);
}

grpc::Status JobService::CancelJob(grpc::ServerContext* context,
                                   const v1::CancelJobRequest* request, v1::Job* response) {
  return Answer(request->name(), [&](int64_t id) { return parts_.scheduler.Cancel(id); }, response);
}

grpc::Status JobService::PauseJob(grpc::ServerContext* context, const v1::PauseJobRequest* request,
                                  v1::Job* response) {
  return Answer(request->name(), [&](int64_t id) { return parts_.scheduler.Pause(id); }, response);
}

grpc::Status JobService::ResumeJob(grpc::ServerContext* context,
                                   const v1::ResumeJobRequest* request, v1::Job* response) {
  return Answer(request->name(), [&](int64_t id) { return parts_.scheduler.Resume(id); }, response);
}

grpc::Status JobService::ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                                  v1::ListJobsResponse* response) {
  absl::StatusOr<JobFilter> filter = ParseList(*request);
  if (!filter.ok()) return ToGrpc(filter.status());
  const int page = filter->limit++;  // one more tells whether there is a next page
  const absl::StatusOr<std::vector<JobRecord>> jobs = parts_.store.ListJobs(*filter);
  if (!jobs.ok()) return ToGrpc(jobs.status());
  for (const JobRecord& job : *jobs) {
    if (response->jobs_size() == page) {
      response->set_next_page_token(PageToken((*jobs)[page - 1].id));
      break;
    }
    *response->add_jobs() = ToProto(job, parts_.workers);
  }
  return grpc::Status::OK;
}

absl::Status JobService::Watch(const v1::WatchJobRequest& request, grpc::ServerContext& context,
                               grpc::ServerWriter<v1::JobEvent>& writer) {
  constexpr int kBatch = 256;
  constexpr std::chrono::milliseconds kGlance(500);
  QUERN_ASSIGN_OR_RETURN(const int64_t id, ParseJobName(request.name(), "name"));
  if (request.after_sequence() < 0) return FieldError("after_sequence", "must not be negative");
  int64_t after = request.after_sequence();
  while (!context.IsCancelled()) {
    const int64_t strokes = parts_.events.strokes();
    // First: a job that is finished by now gets no event after those that are read next.
    QUERN_ASSIGN_OR_RETURN(const JobRecord job, parts_.store.GetJob(id));
    QUERN_ASSIGN_OR_RETURN(const std::vector<Event> events,
                           parts_.store.ListEvents(id, after, kBatch));
    for (const Event& event : events) {
      v1::JobEvent proto;
      proto.set_sequence(after = event.sequence);
      *proto.mutable_time() =
          google::protobuf::util::TimeUtil::MicrosecondsToTimestamp(event.time_us);
      if (event.state) proto.set_state(server::ToProto(*event.state));
      proto.set_message(event.message);
      if (!writer.Write(proto)) return absl::CancelledError("the client is gone");
    }
    if (events.size() == kBatch) continue;
    if (IsFinished(job.state)) return absl::OkStatus();
    if (parts_.ending) return absl::UnavailableError("the coordinator is ending");
    parts_.events.Wait(strokes, kGlance);
  }
  return absl::CancelledError("the client is gone");
}

grpc::Status JobService::WatchJob(grpc::ServerContext* context, const v1::WatchJobRequest* request,
                                  grpc::ServerWriter<v1::JobEvent>* writer) {
  return ToGrpc(Watch(*request, *context, *writer));
}

}  // namespace quern::server
