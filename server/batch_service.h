// The Batches service.
#ifndef QUERN_SERVER_BATCH_SERVICE_H_
#define QUERN_SERVER_BATCH_SERVICE_H_

#include <string>
#include <vector>

#include "quern/v1/batches.grpc.pb.h"
#include "server/service_parts.h"

namespace quern::server {

class BatchService : public v1::Batches::Service {
 public:
  explicit BatchService(ServiceParts parts) : parts_(parts) {}
  grpc::Status CreateBatch(grpc::ServerContext* context, const v1::CreateBatchRequest* request,
                           v1::Batch* response) override;
  grpc::Status GetBatch(grpc::ServerContext* context, const v1::GetBatchRequest* request,
                        v1::Batch* response) override;
  grpc::Status CancelBatch(grpc::ServerContext* context, const v1::CancelBatchRequest* request,
                           v1::Batch* response) override;

 private:
  absl::StatusOr<v1::Batch> Create(const v1::CreateBatchRequest& request);
  absl::StatusOr<v1::Batch> Cancel(const std::string& name);
  absl::StatusOr<v1::Batch> Report(const std::string& name);
  absl::StatusOr<v1::Batch> Report(const BatchRecord& batch);
  // In order.
  absl::StatusOr<std::vector<JobRecord>> JobsOf(int64_t batch);

  const ServiceParts parts_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_BATCH_SERVICE_H_
