#include "workers/measuring_device.h"

#include <limits>

#include "bundle/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workers/testing/candidates.h"

namespace quern::workers {

constexpr int64_t kElements = 1000;
constexpr const char* kDouble = "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];";

class MeasuringDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HaveCompiler()) GTEST_SKIP() << "no C compiler";
    device_ = MeasuringDevice::Open("cpu").value();
    task_.set_threads(1);
    task_.set_longest_sum(1);
    *task_.mutable_reference() = Candidate(kDouble);
    task_.mutable_screen()->set_give_up_above_ns(std::numeric_limits<double>::infinity());
  }
  static v1::Candidate Candidate(const std::string& body) {
    const Artifact artifact = CompileCandidate(Unary(kElements), body);
    v1::Candidate candidate;
    candidate.set_launch_plan(ToJson(artifact.plan));
    candidate.set_binary(artifact.binary);
    return candidate;
  }
  // Slower than kDouble, and as right.
  static v1::Candidate Slow() {
    return Candidate(std::string("for (int k = 0; k < 20; ++k) {") + kDouble +
                     "asm volatile(\"\" ::: \"memory\"); }");
  }
  static v1::Candidate Wrong() { return Candidate("for (int64_t i = 0; i < n; ++i) y[i] = x[i];"); }

  std::unique_ptr<MeasuringDevice> device_;
  v1::MeasureTask task_;
};

TEST_F(MeasuringDeviceTest, SaysWhatItIs) {
  EXPECT_EQ(device_->device().target(), "x86_64");
  EXPECT_FALSE(device_->device().fingerprint().empty());
  EXPECT_GE(device_->device().max_threads(), 1);
  EXPECT_TRUE(absl::IsInvalidArgument(MeasuringDevice::Open("toaster").status()));
}

TEST_F(MeasuringDeviceTest, ScreensAgainstTheReference) {
  *task_.add_candidates() = Slow();
  const v1::MeasureResult right = device_->Do(task_);
  ASSERT_EQ(right.races_size(), 1) << right.device_error();
  const Measurement measurement = ParseMeasurement(right.races(0).measurement()).value();
  EXPECT_FALSE(measurement.warm_ns.empty());
  EXPECT_EQ(measurement.binary_sha256, Sha256(task_.candidates(0).binary()));
  *task_.mutable_candidates(0) = Wrong();
  const v1::MeasureResult wrong = device_->Do(task_);
  ASSERT_EQ(wrong.races_size(), 1) << wrong.device_error();
  EXPECT_EQ(wrong.races(0).outcome(), v1::RACE_OUTCOME_FAILED);
  EXPECT_THAT(wrong.races(0).failure(), testing::HasSubstr("wrong output"));
}

TEST_F(MeasuringDeviceTest, ComparesAndRanks) {
  task_.mutable_compare();
  *task_.add_candidates() = Slow();
  *task_.add_candidates() = Candidate(kDouble);
  const v1::MeasureResult race = device_->Do(task_);
  ASSERT_EQ(race.races_size(), 1) << race.device_error();
  EXPECT_EQ(race.races(0).outcome(), v1::RACE_OUTCOME_FASTER) << race.races(0).failure();
  task_.mutable_rank();
  *task_.add_candidates() = Wrong();
  const v1::MeasureResult rank = device_->Do(task_);
  ASSERT_EQ(rank.races_size(), 3) << rank.device_error();
  EXPECT_EQ(rank.races(0).outcome(), v1::RACE_OUTCOME_SAME);
  EXPECT_EQ(rank.races(1).outcome(), v1::RACE_OUTCOME_FASTER) << rank.races(1).failure();
  EXPECT_EQ(rank.races(2).outcome(), v1::RACE_OUTCOME_FAILED);
}

TEST_F(MeasuringDeviceTest, AFailingReferenceIsTheCandidatesFailure) {
  *task_.mutable_reference() = Candidate("__builtin_trap();");
  *task_.add_candidates() = Candidate(kDouble);
  const v1::MeasureResult result = device_->Do(task_);
  ASSERT_EQ(result.races_size(), 1) << result.device_error();
  EXPECT_EQ(result.races(0).outcome(), v1::RACE_OUTCOME_FAILED);
  EXPECT_THAT(result.races(0).failure(), testing::HasSubstr("crashed"));
}

TEST_F(MeasuringDeviceTest, ATaskThatMakesNoSenseIsNotDone) {
  auto error = [&](auto spoil) {
    v1::MeasureTask task = task_;
    *task.add_candidates() = Candidate(kDouble);
    spoil(task);
    const v1::MeasureResult result = device_->Do(task);
    EXPECT_EQ(result.races_size(), 0);
    return result.device_error();
  };
  EXPECT_EQ(error([](auto& task) { task.clear_kind(); }), "a task of an unknown kind");
  EXPECT_EQ(error([](auto& task) { task.mutable_compare(); }), "1 candidates");
  EXPECT_EQ(error([](auto& task) { task.clear_candidates(); }), "0 candidates");
  EXPECT_THAT(error([](auto& task) { task.mutable_reference()->set_launch_plan("{"); }),
              testing::HasSubstr("launch plan"));
  EXPECT_THAT(error([](auto& task) { task.set_threads(0); }), testing::HasSubstr("0 threads"));
  EXPECT_EQ(error([](auto& task) {
              task.add_ranges();
              task.add_ranges();
            }),
            "not one range for each argument");
}

}  // namespace quern::workers
