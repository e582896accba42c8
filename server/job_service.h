// The Jobs and Kernels services.
#ifndef QUERN_SERVER_JOB_SERVICE_H_
#define QUERN_SERVER_JOB_SERVICE_H_

#include <atomic>
#include <functional>

#include "quern/v1/jobs.grpc.pb.h"
#include "server/scheduler.h"

namespace quern::server {

// All outlive the services. `ending` ends streams.
struct ServiceParts {
  TaskStore& store;
  Scheduler& scheduler;
  WorkerRegistry& workers;
  const JobRunner& runner;
  Bell& events;
  const std::atomic<bool>& ending;
};

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
  v1::Job ToProto(const JobRecord& record) const;

  const ServiceParts parts_;
};

class KernelService : public v1::Kernels::Service {
 public:
  explicit KernelService(ServiceParts parts) : parts_(parts) {}
  grpc::Status GetJobBundle(grpc::ServerContext* context, const v1::GetJobBundleRequest* request,
                            grpc::ServerWriter<v1::BundleChunk>* writer) override;

 private:
  absl::StatusOr<std::string> Folder(const std::string& job);

  const ServiceParts parts_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_SERVICE_H_
