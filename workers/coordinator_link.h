// The worker's side of its stream to the coordinator.
#ifndef QUERN_WORKERS_COORDINATOR_LINK_H_
#define QUERN_WORKERS_COORDINATOR_LINK_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "quern/v1/workers.pb.h"

namespace quern::workers {

struct LinkOptions {
  std::string coordinator;  // HOST:PORT or unix:/PATH
  std::string worker_id;
  v1::Device device;
  int credits = 2;
};

// Keeps the stream up: after a break it connects again, ever later up to some seconds. What was
// done while it was down is sent then; a result is kept until it is acknowledged.
class CoordinatorLink {
 public:
  using Work = std::function<v1::MeasureResult(const v1::MeasureTask&)>;
  using Say = std::function<void(const std::string&)>;

  CoordinatorLink(LinkOptions options, Work work, Say say)
      : options_(std::move(options)), work_(std::move(work)), say_(std::move(say)) {}

  // Works, one task at a time, until the coordinator has drained this worker, or Stop. An error if
  // the coordinator will never take it.
  absl::Status Run();
  // Ends Run when the task at hand is done. Callable from any thread.
  void Stop();

 private:
  using Lease = std::pair<int64_t, int64_t>;  // task, attempt

  // One connection, until it breaks. True if the two understood each other.
  bool Talk(absl::Status* status);
  void Take(const v1::CoordinatorMessage& message);
  void Execute();
  bool Finished() const;  // needs the lock

  const LinkOptions options_;
  const Work work_;
  const Say say_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::Task> tasks_;               // the first one is being done
  std::map<Lease, v1::TaskResult> results_;  // not acknowledged
  std::deque<Lease> unsent_;                 // of these, on this connection
  double lease_seconds_ = 0;                 // 0: not yet welcome
  bool draining_ = false;
  bool stopped_ = false;
  bool broken_ = false;  // the connection
};

}  // namespace quern::workers

#endif  // QUERN_WORKERS_COORDINATOR_LINK_H_
