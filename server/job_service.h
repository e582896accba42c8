// The Jobs service.
#ifndef QUERN_SERVER_JOB_SERVICE_H_
#define QUERN_SERVER_JOB_SERVICE_H_

#include <functional>

#include "quern/v1/jobs.grpc.pb.h"
#include "server/service_parts.h"

namespace quern::server {

class JobService : public v1::Jobs::Service {
 public:
  explicit JobService(ServiceParts parts) : parts_(parts) {}
  grpc::Status CreateJob(grpc::ServerContext* context, const v1::CreateJobRequest* request,
                         v1::Job* response) override;
  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                      v1::Job* response) override;
  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override;
  grpc::Status WatchJob(grpc::ServerContext* context, const v1::WatchJobRequest* request,
                        grpc::ServerWriter<v1::JobEvent>* writer) override;
  grpc::Status CancelJob(grpc::ServerContext* context, const v1::CancelJobRequest* request,
                         v1::Job* response) override;
  grpc::Status PauseJob(grpc::ServerContext* context, const v1::PauseJobRequest* request,
                        v1::Job* response) override;
  grpc::Status ResumeJob(grpc::ServerContext* context, const v1::ResumeJobRequest* request,
                         v1::Job* response) override;

 private:
  absl::StatusOr<v1::Job> Create(const v1::CreateJobRequest& request);
  absl::Status Watch(const v1::WatchJobRequest& request, grpc::ServerContext& context,
                     grpc::ServerWriter<v1::JobEvent>& writer);
  // `change` of the job that is named.
  grpc::Status Answer(const std::string& name,
                      const std::function<absl::StatusOr<JobRecord>(int64_t)>& change,
                      v1::Job* response);

  const ServiceParts parts_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_SERVICE_H_
