// Talks to a coordinator.
#ifndef QUERN_CLI_COORDINATOR_CLIENT_H_
#define QUERN_CLI_COORDINATOR_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/bundle.h"
#include "quern/v1/jobs.pb.h"
#include "quern/v1/workers.pb.h"

namespace quern::cli {

// Errors are the coordinator's; kUnavailable, which names its address, if it cannot be reached.
class CoordinatorClient {
 public:
  static std::unique_ptr<CoordinatorClient> Create(const std::string& address);
  virtual ~CoordinatorClient() = default;

  // Tries again while the coordinator is away: the request has an id, and makes one job.
  virtual absl::StatusOr<v1::Job> CreateJob(v1::CreateJobRequest request) = 0;
  virtual absl::StatusOr<v1::Job> GetJob(const std::string& name) = 0;
  virtual absl::StatusOr<std::vector<v1::Job>> ListJobs(const std::string& filter, int limit) = 0;
  virtual absl::StatusOr<v1::Job> CancelJob(const std::string& name) = 0;
  virtual absl::StatusOr<v1::Job> PauseJob(const std::string& name) = 0;
  virtual absl::StatusOr<v1::Job> ResumeJob(const std::string& name) = 0;
  // Every event once, until the job is finished, also over restarts of the coordinator. Ends early,
  // ok, when `see` is false.
  virtual absl::Status WatchJob(const std::string& name,
                                const std::function<bool(const v1::JobEvent&)>& see) = 0;
  // kDataLoss if what arrives is not whole.
  virtual absl::StatusOr<Bundle> GetBundle(const std::string& job) = 0;
  virtual absl::StatusOr<std::vector<v1::Worker>> ListWorkers() = 0;
  virtual absl::StatusOr<v1::Worker> DrainWorker(const std::string& name) = 0;
  virtual absl::StatusOr<v1::Worker> CordonWorker(const std::string& name, bool cordoned) = 0;
};

}  // namespace quern::cli

#endif  // QUERN_CLI_COORDINATOR_CLIENT_H_
