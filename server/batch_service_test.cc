#include "server/batch_service.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quern/v1/batches.grpc.pb.h"
#include "quern/v1/jobs.grpc.pb.h"
#include "server/testing/test_coordinator.h"

namespace quern::server {

class BatchServiceTest : public testing::Test {
 protected:
  BatchServiceTest() {
    coordinator_.Start();
    Connect();
  }
  void Connect() {
    batches_ = v1::Batches::NewStub(coordinator_.Connect());
    jobs_ = v1::Jobs::NewStub(coordinator_.Connect());
  }
  static v1::CreateBatchRequest Request(int specs, const std::vector<std::string>& targets) {
    v1::CreateBatchRequest request;
    for (int i = 0; i < specs; ++i) {
      *request.add_specs() = SmallJob();
      request.mutable_specs(i)->set_spec_name("program " + std::to_string(i));
    }
    for (const std::string& target : targets) request.add_targets(target);
    return request;
  }
  grpc::Status Create(const v1::CreateBatchRequest& request, v1::Batch* batch) {
    grpc::ClientContext context;
    return batches_->CreateBatch(&context, request, batch);
  }
  v1::Batch Get(const std::string& name) {
    grpc::ClientContext context;
    v1::GetBatchRequest request;
    request.set_name(name);
    v1::Batch batch;
    EXPECT_TRUE(batches_->GetBatch(&context, request, &batch).ok());
    return batch;
  }
  int CountJobs() {
    grpc::ClientContext context;
    v1::ListJobsResponse response;
    EXPECT_TRUE(jobs_->ListJobs(&context, {}, &response).ok());
    return response.jobs_size();
  }

  TestCoordinator coordinator_;
  std::unique_ptr<v1::Batches::Stub> batches_;
  std::unique_ptr<v1::Jobs::Stub> jobs_;
};

TEST_F(BatchServiceTest, MakesAJobOfEachSpecAndTarget) {
  v1::CreateBatchRequest request = Request(2, {"host", "x86_64"});
  request.set_priority(-7);
  v1::Batch batch;
  const grpc::Status status = Create(request, &batch);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(batch.name(), "batches/1");
  ASSERT_EQ(batch.jobs_size(), 4);
  std::vector<std::string> made;
  for (const v1::Job& job : batch.jobs()) {
    made.push_back(job.spec_name() + " for " + job.target());
    EXPECT_EQ(job.priority(), -7);
    EXPECT_EQ(job.state(), v1::JOB_STATE_PENDING);
  }
  EXPECT_THAT(made, testing::ElementsAre("program 0 for host", "program 0 for x86_64",
                                         "program 1 for host", "program 1 for x86_64"));
  EXPECT_EQ(batch.open(), 4);
  coordinator_.Stop();
  coordinator_.Start();
  Connect();
  EXPECT_EQ(Get("batches/1").jobs_size(), 4);
}

TEST_F(BatchServiceTest, RequestIdsMakeRetriesSafe) {
  v1::CreateBatchRequest request = Request(2, {});
  request.set_request_id("one");
  v1::Batch first, second;
  ASSERT_TRUE(Create(request, &first).ok());
  ASSERT_TRUE(Create(request, &second).ok());
  EXPECT_EQ(first.name(), second.name());
  EXPECT_EQ(CountJobs(), 2);
  request.mutable_specs(1)->set_seed(9);
  EXPECT_EQ(Create(request, &second).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(CountJobs(), 2);
}

TEST_F(BatchServiceTest, TheReportCountsWhatBecameOfTheJobs) {
  v1::Batch batch;
  ASSERT_TRUE(Create(Request(3, {}), &batch).ok());
  {
    grpc::ClientContext context;
    v1::CancelJobRequest request;
    request.set_name(batch.jobs(1).name());
    v1::Job job;
    ASSERT_TRUE(jobs_->CancelJob(&context, request, &job).ok());
  }
  batch = Get(batch.name());
  EXPECT_EQ(batch.open(), 2);
  EXPECT_EQ(batch.failed(), 1);
  EXPECT_EQ(batch.jobs(1).state(), v1::JOB_STATE_CANCELLED);
  grpc::ClientContext context;
  v1::CancelBatchRequest request;
  request.set_name(batch.name());
  ASSERT_TRUE(batches_->CancelBatch(&context, request, &batch).ok());
  EXPECT_EQ(batch.open(), 0);
  EXPECT_EQ(batch.failed(), 3);
}

TEST_F(BatchServiceTest, RefusesBadFieldsAndMakesNothing) {
  auto field = [&](const std::function<void(v1::CreateBatchRequest&)>& spoil) {
    v1::CreateBatchRequest request = Request(2, {"host"});
    spoil(request);
    v1::Batch batch;
    return FieldOf(Create(request, &batch));
  };
  EXPECT_EQ(field([](auto& r) { r.clear_specs(); }), "specs");
  EXPECT_EQ(field([](auto& r) { r.mutable_specs(1)->set_threads(-1); }), "specs[1].threads");
  EXPECT_EQ(field([](auto& r) { r.mutable_specs(1)->set_spec("x"); }), "specs[1].spec");
  EXPECT_EQ(field([](auto& r) { r.set_targets(0, "z80"); }), "specs[0].target");
  EXPECT_EQ(field([](auto& r) { r.set_priority(101); }), "priority");
  EXPECT_EQ(field([](auto& r) { r.set_request_id(std::string(65, 'x')); }), "request_id");
  EXPECT_EQ(field([](auto& r) {
              for (int i = 0; i < 1024; ++i) r.add_targets("host");
            }),
            "specs");
  EXPECT_EQ(CountJobs(), 0);
  grpc::ClientContext context;
  v1::GetBatchRequest request;
  request.set_name("jobs/1");
  v1::Batch batch;
  EXPECT_EQ(FieldOf(batches_->GetBatch(&context, request, &batch)), "name");
}

}  // namespace quern::server
