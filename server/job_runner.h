// Runs one job: a search session whose parts are elsewhere.
#ifndef QUERN_SERVER_JOB_RUNNER_H_
#define QUERN_SERVER_JOB_RUNNER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cache/kernel_store.h"
#include "quern/v1/jobs.pb.h"
#include "quern/v1/workers.pb.h"
#include "server/bell.h"
#include "server/checker_process.h"
#include "server/job_plan.h"
#include "server/task_board.h"
#include "server/worker_registry.h"

namespace quern::server {

class JobRunner {
 public:
  // All outlive it. Bundles go to bundles/job-ID of `state`.
  struct Parts {
    TaskStore& store;
    TaskBoard& board;
    WorkerRegistry& workers;
    cache::KernelStore& cache;
    Bell& events;  // rings after each line of progress
    std::string state;
    CheckerSettings checker;
  };
  explicit JobRunner(Parts parts) : parts_(std::move(parts)) {}

  // `device` times the candidates, if the plan needs one. kCancelled once `abandoned`; other errors
  // are of the job or the environment.
  absl::StatusOr<v1::JobResult> Run(int64_t job, const JobPlan& plan,
                                    const std::optional<v1::Device>& device,
                                    const std::atomic<bool>& abandoned);

  // Of a job that proved a kernel.
  std::string BundleFolder(int64_t job) const;
  // Bundles of jobs that the store has forgotten.
  absl::Status RemoveBundlesWithoutJob();

 private:
  void Say(int64_t job, const std::string& line);

  const Parts parts_;
};

}  // namespace quern::server

#endif  // QUERN_SERVER_JOB_RUNNER_H_
