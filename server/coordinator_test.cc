// The API of a coordinator, as clients and workers see it; the end-to-end test has real workers.
#include "server/coordinator.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include "codegen/target.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "quern/v1/jobs.grpc.pb.h"
#include "quern/v1/workers.grpc.pb.h"

namespace quern::server {

static constexpr char kProgram[] = R"(func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stablehlo.add %a, %a : tensor<64xf32>
    return %0 : tensor<64xf32>
  })";

class CoordinatorTest : public testing::Test {
 protected:
  CoordinatorTest() : state_(testing::TempDir() + "quern_state_" + std::to_string(getpid())) {
    std::filesystem::remove_all(state_);
    Start();
  }
  ~CoordinatorTest() override {
    coordinator_.reset();
    std::filesystem::remove_all(state_);
  }

  void Start(double keep_days = 30) {
    auto started = Coordinator::Start({.listen = "127.0.0.1:0",
                                       .state = state_,
                                       .keep_days = keep_days,
                                       .checker = "/bin/false"});
    ASSERT_TRUE(started.ok()) << started.status().ToString();
    coordinator_ = *std::move(started);
    const auto channel =
        grpc::CreateChannel(coordinator_->address(), grpc::InsecureChannelCredentials());
    jobs_ = v1::Jobs::NewStub(channel);
    kernels_ = v1::Kernels::NewStub(channel);
    workers_ = v1::Workers::NewStub(channel);
    streams_ = v1::WorkerStream::NewStub(channel);
  }

  static v1::CreateJobRequest Request(const std::string& id = "") {
    v1::CreateJobRequest request;
    request.mutable_job()->set_spec(kProgram);
    request.mutable_job()->set_max_candidates(2);
    request.set_request_id(id);
    return request;
  }
  grpc::Status Create(const v1::CreateJobRequest& request, v1::Job* job) {
    grpc::ClientContext context;
    return jobs_->CreateJob(&context, request, job);
  }
  std::string Created(const std::string& id = "") {
    v1::Job job;
    const grpc::Status status = Create(Request(id), &job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job.name();
  }
  template <typename Request, typename Method>
  grpc::Status Change(Method method, const std::string& name, v1::Job* job) {
    grpc::ClientContext context;
    Request request;
    request.set_name(name);
    return (jobs_.get()->*method)(&context, request, job);
  }
  v1::JobState StateOf(const std::string& name) {
    v1::Job job;
    EXPECT_TRUE(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, name, &job).ok());
    return job.state();
  }
  bool Reaches(const std::string& name, v1::JobState state) {
    for (int i = 0; i < 200; ++i) {
      if (StateOf(name) == state) return true;
      usleep(50000);
    }
    return false;
  }
  int CountJobs() {
    grpc::ClientContext context;
    v1::ListJobsResponse response;
    EXPECT_TRUE(jobs_->ListJobs(&context, {}, &response).ok());
    return response.jobs_size();
  }
  // The field that the error names.
  static std::string FieldOf(const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    google::rpc::Status details;
    google::rpc::BadRequest request;
    if (!details.ParseFromString(status.error_details()) || details.details_size() != 1 ||
        !details.details(0).UnpackTo(&request) || request.field_violations_size() != 1) {
      return "";
    }
    return request.field_violations(0).field();
  }
  static v1::WorkerMessage Hello(const std::string& id = "w") {
    const codegen::Target* target = codegen::FindTarget("host").value();
    v1::WorkerMessage message;
    v1::Hello& hello = *message.mutable_hello();
    hello.set_protocol(1);
    hello.set_worker_id(id);
    hello.set_credits(1);
    hello.mutable_device()->set_target(target->name());
    hello.mutable_device()->set_cpu(target->cpu());
    hello.mutable_device()->set_features(target->features());
    hello.mutable_device()->set_fingerprint("a machine");
    hello.mutable_device()->set_max_threads(1);
    return message;
  }

