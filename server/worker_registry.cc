#include "server/worker_registry.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"

namespace quern::server {

static v1::Worker Describe(const WorkerSession& session) {
  v1::Worker worker;
  worker.set_name("workers/" + session.hello.worker_id());
  *worker.mutable_device() = session.hello.device();
  worker.set_credits(session.hello.credits());
  worker.set_leased(static_cast<int>(session.leased.size()));
  worker.set_completed(session.completed);
  worker.set_cordoned(session.cordoned);
  worker.set_draining(session.draining);
  return worker;
}

std::shared_ptr<WorkerSession> WorkerRegistry::Join(const v1::Hello& hello) {
  auto session = std::make_shared<WorkerSession>(WorkerSession{.hello = hello});
  std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const std::shared_ptr<WorkerSession>& old) {
    if (old->hello.worker_id() != hello.worker_id()) return false;
    old->replaced = true;
    session->cordoned = old->cordoned;
    session->draining = old->draining;
    return true;
  });
  sessions_.push_back(session);
  return session;
}

void WorkerRegistry::Leave(const std::shared_ptr<WorkerSession>& session) {
  std::lock_guard lock(mutex_);
  std::erase(sessions_, session);
}

std::vector<v1::Worker> WorkerRegistry::List() const {
  std::lock_guard lock(mutex_);
  std::vector<v1::Worker> workers;
  for (const auto& session : sessions_) workers.push_back(Describe(*session));
  return workers;
}

absl::StatusOr<WorkerSession*> WorkerRegistry::Find(const std::string& id) {
  for (const auto& session : sessions_) {
    if (session->hello.worker_id() == id) return session.get();
  }
  return absl::NotFoundError(absl::StrCat("worker ", id, " is not connected"));
}

absl::StatusOr<v1::Worker> WorkerRegistry::Cordon(const std::string& id, bool cordoned) {
  std::lock_guard lock(mutex_);
  QUERN_ASSIGN_OR_RETURN(WorkerSession * session, Find(id));
  session->cordoned = cordoned;
  return Describe(*session);
}

absl::StatusOr<v1::Worker> WorkerRegistry::Drain(const std::string& id) {
  std::lock_guard lock(mutex_);
  QUERN_ASSIGN_OR_RETURN(WorkerSession * session, Find(id));
  session->cordoned = session->draining = true;
  return Describe(*session);
}

std::optional<v1::Device> WorkerRegistry::FindDevice(const std::string& target, int threads) const {
  std::lock_guard lock(mutex_);
  for (const auto& session : sessions_) {
    const v1::Device& device = session->hello.device();
    if (!session->cordoned && device.target() == target && device.max_threads() >= threads) {
      return device;
    }
  }
  return std::nullopt;
}

bool WorkerRegistry::Serves(const std::string& fingerprint) const {
  std::lock_guard lock(mutex_);
  return std::any_of(sessions_.begin(), sessions_.end(), [&](const auto& session) {
    return !session->cordoned && session->hello.device().fingerprint() == fingerprint;
  });
}

}  // namespace quern::server
