#include "cli/remote_session.h"

#include <chrono>
#include <cstdio>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bundle/status.h"
#include "cli/coordinator_client.h"

namespace quern::cli {

namespace {

// Cancels the job from a thread of its own when told to: the watch may have nothing to read.
class Canceller {
 public:
  Canceller(const std::string& server, std::string job, const std::atomic<bool>& stop)
      : thread_([this, server, job = std::move(job), &stop] {
          while (!done_) {
            if (stop) {
              CoordinatorClient::Create(server)->CancelJob(job).status().IgnoreError();
              return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
        }) {}
  ~Canceller() {
    done_ = true;
    thread_.join();
  }
  Canceller(const Canceller&) = delete;
  Canceller& operator=(const Canceller&) = delete;

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace

static search::SessionResult ToResult(const v1::JobResult& proto) {
  const v1::Counts& counts = proto.counts();
  search::SessionResult result{.cache_hit = proto.cache_hit(),
                               .proved = proto.proved(),
                               .naive_ns = proto.naive_ns(),
                               .naive_longer_than_ns = proto.naive_longer_than_ns(),
                               .counts = {.enumerated = counts.enumerated(),
                                          .dropped = counts.dropped(),
                                          .compiled = counts.compiled(),
                                          .failed = counts.failed(),
                                          .measured = counts.measured(),
                                          .refuted = counts.refuted(),
                                          .unknown = counts.unknown(),
                                          .unsound_actions = counts.unsound_actions()}};
  result.finalists.assign(proto.finalists().begin(), proto.finalists().end());
  return result;
}

absl::StatusOr<search::SessionResult> RunRemotely(const std::string& server,
                                                  const v1::JobSpec& spec,
                                                  const std::atomic<bool>& stop) {
  const std::unique_ptr<CoordinatorClient> client = CoordinatorClient::Create(server);
  std::random_device random;
  v1::CreateJobRequest request;
  *request.mutable_job() = spec;
  request.set_request_id(
      absl::StrFormat("%08x%08x%08x%08x", random(), random(), random(), random()));
  QUERN_ASSIGN_OR_RETURN(v1::Job job, client->CreateJob(std::move(request)));
  const std::string name = job.name();
  std::fprintf(stderr, "%s on %s%s\n", name.c_str(), server.c_str(),
               job.waiting_for().empty() ? "" : (": " + job.waiting_for() + ": waiting").c_str());
  {
    const Canceller canceller(server, name, stop);
    QUERN_RETURN_IF_ERROR(client->WatchJob(name, [](const v1::JobEvent& event) {
      std::fprintf(stderr, "%s\n", event.message().c_str());
      return true;
    }));
  }
  QUERN_ASSIGN_OR_RETURN(job, client->GetJob(name));
  if (job.state() == v1::JOB_STATE_CANCELLED) return absl::CancelledError(name + " was cancelled");
  if (job.state() != v1::JOB_STATE_SUCCEEDED) {
    return absl::InternalError(absl::StrCat(name, " failed: ", job.error()));
  }
  search::SessionResult result = ToResult(job.result());
  if (!result.proved) return result;
  QUERN_ASSIGN_OR_RETURN(result.bundle, client->GetBundle(name));
  const Bundle& bundle = *result.bundle;
  if (bundle.module != spec.spec() || bundle.certificate.verdict != Verdict::kProved) {
    return absl::DataLossError(absl::StrCat(server, " sent another kernel than the job's"));
  }
  if (!bundle.measurements.empty()) result.time_ns = bundle.measurements.front().warm.median;
  return result;
}

}  // namespace quern::cli