  const std::string state_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<v1::Jobs::Stub> jobs_;
  std::unique_ptr<v1::Kernels::Stub> kernels_;
  std::unique_ptr<v1::Workers::Stub> workers_;
  std::unique_ptr<v1::WorkerStream::Stub> streams_;
};

TEST_F(CoordinatorTest, RefusesBadFieldsAndChangesNothing) {
  auto field = [&](const std::function<void(v1::CreateJobRequest&)>& spoil) {
    v1::CreateJobRequest request = Request();
    spoil(request);
    v1::Job job;
    return FieldOf(Create(request, &job));
  };
  EXPECT_EQ(field([](auto& r) { r.clear_job(); }), "job.spec");
  EXPECT_EQ(field([](auto& r) { r.mutable_job()->set_spec("nonsense"); }), "job.spec");
  EXPECT_EQ(field([](auto& r) { r.mutable_job()->set_threads(-1); }), "job.threads");
  EXPECT_EQ(field([](auto& r) { r.mutable_job()->add_assumptions("arg7>=0"); }),
            "job.assumptions[0]");
  EXPECT_EQ(field([](auto& r) { r.set_priority(101); }), "priority");
  EXPECT_EQ(field([](auto& r) { r.set_request_id(std::string(65, 'x')); }), "request_id");
  EXPECT_EQ(CountJobs(), 0);

  v1::Job job;
  EXPECT_EQ(FieldOf(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, "jobs/x", &job)), "name");
  EXPECT_EQ(FieldOf(Change<v1::CancelJobRequest>(&v1::Jobs::Stub::CancelJob, "", &job)), "name");
  EXPECT_EQ(FieldOf(Change<v1::PauseJobRequest>(&v1::Jobs::Stub::PauseJob, "1", &job)), "name");
  EXPECT_EQ(FieldOf(Change<v1::ResumeJobRequest>(&v1::Jobs::Stub::ResumeJob, "jobs/", &job)),
            "name");
  EXPECT_EQ(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, "jobs/77", &job).error_code(),
            grpc::StatusCode::NOT_FOUND);
  {
    grpc::ClientContext context;
    v1::ListJobsRequest request;
    request.set_filter("colour=red");
    v1::ListJobsResponse response;
    EXPECT_EQ(FieldOf(jobs_->ListJobs(&context, request, &response)), "filter");
  }
  {
    grpc::ClientContext context;
    v1::WatchJobRequest request;
    request.set_name(Created());
    request.set_after_sequence(-1);
    EXPECT_EQ(FieldOf(jobs_->WatchJob(&context, request)->Finish()), "after_sequence");
  }
  {
    grpc::ClientContext context;
    EXPECT_EQ(FieldOf(kernels_->GetJobBundle(&context, {})->Finish()), "job");
  }
  {
    grpc::ClientContext context;
    v1::CordonWorkerRequest request;
    request.set_name("workers/a b");
    v1::Worker worker;
    EXPECT_EQ(FieldOf(workers_->CordonWorker(&context, request, &worker)), "name");
  }
  {
    grpc::ClientContext context;
    v1::DrainWorkerRequest request;
    request.set_name("workers/nobody");
    v1::Worker worker;
    EXPECT_EQ(workers_->DrainWorker(&context, request, &worker).error_code(),
              grpc::StatusCode::NOT_FOUND);
  }
}

