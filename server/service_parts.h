// What the services of the API work on.
#ifndef QUERN_SERVER_SERVICE_PARTS_H_
#define QUERN_SERVER_SERVICE_PARTS_H_

#include <atomic>

#include "cache/kernel_store.h"
#include "server/scheduler.h"

namespace quern::server {

// All outlive the services. `ending` ends streams.
struct ServiceParts {
  TaskStore& store;
  Scheduler& scheduler;
  WorkerRegistry& workers;
  const JobRunner& runner;
  cache::KernelStore& cache;
  Bell& events;
  const std::atomic<bool>& ending;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_SERVICE_PARTS_H_
