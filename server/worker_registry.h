// Who is connected.
#ifndef QUERN_SERVER_WORKER_REGISTRY_H_
#define QUERN_SERVER_WORKER_REGISTRY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quern/v1/workers.pb.h"

namespace quern::server {

// One stream of a worker.
struct WorkerSession {
  v1::Hello hello;
  std::map<int64_t, int64_t> leased;  // task: attempt
  int64_t completed = 0;
  bool cordoned = false;
  bool draining = false;
  bool replaced = false;  // by a newer stream of the same worker
};

// For any number of threads. Sessions are changed only by With.
class WorkerRegistry {
 public:
  // A session of the same id is marked as replaced; what an operator ordered stays in force.
  std::shared_ptr<WorkerSession> Join(const v1::Hello& hello);
  void Leave(const std::shared_ptr<WorkerSession>& session);

  template <typename Work>
  auto With(WorkerSession& session, Work work) {
    std::lock_guard lock(mutex_);
    return work(session);
  }

  std::vector<v1::Worker> List() const;
  absl::StatusOr<v1::Worker> Cordon(const std::string& id, bool cordoned);  // kNotFound
  absl::StatusOr<v1::Worker> Drain(const std::string& id);                  // kNotFound

  // A device for kernels of `threads` threads, that of the worker which came first; none if nobody
  // who takes work has one.
  std::optional<v1::Device> FindDevice(const std::string& target, int threads) const;
  // Whether somebody who takes work has it.
  bool Serves(const std::string& fingerprint) const;

 private:
  absl::StatusOr<WorkerSession*> Find(const std::string& id);

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<WorkerSession>> sessions_;  // as they came
};

}  // namespace quern::server

#endif  // QUERN_SERVER_WORKER_REGISTRY_H_
