#include "cli/coordinator_client.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "grpcpp/grpcpp.h"
#include "quern/v1/jobs.grpc.pb.h"
#include "quern/v1/workers.grpc.pb.h"

namespace quern::cli {

namespace {

constexpr int kRetries = 60;  // while the coordinator is away, a second apart
constexpr std::chrono::seconds kPause(1);
constexpr std::chrono::seconds kDeadline(60);

class GrpcClient : public CoordinatorClient {
 public:
  explicit GrpcClient(const std::string& address) : address_(address) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    const auto channel =
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
    jobs_ = v1::Jobs::NewStub(channel);
    kernels_ = v1::Kernels::NewStub(channel);
    workers_ = v1::Workers::NewStub(channel);
  }

  absl::StatusOr<v1::Job> CreateJob(v1::CreateJobRequest request) override {
    return Patiently<v1::Job>(
        [&] { return Call<v1::Job>(*jobs_, &v1::Jobs::Stub::CreateJob, request); });
  }
  absl::StatusOr<v1::Job> GetJob(const std::string& name) override {
    return Patiently<v1::Job>([&] {
      return Call<v1::Job>(*jobs_, &v1::Jobs::Stub::GetJob, Named<v1::GetJobRequest>(name));
    });
  }
  absl::StatusOr<v1::Job> CancelJob(const std::string& name) override {
    return Call<v1::Job>(*jobs_, &v1::Jobs::Stub::CancelJob, Named<v1::CancelJobRequest>(name));
  }
  absl::StatusOr<v1::Job> PauseJob(const std::string& name) override {
    return Call<v1::Job>(*jobs_, &v1::Jobs::Stub::PauseJob, Named<v1::PauseJobRequest>(name));
  }
  absl::StatusOr<v1::Job> ResumeJob(const std::string& name) override {
    return Call<v1::Job>(*jobs_, &v1::Jobs::Stub::ResumeJob, Named<v1::ResumeJobRequest>(name));
  }

  absl::StatusOr<std::vector<v1::Job>> ListJobs(const std::string& filter, int limit) override {
    constexpr int kPage = 1000;
    std::vector<v1::Job> jobs;
    v1::ListJobsRequest request;
    request.set_filter(filter);
    do {
      request.set_page_size(std::min(limit - static_cast<int>(jobs.size()), kPage));
      QUERN_ASSIGN_OR_RETURN(
          const v1::ListJobsResponse page,
          Call<v1::ListJobsResponse>(*jobs_, &v1::Jobs::Stub::ListJobs, request));
      jobs.insert(jobs.end(), page.jobs().begin(), page.jobs().end());
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty() && static_cast<int>(jobs.size()) < limit);
    return jobs;
  }

  absl::Status WatchJob(const std::string& name,
                        const std::function<bool(const v1::JobEvent&)>& see) override {
    v1::WatchJobRequest request;
    request.set_name(name);
    for (int tries = 0;;) {
      grpc::ClientContext context;
      const auto stream = jobs_->WatchJob(&context, request);
      v1::JobEvent event;
      while (stream->Read(&event)) {
        tries = 0;
        request.set_after_sequence(event.sequence());
        if (!see(event)) {
          context.TryCancel();
          stream->Finish();
          return absl::OkStatus();
        }
      }
      const absl::Status status = ToAbsl(stream->Finish());
      if (!absl::IsUnavailable(status) || ++tries > kRetries) return status;
      std::this_thread::sleep_for(kPause);
    }
  }

  absl::StatusOr<Bundle> GetBundle(const std::string& job) override;

  absl::StatusOr<std::vector<v1::Worker>> ListWorkers() override {
    QUERN_ASSIGN_OR_RETURN(const v1::ListWorkersResponse response,
                           Call<v1::ListWorkersResponse>(*workers_, &v1::Workers::Stub::ListWorkers,
                                                         v1::ListWorkersRequest()));
    return std::vector<v1::Worker>(response.workers().begin(), response.workers().end());
  }
  absl::StatusOr<v1::Worker> DrainWorker(const std::string& name) override {
    return Call<v1::Worker>(*workers_, &v1::Workers::Stub::DrainWorker,
                            Named<v1::DrainWorkerRequest>(name));
  }
  absl::StatusOr<v1::Worker> CordonWorker(const std::string& name, bool cordoned) override {
    auto request = Named<v1::CordonWorkerRequest>(name);
    request.set_cordoned(cordoned);
    return Call<v1::Worker>(*workers_, &v1::Workers::Stub::CordonWorker, request);
  }

 private:
  template <typename Request>
  static Request Named(const std::string& name) {
    Request request;
    request.set_name(name);
    return request;
  }

  template <typename Response, typename Stub, typename Method, typename Request>
  absl::StatusOr<Response> Call(Stub& stub, Method method, const Request& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    Response response;
    const absl::Status status = ToAbsl((stub.*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  template <typename Response, typename Try>
  absl::StatusOr<Response> Patiently(Try try_once) {
    for (int tries = 0;; ++tries) {
      absl::StatusOr<Response> response = try_once();
      if (!absl::IsUnavailable(response.status()) || tries == kRetries) return response;
      if (tries == 0) {
        std::fprintf(stderr, "quern: %s: trying again\n",
                     std::string(response.status().message()).c_str());
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  absl::Status ToAbsl(const grpc::Status& status) const {
    if (status.ok()) return absl::OkStatus();
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    if (code != absl::StatusCode::kUnavailable) return absl::Status(code, status.error_message());
    return absl::UnavailableError(absl::StrCat(address_, ": ", status.error_message()));
  }

  const std::string address_;
  std::unique_ptr<v1::Jobs::Stub> jobs_;
  std::unique_ptr<v1::Kernels::Stub> kernels_;
  std::unique_ptr<v1::Workers::Stub> workers_;
};

absl::StatusOr<Bundle> GrpcClient::GetBundle(const std::string& job) {
  std::string folder = std::filesystem::temp_directory_path() / "quern-bundle-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::UnavailableError(absl::StrCat(folder, ": cannot be created"));
  }
  v1::GetJobBundleRequest request;
  request.set_job(job);
  grpc::ClientContext context;
  const auto stream = kernels_->GetJobBundle(&context, request);
  v1::BundleChunk chunk;
  absl::Status status;
  while (status.ok() && stream->Read(&chunk)) {
    if (chunk.file().empty() || chunk.file().front() == '.' ||
        absl::StrContains(chunk.file(), '/')) {
      status = absl::DataLossError("the coordinator sent a file with an odd name");
      break;
    }
    std::ofstream file(folder + "/" + chunk.file(), std::ios::binary | std::ios::app);
    file << chunk.data();
    file.flush();
    if (!file) status = absl::UnavailableError(absl::StrCat(folder, ": cannot be written"));
  }
  if (!status.ok()) context.TryCancel();
  const absl::Status finish = ToAbsl(stream->Finish());
  if (status.ok()) status = finish;
  absl::StatusOr<Bundle> bundle = status.ok() ? ReadBundle(folder) : absl::StatusOr<Bundle>(status);
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  return bundle;
}

}  // namespace

std::unique_ptr<CoordinatorClient> CoordinatorClient::Create(const std::string& address) {
  return std::make_unique<GrpcClient>(address);
}

}  // namespace quern::cli
