#include "server/testing/test_coordinator.h"

#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "codegen/target.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"

namespace quern::server {

TestCoordinator::TestCoordinator()
    : state_(absl::StrCat(testing::TempDir(), "quern_coordinator_", getpid())) {
  std::filesystem::remove_all(state_);
}

TestCoordinator::~TestCoordinator() {
  Stop();
  std::filesystem::remove_all(state_);
}

void TestCoordinator::Start(CoordinatorOptions options) {
  options.listen = "127.0.0.1:0";
  options.state = state_;
  options.checker = "/bin/false";
  auto started = Coordinator::Start(options);
  ASSERT_TRUE(started.ok()) << started.status().ToString();
  coordinator_ = *std::move(started);
}

std::shared_ptr<grpc::Channel> TestCoordinator::Connect() const {
  return grpc::CreateChannel(coordinator_->address(), grpc::InsecureChannelCredentials());
}

v1::JobSpec SmallJob() {
  v1::JobSpec job;
  job.set_spec(R"(func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {
    %0 = stablehlo.add %a, %a : tensor<64xf32>
    return %0 : tensor<64xf32>
  })");
  job.set_max_candidates(2);
  return job;
}

v1::WorkerMessage HelloOf(const std::string& worker) {
  const codegen::Target* target = codegen::FindTarget("host").value();
  v1::WorkerMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_protocol(1);
  hello.set_worker_id(worker);
  hello.set_credits(1);
  hello.mutable_device()->set_target(target->name());
  hello.mutable_device()->set_cpu(target->cpu());
  hello.mutable_device()->set_features(target->features());
  hello.mutable_device()->set_fingerprint("a machine");
  hello.mutable_device()->set_max_threads(1);
  return message;
}

std::string FieldOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::BadRequest request;
  if (status.error_code() != grpc::StatusCode::INVALID_ARGUMENT ||
      !details.ParseFromString(status.error_details()) || details.details_size() != 1 ||
      !details.details(0).UnpackTo(&request) || request.field_violations_size() != 1) {
    return "";
  }
  return request.field_violations(0).field();
}

}  // namespace quern::server
