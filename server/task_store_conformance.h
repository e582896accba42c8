// What every TaskStore has to do, as tests: a store's own test includes this once and instantiates
// TaskStoreConformance with its factory.
#ifndef QUERN_SERVER_TASK_STORE_CONFORMANCE_H_
#define QUERN_SERVER_TASK_STORE_CONFORMANCE_H_

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/task_store.h"

namespace quern::server {

struct TaskStoreFactory {
  std::string name;
  // Opens or makes the store of a directory, which exists.
  std::function<absl::StatusOr<std::unique_ptr<TaskStore>>(const std::string& directory)> open;
};

class TaskStoreConformance : public testing::TestWithParam<TaskStoreFactory> {
 protected:
  TaskStoreConformance()
      : directory_(testing::TempDir() + "quern_tasks_" + std::to_string(getpid())) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~TaskStoreConformance() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<TaskStore> Open() {
    auto store = GetParam().open(directory_);
    EXPECT_TRUE(store.ok()) << store.status().ToString();
    return std::move(store).value();
  }

  // A running job.
  static int64_t Running(TaskStore& store, int priority = 0) {
    const int64_t id = store.CreateJob({.spec = "spec", .priority = priority}, 1)->id;
    EXPECT_TRUE(store.MoveJob(id, {JobState::kPending}, JobState::kRunning, "", "", 2).ok());
    return id;
  }
  static NewTask TaskOf(int64_t job, const std::string& key) {
    return {.job = job, .key = key, .device = "d", .payload = "payload of " + key};
  }

  const std::string directory_;
};

TEST_P(TaskStoreConformance, ABatchIsMadeWholeAndOnce) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t alone = store->CreateJob({.spec = "alone"}, 1)->id;
  const NewBatch request{.request_id = "r",
                         .jobs = {{.spec = "a", .target = "host"}, {.spec = "b", .priority = 4}}};
  const BatchRecord batch = store->CreateBatch(request, 17).value();
  EXPECT_EQ(batch.created_us, 17);
  store = Open();
  EXPECT_EQ(store->CreateBatch(request, 18)->id, batch.id);
  EXPECT_EQ(store->GetBatch(batch.id)->created_us, 17);
  EXPECT_TRUE(absl::IsNotFound(store->GetBatch(batch.id + 1).status()));
  NewBatch other = request;
  other.jobs[1].priority = 5;
  EXPECT_TRUE(absl::IsAlreadyExists(store->CreateBatch(other, 18).status()));
  other.request_id = "s";
  EXPECT_NE(store->CreateBatch(other, 19)->id, batch.id);
  const std::vector<JobRecord> jobs = store->ListJobs({.batch = batch.id}).value();
  ASSERT_EQ(jobs.size(), 2);
  EXPECT_EQ(jobs[1].job.target, "host");
  EXPECT_EQ(jobs[0].job.priority, 4);
  EXPECT_GT(jobs[1].id, alone);
  // It goes with its last job.
  for (const JobRecord& job : jobs) {
    EXPECT_TRUE(store->GetBatch(batch.id).ok());
    ASSERT_TRUE(
        store->MoveJob(job.id, {JobState::kPending}, JobState::kCancelled, "", "", 20).ok());
    EXPECT_EQ(*store->Retain(21), 1);
  }
  EXPECT_TRUE(absl::IsNotFound(store->GetBatch(batch.id).status()));
  EXPECT_TRUE(store->CreateBatch(request, 22).ok());
}

TEST_P(TaskStoreConformance, JobsSurviveAndKeepTheirBytes) {
  std::unique_ptr<TaskStore> store = Open();
  const NewJob job{.request_id = "r",
                   .spec = std::string("\0\xff spec", 7),
                   .spec_name = "a.mlir",
                   .spec_sha256 = "ab",
                   .priority = -3};
  const int64_t id = store->CreateJob(job, 17)->id;
  const std::string result("\0result\xfe", 8);
  ASSERT_TRUE(store->MoveJob(id, {JobState::kPending}, JobState::kRunning, "", "m", 18).ok());
  ASSERT_TRUE(
      store->MoveJob(id, {JobState::kRunning}, JobState::kSucceeded, result, "done", 19).ok());
  store = Open();
  const JobRecord read = store->GetJob(id).value();
  EXPECT_EQ(read.job.spec, job.spec);
  EXPECT_EQ(read.job.spec_name, "a.mlir");
  EXPECT_EQ(read.job.spec_sha256, "ab");
  EXPECT_EQ(read.job.priority, -3);
  EXPECT_EQ(read.state, JobState::kSucceeded);
  EXPECT_EQ(read.result, result);
  EXPECT_EQ(read.created_us, 17);
  EXPECT_EQ(read.updated_us, 19);
  EXPECT_TRUE(absl::IsNotFound(store->GetJob(id + 1).status()));
}

