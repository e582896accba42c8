#include "workers/coordinator_link.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "grpcpp/grpcpp.h"
#include "quern/v1/workers.grpc.pb.h"

namespace quern::workers {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

static constexpr int kProtocol = 1;
static constexpr int kMaxMessageBytes = 256 << 20;

static Clock::time_point In(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

bool CoordinatorLink::Finished() const {
  return stopped_ || (draining_ && tasks_.empty() && results_.empty());
}

void CoordinatorLink::Stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void CoordinatorLink::Execute() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return Finished() || !tasks_.empty(); });
    if (Finished()) return;
    const v1::Task task = tasks_.front();
    lock.unlock();
    v1::TaskResult result;
    *result.mutable_lease() = task.lease();
    *result.mutable_measure() = work_(task.measure());
    lock.lock();
    tasks_.pop_front();
    const Lease lease{task.lease().task(), task.lease().attempt()};
    results_[lease] = std::move(result);
    unsent_.push_back(lease);
    changed_.notify_all();
  }
}

void CoordinatorLink::Take(const v1::CoordinatorMessage& message) {
  std::lock_guard lock(mutex_);
  if (message.has_welcome()) {
    lease_seconds_ = std::max(message.welcome().lease_seconds(), 0.1);
  } else if (message.has_task()) {
    tasks_.push_back(message.task());
  } else if (message.has_acknowledgement()) {
    const v1::Lease& lease = message.acknowledgement().lease();
    results_.erase({lease.task(), lease.attempt()});
  } else if (message.has_drain()) {
    draining_ = true;
  }
  changed_.notify_all();
}

bool CoordinatorLink::Talk(absl::Status* status) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL,
                   1);  // a new connection, without its back-off
  const auto stub = v1::WorkerStream::NewStub(grpc::CreateCustomChannel(
      options_.coordinator, grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  const auto stream = stub->Connect(&context);
  v1::WorkerMessage hello;
  hello.mutable_hello()->set_protocol(kProtocol);
  hello.mutable_hello()->set_worker_id(options_.worker_id);
  *hello.mutable_hello()->mutable_device() = options_.device;
  hello.mutable_hello()->set_credits(options_.credits);
  std::unique_lock lock(mutex_);
  lease_seconds_ = 0;
  broken_ = false;
  unsent_.clear();
  for (const auto& [lease, result] : results_) unsent_.push_back(lease);
  lock.unlock();
  bool alive = stream->Write(hello);
  std::thread reader([&] {
    v1::CoordinatorMessage message;
    while (stream->Read(&message)) Take(message);
    std::lock_guard reading(mutex_);
    broken_ = true;
    changed_.notify_all();
  });
  lock.lock();
  bool welcome = false;
  Clock::time_point renew = Clock::now();
  while (alive && !broken_ && !(Finished() && unsent_.empty())) {
    if (!welcome && lease_seconds_ > 0) {
      welcome = true;
      say_("connected to " + options_.coordinator);
    }
    v1::WorkerMessage message;
    if (welcome && Clock::now() >= renew) {
      renew = In(lease_seconds_ / 4);
      for (const v1::Task& task : tasks_) {
        *message.mutable_renewal()->add_leases() = task.lease();
      }
    } else if (welcome && !unsent_.empty()) {
      const auto result = results_.find(unsent_.front());
      unsent_.pop_front();
      if (result != results_.end()) *message.mutable_result() = result->second;
    } else {
      changed_.wait_until(lock, welcome ? renew : In(1));
      continue;
    }
    if (message.message_case() == v1::WorkerMessage::MESSAGE_NOT_SET) continue;
    lock.unlock();
    alive = stream->Write(message);
    lock.lock();
  }
  const bool leave = !broken_;  // a stream that has ended tells why
  lock.unlock();
  stream->WritesDone();
  if (leave) context.TryCancel();
  reader.join();
  const grpc::Status finish = stream->Finish();
  *status =
      absl::Status(static_cast<absl::StatusCode>(finish.error_code()), finish.error_message());
  return welcome;
}

absl::Status CoordinatorLink::Run() {
  constexpr double kFirstPause = 0.1, kLongestPause = 5;
  std::thread executor([this] { Execute(); });
  std::mt19937 random(std::random_device{}());
  double pause = kFirstPause;
  absl::Status status;
  while (true) {
    const bool welcome = Talk(&status);
    std::unique_lock lock(mutex_);
    if (Finished()) {
      status = absl::OkStatus();
      break;
    }
    if (absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
        absl::IsUnimplemented(status)) {
      stopped_ = true;
      break;
    }
    if (welcome) pause = kFirstPause;
    if (welcome || pause == kFirstPause) {
      say_(absl::StrCat("no connection to ", options_.coordinator, ": ", status.message()));
    }
    // Not all workers at the same moment.
    const double wait = pause * std::uniform_real_distribution<double>(0.5, 1)(random);
    changed_.wait_until(lock, In(wait), [this] { return stopped_; });
    pause = std::min(pause * 2, kLongestPause);
  }
  changed_.notify_all();
  executor.join();
  return status;
}

}  // namespace quern::workers
