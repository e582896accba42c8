// The Kernels service.
#ifndef QUERN_SERVER_KERNEL_SERVICE_H_
#define QUERN_SERVER_KERNEL_SERVICE_H_

#include <string>

#include "quern/v1/jobs.grpc.pb.h"
#include "server/service_parts.h"

namespace quern::server {

class KernelService : public v1::Kernels::Service {
 public:
  explicit KernelService(ServiceParts parts) : parts_(parts) {}
  using Chunks = grpc::ServerWriter<v1::BundleChunk>;
  grpc::Status GetJobBundle(grpc::ServerContext* context, const v1::GetJobBundleRequest* request,
                            Chunks* writer) override;
  grpc::Status GetKernel(grpc::ServerContext* context, const v1::GetKernelRequest* request,
                         v1::Kernel* response) override;
  grpc::Status ListKernels(grpc::ServerContext* context, const v1::ListKernelsRequest* request,
                           v1::ListKernelsResponse* response) override;
  grpc::Status GetKernelBundle(grpc::ServerContext* context,
                               const v1::GetKernelBundleRequest* request, Chunks* writer) override;
  grpc::Status PinKernel(grpc::ServerContext* context, const v1::PinKernelRequest* request,
                         v1::Kernel* response) override;
  grpc::Status RevokeKernel(grpc::ServerContext* context, const v1::RevokeKernelRequest* request,
                            v1::Kernel* response) override;
  grpc::Status DeleteKernel(grpc::ServerContext* context, const v1::DeleteKernelRequest* request,
                            v1::DeleteKernelResponse* response) override;

 private:
  absl::Status SendJobBundle(const std::string& job, Chunks& writer);
  absl::Status SendKernelBundle(const std::string& name, Chunks& writer);
  absl::StatusOr<cache::Entry> Find(const std::string& name);
  absl::StatusOr<v1::ListKernelsResponse> List(const v1::ListKernelsRequest& request);
  // The kernel with its marks changed.
  template <typename Change>
  grpc::Status Mark(const std::string& name, Change change, v1::Kernel* response);

  const ServiceParts parts_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_KERNEL_SERVICE_H_
