#include "server/coordinator.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "cache/sqlite_store.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/address.h"
#include "server/batch_service.h"
#include "server/job_service.h"
#include "server/kernel_service.h"
#include "server/sqlite_task_store.h"
#include "server/worker_service.h"

namespace quern::server {

namespace {

constexpr int kMaxRequestBytes = 64 << 20;

// The folder is one coordinator's.
class StateLock {
 public:
  ~StateLock() {
    if (file_ >= 0) close(file_);
  }
  absl::Status Take(const std::string& folder) {
    const std::string path = folder + "/lock";
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) return FileError(errno, "open", path);
    if (flock(file_, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
    if (errno != EWOULDBLOCK) return FileError(errno, "lock", path);
    return absl::UnavailableError(absl::StrCat(folder, ": another quernd uses it"));
  }

 private:
  int file_ = -1;
};

class Running : public Coordinator {
 public:
  ~Running() override { Drain(); }

  absl::Status Begin(const CoordinatorOptions& options) {
    QUERN_RETURN_IF_ERROR(CheckAddress(options.listen, options.insecure_any));
    QUERN_RETURN_IF_ERROR(OpenState(options));
    runner_ = std::make_unique<JobRunner>(
        JobRunner::Parts{.store = *store_,
                         .board = *board_,
                         .workers = workers_,
                         .cache = *cache_,
                         .events = events_,
                         .state = options.state,
                         .checker = {.program = options.checker,
                                     .folder = options.state + "/proofs",
                                     .memory_mb = options.checker_memory_mb}});
    scheduler_ = std::make_unique<Scheduler>(*store_, *board_, workers_, *runner_, events_,
                                             options.keep_days);
    const ServiceParts parts{.store = *store_,
                             .scheduler = *scheduler_,
                             .workers = workers_,
                             .runner = *runner_,
                             .cache = *cache_,
                             .events = events_,
                             .ending = ending_};
    jobs_ = std::make_unique<JobService>(parts);
    batches_ = std::make_unique<BatchService>(parts);
    kernels_ = std::make_unique<KernelService>(parts);
    worker_admin_ = std::make_unique<WorkerService>(workers_);
    worker_stream_ = std::make_unique<WorkerStreamService>(*board_, workers_, events_, ending_);
    QUERN_RETURN_IF_ERROR(Listen(options.listen));
    return scheduler_->Start(options.jobs);
  }

  std::string address() const override { return address_; }

  void Drain() override {
    if (ending_.exchange(true)) return;
    if (server_ && server_->GetHealthCheckService()) {
      server_->GetHealthCheckService()->SetServingStatus(false);
    }
    events_.Ring();
    if (board_) board_->queued().Ring();
    if (scheduler_) scheduler_->Drain();
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5));
  }

 private:
  absl::Status OpenState(const CoordinatorOptions& options) {
    std::error_code error;
    for (const char* folder : {"", "/bundles", "/proofs"}) {
      const std::string path = options.state + folder;
      std::filesystem::create_directories(path, error);
      if (error) {
        return absl::UnavailableError(FileError(error.value(), "create", path).message());
      }
      chmod(path.c_str(), 0700);
    }
    QUERN_RETURN_IF_ERROR(lock_.Take(options.state));
    // What a killed coordinator left of its proofs.
    for (const auto& left : std::filesystem::directory_iterator(options.state + "/proofs", error)) {
      std::filesystem::remove_all(left.path(), error);
    }
    QUERN_ASSIGN_OR_RETURN(store_, SqliteTaskStore::Open(options.state + "/tasks.sqlite"));
    QUERN_ASSIGN_OR_RETURN(cache_, cache::SqliteStore::Open(options.state + "/cache"));
    board_ = std::make_unique<TaskBoard>(*store_);
    return absl::OkStatus();
  }

  absl::Status Listen(const std::string& listen) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
    builder.RegisterService(jobs_.get());
    builder.RegisterService(batches_.get());
    builder.RegisterService(kernels_.get());
    builder.RegisterService(worker_admin_.get());
    builder.RegisterService(worker_stream_.get());
    server_ = builder.BuildAndStart();
    if (!server_) return absl::UnavailableError(absl::StrCat("cannot listen on ", listen));
    address_ = listen.substr(0, 5) == "unix:"
                   ? listen
                   : absl::StrCat(listen.substr(0, listen.rfind(':')), ":", port);
    return absl::OkStatus();
  }

  std::atomic<bool> ending_{false};
  StateLock lock_;
  Bell events_;
  WorkerRegistry workers_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<cache::KernelStore> cache_;
  std::unique_ptr<TaskBoard> board_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<JobService> jobs_;
  std::unique_ptr<BatchService> batches_;
  std::unique_ptr<KernelService> kernels_;
  std::unique_ptr<WorkerService> worker_admin_;
  std::unique_ptr<WorkerStreamService> worker_stream_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Coordinator>> Coordinator::Start(const CoordinatorOptions& options) {
  auto running = std::make_unique<Running>();
  QUERN_RETURN_IF_ERROR(running->Begin(options));
  return running;
}

}  // namespace quern::server
