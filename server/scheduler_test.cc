#include "server/scheduler.h"

#include <unistd.h>

#include <filesystem>
#include <thread>

#include "cache/sqlite_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/sqlite_task_store.h"

namespace quern::server {

// A worker is registered, but answers only as the test says: sessions wait for their first time.
class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() : state_(testing::TempDir() + "quern_scheduler_" + std::to_string(getpid())) {
    std::filesystem::remove_all(state_);
    std::filesystem::create_directories(state_ + "/bundles");
    store_ = SqliteTaskStore::Open(state_ + "/tasks.sqlite").value();
    cache_ = cache::SqliteStore::Open(state_ + "/cache").value();
    v1::Hello hello;
    hello.set_worker_id("w");
    hello.mutable_device()->set_target("x86_64");
    hello.mutable_device()->set_fingerprint("a machine");
    hello.mutable_device()->set_max_threads(1);
    workers_.Join(hello);
    Make();
  }
  ~SchedulerTest() override {
    scheduler_.reset();
    std::filesystem::remove_all(state_);
  }

  void Make() {
    board_ = std::make_unique<TaskBoard>(*store_);
    runner_ = std::make_unique<JobRunner>(
        JobRunner::Parts{.store = *store_,
                         .board = *board_,
                         .workers = workers_,
                         .cache = *cache_,
                         .events = events_,
                         .state = state_,
                         .checker = {.program = "/bin/false", .folder = state_}});
    scheduler_ =
        std::make_unique<Scheduler>(*store_, *board_, workers_, *runner_, events_, /*days=*/30);
  }
  static v1::JobSpec Spec(int elements) {
    const std::string type = "tensor<" + std::to_string(elements) + "xf32>";
    v1::JobSpec spec;
    spec.set_spec("func.func @main(%a: " + type + ") -> " + type + " {\n  %0 = stablehlo.add %a, " +
                  "%a : " + type + "\n  return %0 : " + type + "\n}");
    spec.set_max_candidates(1);
    return spec;
  }
  int64_t Create(const v1::JobSpec& spec, int priority = 0) {
    return scheduler_
        ->Create({.spec = spec.SerializeAsString(),
                  .spec_sha256 = PlanJob(spec)->spec.sha256,
                  .priority = priority})
        ->id;
  }
  JobState StateOf(int64_t job) { return store_->GetJob(job)->state; }
  bool Reaches(int64_t job, JobState state) {
    for (int i = 0; i < 1000 && StateOf(job) != state; ++i) usleep(10000);
    return StateOf(job) == state;
  }
  // The next task that a session asks for.
  ClaimedTask Claimed() {
    std::vector<ClaimedTask> tasks;
    for (int i = 0; i < 1000 && tasks.empty(); ++i) {
      tasks = board_->Claim("w", "a machine", 1).value();
      if (tasks.empty()) usleep(10000);
    }
    EXPECT_FALSE(tasks.empty());
    return tasks.empty() ? ClaimedTask() : tasks.front();
  }
  // Ends the task's job: its naive program crashes.
  void Fail(const ClaimedTask& task) {
    v1::MeasureResult answer;
    answer.add_races()->set_outcome(v1::RACE_OUTCOME_FAILED);
    answer.mutable_races(0)->set_failure("crashed");
    EXPECT_TRUE(board_->Complete(task.id, task.attempt, answer.SerializeAsString()).value());
  }

  const std::string state_;
  Bell events_;
  WorkerRegistry workers_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<cache::KernelStore> cache_;
  std::unique_ptr<TaskBoard> board_;
  std::unique_ptr<JobRunner> runner_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(SchedulerTest, RunsByPriorityThenAge) {
  const int64_t low = Create(Spec(8), -1), old = Create(Spec(16)), young = Create(Spec(32)),
                high = Create(Spec(64), 1);
  ASSERT_TRUE(scheduler_->Start(1).ok());
  for (const int64_t job : {high, old, young, low}) {
    const ClaimedTask task = Claimed();
    EXPECT_EQ(task.job, job);
    EXPECT_EQ(StateOf(job), JobState::kRunning);
    Fail(task);
    EXPECT_TRUE(Reaches(job, JobState::kFailed));
  }
}

TEST_F(SchedulerTest, AnEqualJobWaitsAndAnotherDoesNot) {
  const int64_t first = Create(Spec(8)), equal = Create(Spec(8)), other = Create(Spec(16));
  v1::JobSpec fresh = Spec(8);
  fresh.set_no_cache(true);
  const int64_t alone = Create(fresh);
  ASSERT_TRUE(scheduler_->Start(4).ok());
  std::vector<int64_t> running;
  ClaimedTask of_first;
  for (int i = 0; i < 3; ++i) {
    const ClaimedTask task = Claimed();
    running.push_back(task.job);
    if (task.job == first) of_first = task;
  }
  EXPECT_THAT(running, testing::UnorderedElementsAre(first, other, alone));
  EXPECT_EQ(StateOf(equal), JobState::kPending);
  Fail(of_first);
  EXPECT_TRUE(Reaches(equal, JobState::kRunning));
}

TEST_F(SchedulerTest, AJobWaitsForADeviceThatFits) {
  v1::JobSpec wide = Spec(8);
  wide.set_threads(2);
  const int64_t waits = Create(wide), runs = Create(Spec(16));
  ASSERT_TRUE(scheduler_->Start(1).ok());
  EXPECT_EQ(Claimed().job, runs);
  EXPECT_EQ(StateOf(waits), JobState::kPending);
}

TEST_F(SchedulerTest, WhatRanIsTakenUpAtTheNextStart) {
  const int64_t job = Create(Spec(8));
  ASSERT_TRUE(scheduler_->Start(1).ok());
  const ClaimedTask task = Claimed();
  scheduler_->Drain();
  EXPECT_EQ(StateOf(job), JobState::kRunning);
  Make();
  ASSERT_TRUE(scheduler_->Start(1).ok());
  Fail(task);  // the lease is as good as before
  EXPECT_TRUE(Reaches(job, JobState::kFailed));
}

TEST_F(SchedulerTest, ACancelledJobStaysAndLeavesNoTask) {
  const int64_t job = Create(Spec(8));
  ASSERT_TRUE(scheduler_->Start(1).ok());
  const ClaimedTask task = Claimed();
  EXPECT_EQ(scheduler_->Cancel(job)->state, JobState::kCancelled);
  EXPECT_FALSE(board_->Complete(task.id, task.attempt, "").value());
  EXPECT_EQ(scheduler_->Cancel(job)->state, JobState::kCancelled);
  EXPECT_TRUE(absl::IsFailedPrecondition(scheduler_->Resume(job).status()));
  EXPECT_TRUE(absl::IsNotFound(scheduler_->Cancel(99).status()));
}

// A turn that a resume began is not stopped by a pause from before: it would stay for ever.
TEST_F(SchedulerTest, PauseAndResumeAtTheSameTimeLoseNoJob) {
  const int64_t job = Create(Spec(8));
  ASSERT_TRUE(scheduler_->Start(2).ok());
  std::vector<std::thread> operators;
  for (int i = 0; i < 3; ++i) {
    operators.emplace_back([&, i] {
      for (int round = 0; round < 300; ++round) {
        (i == 0 ? scheduler_->Resume(job) : scheduler_->Pause(job)).status().IgnoreError();
      }
    });
  }
  for (std::thread& thread : operators) thread.join();
  scheduler_->Resume(job).status().IgnoreError();
  Fail(Claimed());
  EXPECT_TRUE(Reaches(job, JobState::kFailed));
}

}  // namespace quern::server
