// A coordinator of a test's own, in a folder of its own.
#ifndef QUERN_SERVER_TESTING_TEST_COORDINATOR_H_
#define QUERN_SERVER_TESTING_TEST_COORDINATOR_H_

#include <memory>
#include <string>

#include "grpcpp/grpcpp.h"
#include "quern/v1/jobs.pb.h"
#include "quern/v1/workers.pb.h"
#include "server/coordinator.h"

namespace quern::server {

class TestCoordinator {
 public:
  TestCoordinator();
  ~TestCoordinator();

  // With another port, folder and checker than `options` say.
  void Start(CoordinatorOptions options = {});
  void Stop() { coordinator_.reset(); }

  const std::string& state() const { return state_; }
  Coordinator& coordinator() { return *coordinator_; }
  std::shared_ptr<grpc::Channel> Connect() const;

 private:
  const std::string state_;
  std::unique_ptr<Coordinator> coordinator_;
};

// A job of 64 additions and few candidates.
v1::JobSpec SmallJob();

// What a worker of this machine says first.
v1::WorkerMessage HelloOf(const std::string& worker);

// The field that kInvalidArgument names; empty for any other status.
std::string FieldOf(const grpc::Status& status);

}  // namespace quern::server

#endif  // QUERN_SERVER_TESTING_TEST_COORDINATOR_H_