TEST_P(TaskStoreConformance, RequestIdsMakeRetriesSafe) {
  std::unique_ptr<TaskStore> store = Open();
  const NewJob job{.request_id = "r", .spec = "s"};
  const int64_t id = store->CreateJob(job, 1)->id;
  EXPECT_EQ(store->CreateJob(job, 2)->id, id);
  NewJob other = job;
  other.spec = "t";
  EXPECT_TRUE(absl::IsAlreadyExists(store->CreateJob(other, 3).status()));
  other = job;
  other.request_id = "";
  EXPECT_NE(store->CreateJob(other, 4)->id, store->CreateJob(other, 5)->id);
  EXPECT_EQ(store->ListJobs({})->size(), 3);
}

TEST_P(TaskStoreConformance, JobsMoveOnlyFromTheStatesGiven) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t id = store->CreateJob({}, 1)->id;
  EXPECT_TRUE(absl::IsFailedPrecondition(
      store->MoveJob(id, {JobState::kRunning}, JobState::kPaused, "", "", 2).status()));
  EXPECT_EQ(store->GetJob(id)->state, JobState::kPending);
  EXPECT_EQ(store->ListEvents(id, 0, 10)->size(), 1);
  ASSERT_TRUE(store->MoveJob(id, {JobState::kPending}, JobState::kFailed, "why", "", 3).ok());
  EXPECT_EQ(store->GetJob(id)->error, "why");
  EXPECT_TRUE(absl::IsNotFound(
      store->MoveJob(id + 7, {JobState::kPending}, JobState::kFailed, "", "", 3).status()));
}

TEST_P(TaskStoreConformance, ListsByPageAndState) {
  std::unique_ptr<TaskStore> store = Open();
  std::vector<int64_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(store->CreateJob({.priority = i % 2}, i)->id);
  ASSERT_TRUE(store->MoveJob(ids[1], {JobState::kPending}, JobState::kPaused, "", "", 9).ok());
  auto list = [&](const JobFilter& filter) {
    std::vector<int64_t> found;
    const std::vector<JobRecord> jobs = store->ListJobs(filter).value();
    for (const JobRecord& job : jobs) found.push_back(job.id);
    return found;
  };
  EXPECT_THAT(list({.limit = 2}), testing::ElementsAre(ids[4], ids[3]));
  EXPECT_THAT(list({.below_id = ids[3], .limit = 2}), testing::ElementsAre(ids[2], ids[1]));
  EXPECT_THAT(list({.states = {JobState::kPaused}}), testing::ElementsAre(ids[1]));
  std::vector<int64_t> pending;
  const std::vector<JobRecord> jobs = store->PendingJobs(9).value();
  for (const JobRecord& job : jobs) pending.push_back(job.id);
  EXPECT_THAT(pending, testing::ElementsAre(ids[3], ids[0], ids[2], ids[4]));
}

TEST_P(TaskStoreConformance, EventsContinueAfterANumber) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t id = Running(*store), other = Running(*store);
  const int64_t first = store->AddEvent(id, "one", 5).value();
  ASSERT_TRUE(store->AddEvent(other, "not mine", 5).ok());
  const int64_t second = store->AddEvent(id, "two", 6).value();
  EXPECT_GT(second, first);
  store = Open();
  const std::vector<Event> all = store->ListEvents(id, 0, 100).value();
  ASSERT_EQ(all.size(), 4);
  EXPECT_EQ(all[0].state, JobState::kPending);
  EXPECT_EQ(all[1].state, JobState::kRunning);
  EXPECT_EQ(all[2].state, std::nullopt);
  const std::vector<Event> rest = store->ListEvents(id, first, 100).value();
  ASSERT_EQ(rest.size(), 1);
  EXPECT_EQ(rest[0].sequence, second);
  EXPECT_EQ(rest[0].message, "two");
  EXPECT_EQ(rest[0].time_us, 6);
}

