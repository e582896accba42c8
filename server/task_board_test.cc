#include "server/task_board.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/clock.h"
#include "server/sqlite_task_store.h"

namespace quern::server {

class TaskBoardTest : public testing::Test {
 protected:
  TaskBoardTest() : path_(testing::TempDir() + "quern_board_" + std::to_string(getpid())) {
    std::filesystem::remove(path_);
    store_ = SqliteTaskStore::Open(path_).value();
    board_ = std::make_unique<TaskBoard>(*store_);
    job_ = store_->CreateJob({.spec = "spec"}, 1)->id;
    EXPECT_TRUE(store_->MoveJob(job_, {JobState::kPending}, JobState::kRunning, "", "", 2).ok());
  }
  ~TaskBoardTest() override { std::filesystem::remove(path_); }

  NewTask Task(const std::string& key) const {
    return {.job = job_, .key = key, .device = "d", .payload = "payload"};
  }
  absl::StatusOr<std::string> Await(const std::string& key) {
    return board_->Await(Task(key), abandoned_, [this] { ++glances_; });
  }
  // The next task, when it is there.
  ClaimedTask Claimed() {
    while (true) {
      const int64_t strokes = board_->queued().strokes();
      const std::vector<ClaimedTask> tasks = board_->Claim("w", "d", 1).value();
      if (!tasks.empty()) return tasks.front();
      board_->queued().Wait(strokes, std::chrono::milliseconds(100));
    }
  }

  const std::string path_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<TaskBoard> board_;
  std::atomic<bool> abandoned_{false};
  std::atomic<int> glances_{0};
  int64_t job_ = 0;
};

TEST_F(TaskBoardTest, WaitsForTheResultAndRemembersIt) {
  absl::StatusOr<std::string> answer;
  std::thread session([&] { answer = Await("a"); });
  const ClaimedTask task = Claimed();
  EXPECT_EQ(task.payload, "payload");
  EXPECT_FALSE(board_->Complete(task.id, task.attempt + 1, "of the future").value());
  EXPECT_TRUE(board_->Complete(task.id, task.attempt, "42").value());
  EXPECT_FALSE(board_->Complete(task.id, task.attempt, "43").value());
  session.join();
  EXPECT_EQ(answer.value(), "42");
  EXPECT_EQ(Await("a").value(), "42");
  EXPECT_THAT(board_->Claim("w", "d", 1).value(), testing::IsEmpty());
}

TEST_F(TaskBoardTest, WaitingEndsWhenTheJobIsAbandoned) {
  absl::StatusOr<std::string> answer;
  std::thread session([&] { answer = Await("a"); });
  while (glances_ == 0) usleep(1000);
  abandoned_ = true;
  const auto rung = std::chrono::steady_clock::now();
  board_->settled().Ring();
  session.join();
  EXPECT_LT(std::chrono::steady_clock::now() - rung, std::chrono::milliseconds(400));
  EXPECT_TRUE(absl::IsCancelled(answer.status())) << answer.status().ToString();
  // Nothing is queued for a job that is abandoned already.
  EXPECT_TRUE(absl::IsCancelled(Await("b").status()));
  EXPECT_EQ(board_->Claim("w", "d", 9)->size(), 1);
}

TEST_F(TaskBoardTest, ATaskOverWhichWorkersVanishIsGivenUp) {
  absl::StatusOr<std::string> answer;
  std::thread session([&] { answer = Await("a"); });
  ClaimedTask task;
  for (int64_t attempt = 1; attempt <= TaskBoard::kMaxAttempts; ++attempt) {
    // Claimed so long ago that its lease is over.
    do {
      const auto claimed =
          store_->Claim("w", "d", 1, NowUs() - TaskBoard::kLeaseUs - 1, TaskBoard::kLeaseUs);
      task = claimed->empty() ? ClaimedTask() : claimed->front();
    } while (task.id == 0);
    EXPECT_EQ(task.attempt, attempt);
    EXPECT_FALSE(board_->Renew(task.id, task.attempt).value());
    ASSERT_TRUE(board_->Expire().ok());
  }
  session.join();
  EXPECT_TRUE(absl::IsAborted(answer.status()));
  EXPECT_THAT(std::string(answer.status().message()), testing::HasSubstr("3 workers vanished"));
  EXPECT_FALSE(board_->Complete(task.id, task.attempt, "late").value());
}

TEST_F(TaskBoardTest, WhatIsGivenBackIsClaimedAgain) {
  std::thread session([&] { Await("a").status().IgnoreError(); });
  const ClaimedTask first = Claimed();
  ASSERT_TRUE(board_->Release(first.id, first.attempt).ok());
  const ClaimedTask second = Claimed();
  EXPECT_EQ(second.id, first.id);
  EXPECT_GT(second.attempt, first.attempt);
  EXPECT_FALSE(board_->Complete(first.id, first.attempt, "stale").value());
  EXPECT_TRUE(board_->Complete(second.id, second.attempt, "").value());
  session.join();
}

}  // namespace quern::server