TEST_F(CoordinatorTest, RefusesMessagesThatAreTooLarge) {
  v1::CreateJobRequest request = Request();
  request.mutable_job()->set_spec(std::string(70 << 20, ' '));
  v1::Job job;
  EXPECT_EQ(Create(request, &job).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(CountJobs(), 0);
}

TEST_F(CoordinatorTest, RequestIdsMakeRetriesSafe) {
  const std::string name = Created("one");
  EXPECT_EQ(Created("one"), name);
  v1::CreateJobRequest other = Request("one");
  other.mutable_job()->set_seed(5);
  v1::Job job;
  EXPECT_EQ(Create(other, &job).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(CountJobs(), 1);
}

TEST_F(CoordinatorTest, JobsWaitForAWorkerAndAreControlled) {
  const std::string name = Created();
  v1::Job job;
  ASSERT_TRUE(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, name, &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_PENDING);
  EXPECT_EQ(job.waiting_for(), "no worker is connected");
  EXPECT_EQ(Change<v1::ResumeJobRequest>(&v1::Jobs::Stub::ResumeJob, name, &job).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  ASSERT_TRUE(Change<v1::PauseJobRequest>(&v1::Jobs::Stub::PauseJob, name, &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_PAUSED);
  ASSERT_TRUE(Change<v1::ResumeJobRequest>(&v1::Jobs::Stub::ResumeJob, name, &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_PENDING);
  {
    grpc::ClientContext context;
    v1::GetJobBundleRequest request;
    request.set_job(name);
    EXPECT_EQ(kernels_->GetJobBundle(&context, request)->Finish().error_code(),
              grpc::StatusCode::FAILED_PRECONDITION);
  }
  ASSERT_TRUE(Change<v1::CancelJobRequest>(&v1::Jobs::Stub::CancelJob, name, &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_CANCELLED);
  ASSERT_TRUE(Change<v1::CancelJobRequest>(&v1::Jobs::Stub::CancelJob, name, &job).ok());
  EXPECT_EQ(Change<v1::PauseJobRequest>(&v1::Jobs::Stub::PauseJob, name, &job).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(CoordinatorTest, AWatchResumesAfterANumberAndEndsWithTheJob) {
  const std::string name = Created();
  v1::Job job;
  ASSERT_TRUE(Change<v1::PauseJobRequest>(&v1::Jobs::Stub::PauseJob, name, &job).ok());
  ASSERT_TRUE(Change<v1::CancelJobRequest>(&v1::Jobs::Stub::CancelJob, name, &job).ok());
  auto watch = [&](int64_t after) {
    grpc::ClientContext context;
    v1::WatchJobRequest request;
    request.set_name(name);
    request.set_after_sequence(after);
    const auto stream = jobs_->WatchJob(&context, request);
    std::vector<v1::JobEvent> events;
    v1::JobEvent event;
    while (stream->Read(&event)) events.push_back(event);
    EXPECT_TRUE(stream->Finish().ok());
    return events;
  };
  const std::vector<v1::JobEvent> all = watch(0);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].state(), v1::JOB_STATE_PENDING);
  EXPECT_EQ(all[1].state(), v1::JOB_STATE_PAUSED);
  EXPECT_EQ(all[2].state(), v1::JOB_STATE_CANCELLED);
  const std::vector<v1::JobEvent> rest = watch(all[1].sequence());
  ASSERT_EQ(rest.size(), 1);
  EXPECT_EQ(rest[0].sequence(), all[2].sequence());
}

TEST_F(CoordinatorTest, PagesThroughJobs) {
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i) names.insert(names.begin(), Created());
  std::vector<std::string> seen;
  v1::ListJobsRequest request;
  request.set_page_size(2);
  int pages = 0;
  do {
    grpc::ClientContext context;
    v1::ListJobsResponse response;
    ASSERT_TRUE(jobs_->ListJobs(&context, request, &response).ok());
    for (const v1::Job& job : response.jobs()) seen.push_back(job.name());
    request.set_page_token(response.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen, names);
}

TEST_F(CoordinatorTest, RefusesWorkersThatDoNotFit) {
  auto refusal = [&](const std::function<void(v1::WorkerMessage&)>& spoil) {
    grpc::ClientContext context;
    const auto stream = streams_->Connect(&context);
    v1::WorkerMessage message = Hello();
    spoil(message);
    stream->Write(message);
    v1::CoordinatorMessage answer;
    EXPECT_FALSE(stream->Read(&answer));
    return stream->Finish();
  };
  EXPECT_EQ(FieldOf(refusal([](auto& m) { m.mutable_renewal(); })), "hello");
  EXPECT_EQ(FieldOf(refusal([](auto& m) { m.mutable_hello()->set_worker_id("a b"); })),
            "hello.worker_id");
  EXPECT_EQ(FieldOf(refusal([](auto& m) { m.mutable_hello()->set_credits(0); })), "hello.credits");
  EXPECT_EQ(
      FieldOf(refusal([](auto& m) { m.mutable_hello()->mutable_device()->clear_fingerprint(); })),
      "hello.device.fingerprint");
  EXPECT_EQ(
      FieldOf(refusal([](auto& m) { m.mutable_hello()->mutable_device()->set_max_threads(0); })),
      "hello.device.max_threads");
  EXPECT_EQ(
      FieldOf(refusal([](auto& m) { m.mutable_hello()->mutable_device()->set_target("z80"); })),
      "hello.device.target");
  EXPECT_EQ(refusal([](auto& m) { m.mutable_hello()->set_protocol(9); }).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(
      refusal([](auto& m) { m.mutable_hello()->mutable_device()->set_cpu("i386"); }).error_code(),
      grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(CoordinatorTest, HandsOutTasksUnderALeaseAndCountsOneResult) {
  grpc::ClientContext context;
  const auto stream = streams_->Connect(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  v1::CoordinatorMessage message;
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_GT(message.welcome().lease_seconds(), 0);
  const std::string name = Created();
  ASSERT_TRUE(stream->Read(&message));
  ASSERT_TRUE(message.has_task());
  EXPECT_TRUE(message.task().measure().has_screen());
  ASSERT_EQ(message.task().measure().candidates_size(), 1);
  EXPECT_EQ(message.task().measure().reference().binary(),
            message.task().measure().candidates(0).binary());
  EXPECT_EQ(StateOf(name), v1::JOB_STATE_RUNNING);
  const v1::Lease lease = message.task().lease();
  EXPECT_EQ(lease.attempt(), 1);
  {
    grpc::ClientContext list;
    v1::ListWorkersResponse response;
    ASSERT_TRUE(workers_->ListWorkers(&list, {}, &response).ok());
    ASSERT_EQ(response.workers_size(), 1);
    EXPECT_EQ(response.workers(0).name(), "workers/w");
    EXPECT_EQ(response.workers(0).leased(), 1);
  }
  // What is stale, or of another task, is acknowledged and not counted.
  v1::WorkerMessage answer;
  answer.mutable_result()->mutable_measure()->set_device_error("the device is on fire");
  for (const auto& [task, attempt] :
       std::vector<std::pair<int64_t, int64_t>>{{lease.task(), 0}, {lease.task(), 2}, {999, 1}}) {
    answer.mutable_result()->mutable_lease()->set_task(task);
    answer.mutable_result()->mutable_lease()->set_attempt(attempt);
    ASSERT_TRUE(stream->Write(answer));
    ASSERT_TRUE(stream->Read(&message));
    ASSERT_TRUE(message.has_acknowledgement());
    EXPECT_FALSE(message.acknowledgement().counted());
  }
  EXPECT_EQ(StateOf(name), v1::JOB_STATE_RUNNING);
  *answer.mutable_result()->mutable_lease() = lease;
  for (const bool counted : {true, false}) {
    ASSERT_TRUE(stream->Write(answer));
    ASSERT_TRUE(stream->Read(&message));
    EXPECT_EQ(message.acknowledgement().counted(), counted);
  }
  EXPECT_TRUE(Reaches(name, v1::JOB_STATE_FAILED));
  v1::Job job;
  ASSERT_TRUE(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, name, &job).ok());
  EXPECT_THAT(job.error(), testing::HasSubstr("the device is on fire"));
  stream->WritesDone();
  context.TryCancel();
}

TEST_F(CoordinatorTest, ALyingWorkerFailsTheJobAndNothingIsKept) {
  grpc::ClientContext context;
  const auto stream = streams_->Connect(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  v1::CoordinatorMessage message;
  ASSERT_TRUE(stream->Read(&message));
  const std::string name = Created();
  ASSERT_TRUE(stream->Read(&message));
  v1::WorkerMessage answer;
  *answer.mutable_result()->mutable_lease() = message.task().lease();
  v1::Race* race = answer.mutable_result()->mutable_measure()->add_races();
  race->set_outcome(v1::RACE_OUTCOME_FASTER);
  race->set_measurement("{\"warm\": \"very\"}");
  ASSERT_TRUE(stream->Write(answer));
  EXPECT_TRUE(Reaches(name, v1::JOB_STATE_FAILED));
  context.TryCancel();
}

TEST_F(CoordinatorTest, ARunningJobIsPausedAndGoesOnWithTheSameTask) {
  grpc::ClientContext context;
  const auto stream = streams_->Connect(&context);
  ASSERT_TRUE(stream->Write(Hello()));
  v1::CoordinatorMessage message;
  ASSERT_TRUE(stream->Read(&message));
  const std::string name = Created();
  ASSERT_TRUE(stream->Read(&message));
  const v1::Lease lease = message.task().lease();
  v1::Job job;
  ASSERT_TRUE(Change<v1::PauseJobRequest>(&v1::Jobs::Stub::PauseJob, name, &job).ok());
  EXPECT_EQ(StateOf(name), v1::JOB_STATE_PAUSED);
  // The answer is kept, and the job goes on with it.
  v1::WorkerMessage answer;
  *answer.mutable_result()->mutable_lease() = lease;
  answer.mutable_result()->mutable_measure()->add_races()->set_outcome(v1::RACE_OUTCOME_FAILED);
  answer.mutable_result()->mutable_measure()->mutable_races(0)->set_failure("crashed: kept");
  ASSERT_TRUE(stream->Write(answer));
  ASSERT_TRUE(stream->Read(&message));
  EXPECT_TRUE(message.acknowledgement().counted());
  ASSERT_TRUE(Change<v1::ResumeJobRequest>(&v1::Jobs::Stub::ResumeJob, name, &job).ok());
  EXPECT_TRUE(Reaches(name, v1::JOB_STATE_FAILED));
  ASSERT_TRUE(Change<v1::GetJobRequest>(&v1::Jobs::Stub::GetJob, name, &job).ok());
  EXPECT_THAT(job.error(), testing::HasSubstr("crashed: kept"));
  context.TryCancel();
}

TEST_F(CoordinatorTest, ForgetsFinishedJobsAndTheirBundles) {
  const std::string finished = Created(), open = Created();
  v1::Job job;
  ASSERT_TRUE(Change<v1::CancelJobRequest>(&v1::Jobs::Stub::CancelJob, finished, &job).ok());
  coordinator_.reset();
  for (const char* name : {"job-1", "job-2", "job-77", "other"}) {
    std::filesystem::create_directories(state_ + "/bundles/" + name);
  }
  Start(/*keep_days=*/0);
  auto there = [&](const char* name) {
    return std::filesystem::exists(state_ + "/bundles/" + name);
  };
  for (int i = 0; i < 100 && (there("job-1") || there("job-77")); ++i) usleep(50000);
  EXPECT_EQ(CountJobs(), 1);
  EXPECT_EQ(StateOf(open), v1::JOB_STATE_PENDING);
  EXPECT_FALSE(there("job-1"));
  EXPECT_TRUE(there("job-2"));
  EXPECT_FALSE(there("job-77"));
  EXPECT_TRUE(there("other"));
}

TEST_F(CoordinatorTest, AnotherCoordinatorCannotUseTheFolder) {
  const absl::Status status =
      Coordinator::Start({.listen = "127.0.0.1:0", .state = state_}).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status.ToString();
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("another quernd"));
}

TEST_F(CoordinatorTest, JobsOutliveTheCoordinator) {
  const std::string name = Created("kept");
  coordinator_.reset();
  Start();
  EXPECT_EQ(StateOf(name), v1::JOB_STATE_PENDING);
  EXPECT_EQ(Created("kept"), name);
}

}  // namespace quern::server
