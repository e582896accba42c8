// The Workers and WorkerStream services.
#ifndef QUERN_SERVER_WORKER_SERVICE_H_
#define QUERN_SERVER_WORKER_SERVICE_H_

#include <atomic>
#include <memory>

#include "quern/v1/workers.grpc.pb.h"
#include "server/task_board.h"
#include "server/worker_registry.h"

namespace quern::server {

class WorkerService : public v1::Workers::Service {
 public:
  explicit WorkerService(WorkerRegistry& registry) : registry_(registry) {}
  grpc::Status ListWorkers(grpc::ServerContext* context, const v1::ListWorkersRequest* request,
                           v1::ListWorkersResponse* response) override;
  grpc::Status CordonWorker(grpc::ServerContext* context, const v1::CordonWorkerRequest* request,
                            v1::Worker* response) override;
  grpc::Status DrainWorker(grpc::ServerContext* context, const v1::DrainWorkerRequest* request,
                           v1::Worker* response) override;

 private:
  WorkerRegistry& registry_;
};

// Takes only workers whose CPU is the one that this coordinator generates code for.
class WorkerStreamService : public v1::WorkerStream::Service {
 public:
  // All outlive it; `ending` ends streams. `events` rings when a worker has come.
  WorkerStreamService(TaskBoard& board, WorkerRegistry& registry, Bell& events,
                      const std::atomic<bool>& ending)
      : board_(board), registry_(registry), events_(events), ending_(ending) {}
  using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::WorkerMessage>;
  grpc::Status Connect(grpc::ServerContext* context, Stream* stream) override;

 private:
  TaskBoard& board_;
  WorkerRegistry& registry_;
  Bell& events_;
  const std::atomic<bool>& ending_;
};

// What is wrong with a worker's first message: kInvalidArgument with the field;
// kFailedPrecondition for another version or a CPU that no code is made for here.
absl::Status CheckHello(const v1::WorkerMessage& message);

}  // namespace quern::server

#endif  // QUERN_SERVER_WORKER_SERVICE_H_
