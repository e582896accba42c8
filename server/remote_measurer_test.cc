#include "server/remote_measurer.h"

#include <unistd.h>

#include <filesystem>
#include <thread>

#include "bundle/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/clock.h"
#include "server/sqlite_task_store.h"

namespace quern::server {

static constexpr char kProgram[] = R"(
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  })";

class RemoteMeasurerTest : public testing::Test {
 protected:
  RemoteMeasurerTest() : path_(testing::TempDir() + "quern_measurer_" + std::to_string(getpid())) {
    std::filesystem::remove(path_);
    store_ = SqliteTaskStore::Open(path_).value();
    board_ = std::make_unique<TaskBoard>(*store_);
    job_ = store_->CreateJob({.spec = "spec"}, 1)->id;
    EXPECT_TRUE(store_->MoveJob(job_, {JobState::kPending}, JobState::kRunning, "", "", 2).ok());
    spec_.set_spec(kProgram);
    spec_.set_seed(7);
    naive_.binary = "naive code";
    other_.binary = "other code";
    NewSession();
  }
  ~RemoteMeasurerTest() override { std::filesystem::remove(path_); }

  void NewSession() {
    plan_ = std::make_unique<JobPlan>(PlanJob(spec_).value());
    measurer_ =
        std::make_unique<RemoteMeasurer>(*board_, job_, "a machine", *plan_, abandoned_, [] {});
  }
  // Runs `ask` while a worker gives `answers`, and keeps what was asked.
  template <typename Ask>
  auto With(const std::vector<v1::MeasureResult>& answers, Ask ask) {
    std::thread worker([&] {
      for (const v1::MeasureResult& answer : answers) {
        std::vector<ClaimedTask> tasks;
        while ((tasks = board_->Claim("w", "a machine", 1).value()).empty()) usleep(1000);
        EXPECT_TRUE(asked_.emplace_back().ParseFromString(tasks[0].payload));
        board_->Complete(tasks[0].id, tasks[0].attempt, answer.SerializeAsString()).value();
      }
    });
    auto result = ask();
    worker.join();
    return result;
  }
  static v1::MeasureResult Answer(v1::RaceOutcome outcome, const Artifact& about,
                                  const std::string& machine = "a machine") {
    v1::MeasureResult answer;
    answer.add_races()->set_outcome(outcome);
    answer.mutable_races(0)->set_measurement(ToJson(Measurement{
        .machine = machine, .binary_sha256 = Sha256(about.binary), .warm_ns = {5, 6, 7}}));
    return answer;
  }
  absl::Status ScreenedWith(const v1::MeasureResult& answer) {
    return With({answer}, [&] { return measurer_->Screen(naive_, 100).status(); });
  }

  const std::string path_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<TaskBoard> board_;
  std::atomic<bool> abandoned_{false};
  int64_t job_ = 0;
  v1::JobSpec spec_;
  std::unique_ptr<JobPlan> plan_;
  std::unique_ptr<RemoteMeasurer> measurer_;
  Artifact naive_, other_;
  std::vector<v1::MeasureTask> asked_;
};

TEST_F(RemoteMeasurerTest, AsksWithTheNaiveProgramAsTheReference) {
  const auto race =
      With({Answer(v1::RACE_OUTCOME_SAME, naive_)}, [&] { return measurer_->Screen(naive_, 100); });
  ASSERT_TRUE(race.ok()) << race.status().ToString();
  EXPECT_EQ(race->outcome, search::Race::Outcome::kSame);
  EXPECT_EQ(race->candidate.warm_ns, (std::vector<double>{5, 6, 7}));
  const auto compared = With({Answer(v1::RACE_OUTCOME_FASTER, other_)},
                             [&] { return measurer_->Compare(naive_, other_); });
  ASSERT_TRUE(compared.ok()) << compared.status().ToString();
  EXPECT_EQ(compared->outcome, search::Race::Outcome::kFaster);
  ASSERT_EQ(asked_.size(), 2);
  EXPECT_EQ(asked_[0].screen().give_up_above_ns(), 100);
  EXPECT_EQ(asked_[0].candidates_size(), 1);
  EXPECT_EQ(asked_[0].seed(), 7);
  EXPECT_EQ(asked_[0].threads(), 1);
  EXPECT_EQ(asked_[0].flops(), 4);
  EXPECT_EQ(asked_[0].ranges_size(), 0);
  EXPECT_TRUE(asked_[1].has_compare());
  ASSERT_EQ(asked_[1].candidates_size(), 2);
  EXPECT_EQ(asked_[1].candidates(0).binary(), "naive code");
  EXPECT_EQ(asked_[1].candidates(1).binary(), "other code");
  EXPECT_EQ(asked_[1].reference().binary(), "naive code");
}