TEST_P(TaskStoreConformance, ATaskIsQueuedOnce) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t job = Running(*store);
  const int64_t id = store->Enqueue(TaskOf(job, "k"), 1)->id;
  EXPECT_EQ(store->Enqueue(TaskOf(job, "k"), 1)->id, id);
  EXPECT_NE(store->Enqueue(TaskOf(Running(*store), "k"), 1)->id, id);
  const ClaimedTask claimed = store->Claim("w", "d", 1, 10, 5)->at(0);
  EXPECT_EQ(claimed.id, id);
  EXPECT_EQ(claimed.attempt, 1);
  EXPECT_EQ(claimed.job, job);
  EXPECT_EQ(claimed.payload, "payload of k");
  EXPECT_TRUE(store->Complete(id, 1, std::string("\0r", 2)).value());
  const TaskRecord done = store->Enqueue(TaskOf(job, "k"), 1).value();
  EXPECT_EQ(done.id, id);
  EXPECT_EQ(done.state, TaskState::kDone);
  EXPECT_EQ(done.result, std::string("\0r", 2));
  EXPECT_TRUE(absl::IsNotFound(store->GetTask(id + 100).status()));
}

TEST_P(TaskStoreConformance, ClaimsByDeviceAndPriority) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t low = Running(*store, 0), high = Running(*store, 5);
  const int64_t a = store->Enqueue(TaskOf(low, "a"), 1)->id;
  const int64_t b = store->Enqueue(TaskOf(high, "b"), 1)->id;
  NewTask other = TaskOf(high, "c");
  other.device = "e";
  ASSERT_TRUE(store->Enqueue(other, 1).ok());
  const int64_t pending = store->CreateJob({}, 1)->id;
  ASSERT_TRUE(store->Enqueue(TaskOf(pending, "not yet"), 1).ok());
  const std::vector<ClaimedTask> claimed = store->Claim("w", "d", 9, 10, 5).value();
  ASSERT_EQ(claimed.size(), 2);
  EXPECT_EQ(claimed[0].id, b);
  EXPECT_EQ(claimed[1].id, a);
  EXPECT_TRUE(store->Claim("w", "d", 9, 10, 5)->empty());
}

TEST_P(TaskStoreConformance, OnlyTheNewestAttemptCounts) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t id = store->Enqueue(TaskOf(Running(*store), "k"), 1)->id;
  EXPECT_FALSE(store->Complete(id, 0, "not claimed").value());
  ASSERT_EQ(store->Claim("v", "d", 1, 10, 5)->size(), 1);
  EXPECT_TRUE(store->Expire(15, 9)->empty());
  EXPECT_THAT(store->Expire(16, 9).value(), testing::ElementsAre(id));
  EXPECT_FALSE(store->Renew(id, 1, 16, 5).value());
  ASSERT_EQ(store->Claim("w", "d", 1, 20, 5)->at(0).attempt, 2);
  EXPECT_FALSE(store->Complete(id, 1, "stale").value());
  EXPECT_TRUE(store->Release(id, 1).ok());
  EXPECT_EQ(store->GetTask(id)->state, TaskState::kLeased);
  EXPECT_FALSE(store->Renew(id, 1, 21, 5).value());
  EXPECT_TRUE(store->Renew(id, 2, 21, 50).value());
  EXPECT_TRUE(store->Expire(60, 9)->empty());
  EXPECT_TRUE(store->Complete(id, 2, "good").value());
  EXPECT_FALSE(store->Complete(id, 2, "again").value());
  EXPECT_FALSE(store->Renew(id, 2, 22, 50).value());
  EXPECT_EQ(store->GetTask(id)->result, "good");
}

TEST_P(TaskStoreConformance, ALateResultCountsIfNobodyTookTheTask) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t id = store->Enqueue(TaskOf(Running(*store), "k"), 1)->id;
  ASSERT_EQ(store->Claim("v", "d", 1, 10, 5)->size(), 1);
  ASSERT_EQ(store->Expire(100, 9)->size(), 1);
  EXPECT_TRUE(store->Complete(id, 1, "late").value());
  EXPECT_TRUE(store->Claim("w", "d", 1, 101, 5)->empty());
}

TEST_P(TaskStoreConformance, WhatKeepsFailingIsPoisoned) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t id = store->Enqueue(TaskOf(Running(*store), "k"), 1)->id;
  for (int attempt = 1; attempt <= 3; ++attempt) {
    ASSERT_EQ(store->Claim("w", "d", 1, 100 * attempt, 5)->at(0).attempt, attempt);
    ASSERT_EQ(store->Expire(100 * attempt + 6, 3)->size(), 1);
  }
  EXPECT_EQ(store->GetTask(id)->state, TaskState::kPoisoned);
  EXPECT_TRUE(store->Claim("w", "d", 1, 1000, 5)->empty());
  EXPECT_FALSE(store->Complete(id, 3, "too late").value());
}

