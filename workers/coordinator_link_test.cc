#include "workers/coordinator_link.h"

#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "quern/v1/workers.grpc.pb.h"

namespace quern::workers {

using Stream = grpc::ServerReaderWriter<v1::CoordinatorMessage, v1::WorkerMessage>;
// One connection of a coordinator that follows a script; after the last part it refuses for good.
using Part = std::function<grpc::Status(Stream&)>;

class Script : public v1::WorkerStream::Service {
 public:
  explicit Script(std::vector<Part> parts) : parts_(std::move(parts)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  grpc::Status Connect(grpc::ServerContext* context, Stream* stream) override {
    v1::WorkerMessage message;
    if (!stream->Read(&message)) return grpc::Status::OK;
    EXPECT_EQ(message.hello().protocol(), 1);
    EXPECT_EQ(message.hello().worker_id(), "w");
    EXPECT_EQ(message.hello().credits(), 2);
    if (next_ == parts_.size()) {
      return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "the script is over");
    }
    return parts_[next_++](*stream);
  }

  // Runs a worker whose result says what it was asked, until it ends.
  absl::Status Serve(const CoordinatorLink::Work& work) {
    CoordinatorLink link({.coordinator = address_, .worker_id = "w"}, work,
                         [](const std::string&) {});
    return link.Run();
  }
  size_t played() const { return next_; }
  const std::string& address() const { return address_; }

 private:
  const std::vector<Part> parts_;
  std::atomic<size_t> next_{0};
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

static void Welcome(Stream& stream, double lease_seconds = 60) {
  v1::CoordinatorMessage message;
  message.mutable_welcome()->set_lease_seconds(lease_seconds);
  stream.Write(message);
}
static void Send(Stream& stream, int64_t task, int64_t attempt) {
  v1::CoordinatorMessage message;
  message.mutable_task()->mutable_lease()->set_task(task);
  message.mutable_task()->mutable_lease()->set_attempt(attempt);
  message.mutable_task()->mutable_measure()->set_seed(static_cast<uint64_t>(task));
  stream.Write(message);
}
static void Acknowledge(Stream& stream, const v1::Lease& lease) {
  v1::CoordinatorMessage message;
  *message.mutable_acknowledgement()->mutable_lease() = lease;
  stream.Write(message);
}
// The next result; renewals before it are passed over.
static v1::TaskResult NextResult(Stream& stream) {
  v1::WorkerMessage message;
  while (stream.Read(&message)) {
    if (message.has_result()) return message.result();
  }
  ADD_FAILURE() << "the worker is gone";
  return {};
}

static v1::MeasureResult Echo(const v1::MeasureTask& task) {
  v1::MeasureResult result;
  result.set_device_error(absl::StrCat("seed ", task.seed()));
  return result;
}

TEST(CoordinatorLink, KeepsAResultUntilItIsAcknowledged) {
  auto receive = [](Stream& stream, bool acknowledge) {
    const v1::TaskResult result = NextResult(stream);
    EXPECT_EQ(result.lease().task(), 7);
    EXPECT_EQ(result.lease().attempt(), 3);
    EXPECT_EQ(result.measure().device_error(), "seed 7");
    if (acknowledge) Acknowledge(stream, result.lease());
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "a break");
  };
  int done = 0;
  Script script({[&](Stream& stream) {
                   Welcome(stream);
                   Send(stream, 7, 3);
                   return receive(stream, false);
                 },
                 [&](Stream& stream) {
                   Welcome(stream);
                   return receive(stream, false);
                 },
                 [&](Stream& stream) {
                   Welcome(stream);
                   return receive(stream, true);
                 },
                 [&](Stream& stream) {
                   Welcome(stream);
                   Send(stream, 8, 1);
                   const v1::TaskResult result = NextResult(stream);
                   EXPECT_EQ(result.lease().task(), 8) << "task 7 was acknowledged";
                   Acknowledge(stream, result.lease());
                   return grpc::Status(grpc::StatusCode::UNAVAILABLE, "a break");
                 }});
  const absl::Status status = script.Serve([&](const v1::MeasureTask& task) {
    ++done;
    return Echo(task);
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status.ToString();
  EXPECT_EQ(script.played(), 4);
  EXPECT_EQ(done, 2) << "work is done once, however often its result is sent";
}

TEST(CoordinatorLink, RenewsWhatItWorksAtAlsoAfterABreak) {
  std::atomic<bool> finish{false};
  auto expect_renewal = [](Stream& stream) {
    v1::WorkerMessage message;
    while (stream.Read(&message) && !message.has_renewal()) {
    }
    ASSERT_EQ(message.renewal().leases_size(), 1);
    EXPECT_EQ(message.renewal().leases(0).task(), 5);
    EXPECT_EQ(message.renewal().leases(0).attempt(), 2);
  };
  Script script({[&](Stream& stream) {
                   Welcome(stream, 0.4);
                   Send(stream, 5, 2);
                   for (int i = 0; i < 3; ++i) expect_renewal(stream);
                   return grpc::Status(grpc::StatusCode::UNAVAILABLE, "a break");
                 },
                 [&](Stream& stream) {
                   Welcome(stream, 0.4);
                   expect_renewal(stream);
                   finish = true;
                   Acknowledge(stream, NextResult(stream).lease());
                   return grpc::Status(grpc::StatusCode::UNAVAILABLE, "a break");
                 }});
  script
      .Serve([&](const v1::MeasureTask& task) {
        while (!finish) usleep(10000);
        return Echo(task);
      })
      .IgnoreError();
  EXPECT_EQ(script.played(), 2);
}

TEST(CoordinatorLink, EndsWhenDrainedAndDone) {
  Script script({[&](Stream& stream) {
    Welcome(stream);
    Send(stream, 1, 1);
    Send(stream, 2, 1);
    v1::CoordinatorMessage drain;
    drain.mutable_drain();
    stream.Write(drain);
    for (const int64_t task : {1, 2}) {
      const v1::TaskResult result = NextResult(stream);
      EXPECT_EQ(result.lease().task(), task);
      Acknowledge(stream, result.lease());
    }
    v1::WorkerMessage message;
    EXPECT_FALSE(stream.Read(&message) && message.has_result());
    return grpc::Status::OK;
  }});
  EXPECT_TRUE(script.Serve(Echo).ok());
}

TEST(CoordinatorLink, WaitsForACoordinatorAndIsStopped) {
  std::atomic<int> said{0};
  CoordinatorLink link({.coordinator = "127.0.0.1:1", .worker_id = "w"}, Echo,
                       [&](const std::string& line) {
                         EXPECT_THAT(line, testing::HasSubstr("no connection to 127.0.0.1:1"));
                         ++said;
                       });
  std::thread stop([&] {
    usleep(700000);
    link.Stop();
  });
  EXPECT_TRUE(link.Run().ok());
  stop.join();
  EXPECT_EQ(said, 1) << "once for each time that the coordinator goes away";
}

}  // namespace quern::workers
