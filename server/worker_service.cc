#include "server/worker_service.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bundle/status.h"
#include "codegen/target.h"
#include "server/error.h"

namespace quern::server {

static constexpr int kProtocol = 1;
static constexpr size_t kMaxId = 64;
static constexpr int kMaxCredits = 64;
static constexpr int kMaxThreads = 4096;
static constexpr size_t kMaxText = 8192;

static bool IsWorkerId(absl::string_view id) {
  return !id.empty() && id.size() <= kMaxId &&
         id.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             absl::string_view::npos;
}

static absl::StatusOr<std::string> ParseWorkerName(const std::string& name) {
  absl::string_view rest = name;
  if (absl::ConsumePrefix(&rest, "workers/") && IsWorkerId(rest)) return std::string(rest);
  return FieldError("name", "must be the name of a worker: workers/ID");
}

grpc::Status WorkerService::ListWorkers(grpc::ServerContext* context,
                                        const v1::ListWorkersRequest* request,
                                        v1::ListWorkersResponse* response) {
  for (v1::Worker& worker : registry_.List()) *response->add_workers() = std::move(worker);
  return grpc::Status::OK;
}

grpc::Status WorkerService::CordonWorker(grpc::ServerContext* context,
                                         const v1::CordonWorkerRequest* request,
                                         v1::Worker* response) {
  const absl::StatusOr<std::string> id = ParseWorkerName(request->name());
  if (!id.ok()) return ToGrpc(id.status());
  const absl::StatusOr<v1::Worker> worker = registry_.Cordon(*id, request->cordoned());
  if (worker.ok()) *response = *worker;
  return ToGrpc(worker.status());
}

grpc::Status WorkerService::DrainWorker(grpc::ServerContext* context,
                                        const v1::DrainWorkerRequest* request,
                                        v1::Worker* response) {
  const absl::StatusOr<std::string> id = ParseWorkerName(request->name());
  if (!id.ok()) return ToGrpc(id.status());
  const absl::StatusOr<v1::Worker> worker = registry_.Drain(*id);
  if (worker.ok()) *response = *worker;
  return ToGrpc(worker.status());
}

absl::Status CheckHello(const v1::WorkerMessage& message) {
  if (!message.has_hello()) return FieldError("hello", "must be the first message");
  const v1::Hello& hello = message.hello();
  if (hello.protocol() != kProtocol) {
    return absl::FailedPreconditionError(absl::StrCat("the worker speaks protocol ",
                                                      hello.protocol(), ", this coordinator ",
                                                      kProtocol, ": update the older one"));
  }
  if (!IsWorkerId(hello.worker_id())) {
    return FieldError("hello.worker_id", "must be 1 to 64 letters, digits, '-', '_' or '.'");
  }
  if (hello.credits() < 1 || hello.credits() > kMaxCredits) {
    return FieldError("hello.credits", absl::StrCat("must be 1 to ", kMaxCredits));
  }
  const v1::Device& device = hello.device();
  if (device.fingerprint().empty() || device.fingerprint().size() > kMaxText) {
    return FieldError("hello.device.fingerprint",
                      absl::StrCat("must have 1 to ", kMaxText, " bytes"));
  }
  if (device.max_threads() < 1 || device.max_threads() > kMaxThreads) {
    return FieldError("hello.device.max_threads", absl::StrCat("must be 1 to ", kMaxThreads));
  }
  const absl::StatusOr<const codegen::Target*> target = codegen::FindTarget(device.target());
  if (!target.ok()) return FieldError("hello.device.target", "names no target");
  if ((*target)->cpu() != device.cpu() || (*target)->features() != device.features()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the worker's CPU is a ", device.cpu().substr(0, 64),
                     "; this coordinator makes code for its own, a ", (*target)->cpu()));
  }
  return absl::OkStatus();
}

}  // namespace quern::server