TEST_P(TaskStoreConformance, FinishedJobsDropTheirTasksAndAgeOut) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t job = Running(*store), kept = Running(*store);
  const int64_t task = store->Enqueue(TaskOf(job, "k"), 1)->id;
  ASSERT_EQ(store->Claim("w", "d", 1, 10, 5)->size(), 1);
  ASSERT_TRUE(store->MoveJob(job, {JobState::kRunning}, JobState::kCancelled, "", "", 20).ok());
  EXPECT_FALSE(store->Complete(task, 1, "r").value());
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Enqueue(TaskOf(job, "l"), 1).status()));
  EXPECT_EQ(store->Retain(20).value(), 0);
  EXPECT_EQ(store->Retain(21).value(), 1);
  EXPECT_TRUE(absl::IsNotFound(store->GetJob(job).status()));
  EXPECT_TRUE(store->ListEvents(job, 0, 9)->empty());
  EXPECT_TRUE(store->GetJob(kept).ok());
  EXPECT_GT(store->CreateJob({}, 30)->id, kept) << "numbers are not used again";
}

TEST_P(TaskStoreConformance, ThreadsNeverShareATask) {
  std::unique_ptr<TaskStore> store = Open();
  const int64_t job = Running(*store);
  constexpr int kTasks = 60;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(store->Enqueue(TaskOf(job, std::to_string(i)), 1).ok());
  }
  std::atomic<int> counted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      while (true) {
        const auto claimed = store->Claim("w" + std::to_string(t), "d", 3, 10, 1000).value();
        if (claimed.empty()) return;
        for (const ClaimedTask& task : claimed) {
          counted += store->Complete(task.id, task.attempt, "r").value();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted, kTasks);
}

// A child makes jobs and tasks, claims and completes them, and says over a pipe what was
// acknowledged; it is killed at a random moment. Then all of that is there, and nothing twice.
TEST_P(TaskStoreConformance, NothingAcknowledgedIsLostWhenKilled) {
  struct Acknowledged {
    char what;  // 'j'ob, 't'ask queued, 'c'ompleted
    int64_t id;
    int64_t attempt;
  };
  std::mt19937 random(7);
  std::map<int64_t, int64_t> completed;  // task: attempt
  std::set<int64_t> jobs, tasks;
  int64_t now = 1000;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      std::unique_ptr<TaskStore> store = std::move(GetParam().open(directory_)).value();
      auto say = [&](char what, int64_t id, int64_t attempt) {
        const Acknowledged line{what, id, attempt};
        if (write(ends[1], &line, sizeof(line)) != sizeof(line)) _exit(1);
      };
      for (int64_t i = 0;; ++i) {
        const std::string name = std::to_string(round) + "-" + std::to_string(i);
        const int64_t job = store->CreateJob({.request_id = name, .spec = name}, now)->id;
        say('j', job, 0);
        store->MoveJob(job, {JobState::kPending}, JobState::kRunning, "", "", now).value();
        say('t', store->Enqueue(TaskOf(job, "a"), now)->id, 0);
        say('t', store->Enqueue(TaskOf(job, "b"), now)->id, 0);
        const std::vector<ClaimedTask> claimed = store->Claim("w", "d", 1, now, 5).value();
        for (const ClaimedTask& task : claimed) {
          const std::string result = std::to_string(task.id) + "/" + std::to_string(task.attempt);
          if (store->Complete(task.id, task.attempt, result).value()) {
            say('c', task.id, task.attempt);
          }
        }
      }
    }
    close(ends[1]);
    usleep(20000 + random() % 60000);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    Acknowledged line;
    while (read(ends[0], &line, sizeof(line)) == sizeof(line)) {
      if (line.what == 'j') EXPECT_TRUE(jobs.insert(line.id).second) << "job " << line.id;
      if (line.what == 't') EXPECT_TRUE(tasks.insert(line.id).second) << "task " << line.id;
      if (line.what == 'c') {
        EXPECT_TRUE(completed.emplace(line.id, line.attempt).second) << "twice: " << line.id;
      }
    }
    close(ends[0]);
    std::unique_ptr<TaskStore> store = Open();
    now += 100;
    ASSERT_TRUE(store->Expire(now, 1000).ok());
    for (const int64_t job : jobs) ASSERT_TRUE(store->GetJob(job).ok()) << job;
    for (const int64_t task : tasks) ASSERT_TRUE(store->GetTask(task).ok()) << task;
    for (const auto& [id, attempt] : completed) {
      const TaskRecord task = store->GetTask(id).value();
      ASSERT_EQ(task.state, TaskState::kDone) << id;
      ASSERT_EQ(task.result, std::to_string(id) + "/" + std::to_string(attempt));
    }
  }
  EXPECT_GT(completed.size(), 20);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TaskStoreConformance);

}  // namespace quern::server

#endif  // QUERN_SERVER_TASK_STORE_CONFORMANCE_H_