TEST_F(RemoteMeasurerTest, RanksAllAtOnce) {
  v1::MeasureResult answer = Answer(v1::RACE_OUTCOME_SAME, naive_);
  *answer.add_races() = Answer(v1::RACE_OUTCOME_SLOWER, other_).races(0);
  const auto races = With({answer}, [&] { return measurer_->Rank({&naive_, &other_}); });
  ASSERT_TRUE(races.ok()) << races.status().ToString();
  ASSERT_EQ(races->size(), 2);
  EXPECT_EQ((*races)[0].outcome, search::Race::Outcome::kSame);
  EXPECT_EQ((*races)[1].outcome, search::Race::Outcome::kSlower);
  EXPECT_TRUE(absl::IsUnavailable(With({Answer(v1::RACE_OUTCOME_SAME, naive_)}, [&] {
    return measurer_->Rank({&naive_, &other_}).status();
  })));
}

TEST_F(RemoteMeasurerTest, InputsKeepToTheAssumptions) {
  spec_.add_assumptions("arg0>=0");
  spec_.add_assumptions("arg1>=3");
  NewSession();
  ASSERT_TRUE(ScreenedWith(Answer(v1::RACE_OUTCOME_SAME, naive_)).ok());
  ASSERT_EQ(asked_[0].ranges_size(), 2);
  EXPECT_EQ(asked_[0].ranges(0).low(), 0);
  EXPECT_EQ(asked_[0].ranges(0).high(), 1);
  EXPECT_EQ(asked_[0].ranges(1).low(), 3);
  EXPECT_GE(asked_[0].ranges(1).high(), 3);
}

TEST_F(RemoteMeasurerTest, ASessionThatIsRunAgainGetsTheFirstAnswers) {
  auto screen_twice = [&] {
    std::vector<double> times;
    for (int i = 0; i < 2; ++i) {
      times.push_back(measurer_->Screen(naive_, 100)->candidate.warm_ns[0]);
    }
    return times;
  };
  v1::MeasureResult second = Answer(v1::RACE_OUTCOME_SAME, naive_);
  second.mutable_races(0)->set_measurement(ToJson(
      Measurement{.machine = "a machine", .binary_sha256 = Sha256("naive code"), .warm_ns = {9}}));
  EXPECT_THAT(With({Answer(v1::RACE_OUTCOME_SAME, naive_), second}, screen_twice),
              testing::ElementsAre(5, 9));
  NewSession();
  EXPECT_THAT(With({}, screen_twice), testing::ElementsAre(5, 9));
}

TEST_F(RemoteMeasurerTest, RefusesAnswersThatCannotBe) {
  EXPECT_TRUE(absl::IsUnavailable(ScreenedWith({})));
  EXPECT_TRUE(absl::IsUnavailable(ScreenedWith(Answer(v1::RACE_OUTCOME_UNSPECIFIED, naive_))));
  EXPECT_TRUE(absl::IsUnavailable(ScreenedWith(Answer(v1::RACE_OUTCOME_FASTER, other_))));
  EXPECT_TRUE(
      absl::IsUnavailable(ScreenedWith(Answer(v1::RACE_OUTCOME_FASTER, naive_, "another"))));
  v1::MeasureResult untimed;
  untimed.add_races()->set_outcome(v1::RACE_OUTCOME_FASTER);
  EXPECT_FALSE(ScreenedWith(untimed).ok());
  v1::MeasureResult broken;
  broken.set_device_error("the device is on fire");
  const absl::Status status = ScreenedWith(broken);
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("on fire"));
}

TEST_F(RemoteMeasurerTest, FailuresNeedNoTimesAndPoisonIsAFailure) {
  v1::MeasureResult crashed;
  crashed.add_races()->set_outcome(v1::RACE_OUTCOME_FAILED);
  crashed.mutable_races(0)->set_failure("crashed");
  const auto race = With({crashed}, [&] { return measurer_->Screen(naive_, 100); });
  ASSERT_TRUE(race.ok());
  EXPECT_EQ(race->outcome, search::Race::Outcome::kFailed);
  EXPECT_EQ(race->failure, "crashed");

  std::thread vanishing([&] {
    for (int i = 0; i < TaskBoard::kMaxAttempts; ++i) {
      while (store_->Claim("w", "a machine", 1, 1, 1)->empty()) usleep(1000);
      EXPECT_TRUE(board_->Expire().ok());
    }
  });
  const auto poisoned = measurer_->Screen(other_, 100);
  vanishing.join();
  ASSERT_TRUE(poisoned.ok()) << poisoned.status().ToString();
  EXPECT_TRUE(poisoned->failed());
  EXPECT_THAT(poisoned->failure, testing::HasSubstr("vanished"));
}

TEST_F(RemoteMeasurerTest, AnAbandonedSessionEnds) {
  abandoned_ = true;
  EXPECT_TRUE(absl::IsCancelled(measurer_->Screen(naive_, 100).status()));
}

}  // namespace quern::server
