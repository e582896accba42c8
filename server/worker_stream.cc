// The coordinator's side of one worker's stream.
#include <deque>
#include <thread>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "server/error.h"
#include "server/worker_service.h"

namespace quern::server {

namespace {

// Reads on a thread of its own, writes on the caller's.
class Conversation {
 public:
  Conversation(TaskBoard& board, WorkerRegistry& registry, std::shared_ptr<WorkerSession> session,
               WorkerStreamService::Stream& stream)
      : board_(board), registry_(registry), session_(std::move(session)), stream_(stream) {}

  absl::Status Run(grpc::ServerContext& context, const std::atomic<bool>& ending) {
    v1::CoordinatorMessage welcome;
    welcome.mutable_welcome()->set_lease_seconds(TaskBoard::kLeaseUs / 1e6);
    if (!stream_.Write(welcome)) return absl::CancelledError("the worker is gone");
    std::thread reader([this] { Read(); });
    const absl::Status status = Write(ending);
    // The reader waits for the worker, which may have nothing more to say.
    context.TryCancel();
    reader.join();
    return status;
  }

 private:
  void Read() {
    v1::WorkerMessage message;
    while (stream_.Read(&message)) {
      const absl::Status status = Take(message);
      if (!status.ok()) {
        std::lock_guard lock(mutex_);
        failure_ = status;
        break;
      }
      board_.queued().Ring();
    }
    closed_ = true;
    board_.queued().Ring();
  }

  absl::Status Take(const v1::WorkerMessage& message) {
    if (message.has_result()) return TakeResult(message.result());
    if (!message.has_renewal()) return FieldError("message", "must be a renewal or a result");
    for (const v1::Lease& lease : message.renewal().leases()) {
      QUERN_ASSIGN_OR_RETURN(const bool renewed, board_.Renew(lease.task(), lease.attempt()));
      registry_.With(*session_, [&](WorkerSession& session) {
        if (renewed) session.leased[lease.task()] = lease.attempt();
      });
    }
    return absl::OkStatus();
  }

  absl::Status TakeResult(const v1::TaskResult& result) {
    const v1::Lease& lease = result.lease();
    QUERN_ASSIGN_OR_RETURN(
        const bool counted,
        board_.Complete(lease.task(), lease.attempt(), result.measure().SerializeAsString()));
    registry_.With(*session_, [&](WorkerSession& session) {
      session.leased.erase(lease.task());
      session.completed += counted;
    });
    v1::CoordinatorMessage reply;
    *reply.mutable_acknowledgement()->mutable_lease() = lease;
    reply.mutable_acknowledgement()->set_counted(counted);
    std::lock_guard lock(mutex_);
    replies_.push_back(std::move(reply));
    return absl::OkStatus();
  }

  absl::Status Write(const std::atomic<bool>& ending) {
    constexpr std::chrono::milliseconds kGlance(500);
    bool told_to_drain = false;
    while (!closed_) {
      const int64_t strokes = board_.queued().strokes();
      if (ending) return absl::UnavailableError("the coordinator is ending");
      while (true) {
        v1::CoordinatorMessage reply;
        {
          std::lock_guard lock(mutex_);
          if (replies_.empty()) break;
          reply = std::move(replies_.front());
          replies_.pop_front();
        }
        if (!stream_.Write(reply)) return absl::CancelledError("the worker is gone");
      }
      bool draining = false, replaced = false;
      const int free = registry_.With(*session_, [&](const WorkerSession& session) {
        draining = session.draining;
        replaced = session.replaced;
        return session.cordoned ? 0
                                : session.hello.credits() - static_cast<int>(session.leased.size());
      });
      if (replaced) return absl::AbortedError("the worker has connected again");
      if (draining && !told_to_drain) {
        v1::CoordinatorMessage drain;
        drain.mutable_drain();
        if (!stream_.Write(drain)) return absl::CancelledError("the worker is gone");
        told_to_drain = true;
      }
      if (free > 0) QUERN_RETURN_IF_ERROR(HandOut(free));
      board_.queued().Wait(strokes, kGlance);
    }
    std::lock_guard lock(mutex_);
    return failure_;
  }

  absl::Status HandOut(int limit) {
    const v1::Hello& hello = session_->hello;
    QUERN_ASSIGN_OR_RETURN(const std::vector<ClaimedTask> tasks,
                           board_.Claim(hello.worker_id(), hello.device().fingerprint(), limit));
    for (const ClaimedTask& task : tasks) {
      registry_.With(*session_,
                     [&](WorkerSession& session) { session.leased[task.id] = task.attempt; });
      v1::CoordinatorMessage message;
      message.mutable_task()->mutable_lease()->set_task(task.id);
      message.mutable_task()->mutable_lease()->set_attempt(task.attempt);
      if (!message.mutable_task()->mutable_measure()->ParseFromString(task.payload)) {
        return absl::DataLossError(absl::StrCat("task ", task.id, " is damaged"));
      }
      // A task that does not get through is queued again when its lease ends.
      if (!stream_.Write(message)) return absl::CancelledError("the worker is gone");
    }
    return absl::OkStatus();
  }

  TaskBoard& board_;
  WorkerRegistry& registry_;
  const std::shared_ptr<WorkerSession> session_;
  WorkerStreamService::Stream& stream_;
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::deque<v1::CoordinatorMessage> replies_;
  absl::Status failure_;
};

}  // namespace

grpc::Status WorkerStreamService::Connect(grpc::ServerContext* context, Stream* stream) {
  v1::WorkerMessage first;
  if (!stream->Read(&first)) return grpc::Status::OK;
  const absl::Status fit = CheckHello(first);
  if (!fit.ok()) return ToGrpc(fit);
  if (ending_) return ToGrpc(absl::UnavailableError("the coordinator is ending"));
  std::shared_ptr<WorkerSession> session = registry_.Join(first.hello());
  events_.Ring();
  const absl::Status status =
      Conversation(board_, registry_, session, *stream).Run(*context, ending_);
  registry_.Leave(session);
  return ToGrpc(status);
}

}  // namespace quern::server
