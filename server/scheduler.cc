#include "server/scheduler.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "server/clock.h"

namespace quern::server {

static constexpr int kLookAhead = 256;  // pending jobs that are looked at for one that can run

static void Complain(const absl::Status& status) {
  if (!status.ok()) std::fprintf(stderr, "quernd: %s\n", std::string(status.message()).c_str());
}

absl::Status Scheduler::Start(int concurrent) {
  JobFilter running{.states = {JobState::kRunning}};
  while (true) {
    QUERN_ASSIGN_OR_RETURN(const std::vector<JobRecord> jobs, store_.ListJobs(running));
    if (jobs.empty()) break;
    for (const JobRecord& job : jobs) {
      QUERN_RETURN_IF_ERROR(store_
                                .MoveJob(job.id, {JobState::kRunning}, JobState::kPending, "",
                                         "the coordinator was started again", NowUs())
                                .status());
    }
  }
  for (int i = 0; i < concurrent; ++i) threads_.emplace_back([this] { Work(); });
  threads_.emplace_back([this] { Housekeep(); });
  return absl::OkStatus();
}

void Scheduler::Drain() {
  {
    std::lock_guard lock(mutex_);
    draining_ = true;
    for (auto& [id, active] : active_) active->abandoned = true;
  }
  board_.settled().Ring();
  events_.Ring();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Scheduler::Work() {
  constexpr std::chrono::milliseconds kGlance(500);
  while (!draining_) {
    const int64_t strokes = events_.strokes();
    absl::StatusOr<std::optional<Turn>> turn = Next();
    Complain(turn.status());
    if (turn.ok() && *turn) {
      RunTurn(**std::move(turn));
    } else {
      events_.Wait(strokes, kGlance);
    }
  }
}

absl::Status Scheduler::ForgetOldJobs() {
  const auto age_us = static_cast<int64_t>(keep_days_ * 86400e6);
  QUERN_RETURN_IF_ERROR(store_.Retain(NowUs() - age_us).status());
  return runner_.RemoveBundlesWithoutJob();
}

void Scheduler::Housekeep() {
  constexpr std::chrono::minutes kBetween(10);
  auto forget = std::chrono::steady_clock::now();
  while (!draining_) {
    Complain(board_.Expire());
    if (std::chrono::steady_clock::now() >= forget) {
      Complain(ForgetOldJobs());
      forget = std::chrono::steady_clock::now() + kBetween;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
}

absl::StatusOr<std::optional<Scheduler::Turn>> Scheduler::Next() {
  std::lock_guard lock(mutex_);
  if (draining_) return std::nullopt;
  QUERN_ASSIGN_OR_RETURN(const std::vector<JobRecord> pending, store_.PendingJobs(kLookAhead));
  for (const JobRecord& candidate : pending) {
    if (active_.contains(candidate.id)) continue;  // winding down after a pause
    QUERN_ASSIGN_OR_RETURN(JobRecord job, store_.GetJob(candidate.id));
    v1::JobSpec spec;
    if (!spec.ParseFromString(job.job.spec)) {
      return absl::DataLossError(absl::StrCat("job ", job.id, ": its spec is damaged"));
    }
    const std::string join_key = JoinKey(spec, job.job.spec_sha256);
    if (!join_key.empty() && std::any_of(active_.begin(), active_.end(), [&](const auto& other) {
          return other.second->join_key == join_key;
        })) {
      continue;
    }
    absl::StatusOr<JobPlan> plan = PlanJob(spec);
    if (!plan.ok()) {  // it was readable to the quern that took it
      QUERN_RETURN_IF_ERROR(store_
                                .MoveJob(job.id, {JobState::kPending}, JobState::kFailed,
                                         std::string(plan.status().message()), "failed", NowUs())
                                .status());
      continue;
    }
    std::optional<v1::Device> device;
    if (plan->needs_worker()) {
      device = workers_.FindDevice(plan->target->name(), plan->threads);
      if (!device) continue;
    }
    const absl::StatusOr<JobRecord> moved =
        store_.MoveJob(job.id, {JobState::kPending}, JobState::kRunning, "", "started", NowUs());
    if (absl::IsFailedPrecondition(moved.status())) continue;  // cancelled just now
    QUERN_RETURN_IF_ERROR(moved.status());
    auto active = std::make_shared<Active>();
    active->join_key = join_key;
    active_[job.id] = active;
    return Turn{.job = std::move(job),
                .plan = *std::move(plan),
                .device = std::move(device),
                .active = std::move(active)};
  }
  return std::nullopt;
}

void Scheduler::RunTurn(Turn turn) {
  const int64_t id = turn.job.id;
  events_.Ring();
  const absl::StatusOr<v1::JobResult> result =
      runner_.Run(id, turn.plan, turn.device, turn.active->abandoned);
  absl::Status moved;
  // Whoever abandoned it has moved it, or the coordinator ends and the next start will.
  if (!turn.active->abandoned) {
    if (result.ok()) {
      moved =
          store_
              .MoveJob(id, {JobState::kRunning}, JobState::kSucceeded, result->SerializeAsString(),
                       result->proved() ? "proved" : "nothing proved", NowUs())
              .status();
    } else {
      const std::string why(result.status().message());
      moved =
          store_.MoveJob(id, {JobState::kRunning}, JobState::kFailed, why, why, NowUs()).status();
    }
  }
  if (!absl::IsFailedPrecondition(moved)) Complain(moved);
  {
    std::lock_guard lock(mutex_);
    active_.erase(id);
  }
  events_.Ring();
}

absl::StatusOr<JobRecord> Scheduler::Stop(int64_t id, const std::vector<JobState>& from,
                                          JobState to, const std::string& message) {
  {
    std::lock_guard lock(mutex_);
    QUERN_RETURN_IF_ERROR(store_.MoveJob(id, from, to, "", message, NowUs()).status());
    const auto found = active_.find(id);
    if (found != active_.end()) found->second->abandoned = true;
  }
  board_.settled().Ring();
  events_.Ring();
  return store_.GetJob(id);
}

absl::StatusOr<JobRecord> Scheduler::Create(const NewJob& job) {
  QUERN_ASSIGN_OR_RETURN(JobRecord record, store_.CreateJob(job, NowUs()));
  events_.Ring();
  return record;
}

absl::StatusOr<BatchRecord> Scheduler::Create(const NewBatch& batch) {
  QUERN_ASSIGN_OR_RETURN(BatchRecord record, store_.CreateBatch(batch, NowUs()));
  events_.Ring();
  return record;
}

absl::StatusOr<JobRecord> Scheduler::Cancel(int64_t id) {
  absl::StatusOr<JobRecord> job =
      Stop(id, {JobState::kPending, JobState::kRunning, JobState::kPaused}, JobState::kCancelled,
           "cancelled");
  return absl::IsFailedPrecondition(job.status()) ? store_.GetJob(id) : job;
}

absl::StatusOr<JobRecord> Scheduler::Pause(int64_t id) {
  QUERN_ASSIGN_OR_RETURN(JobRecord before, store_.GetJob(id));
  if (before.state == JobState::kPaused) return before;
  return Stop(id, {JobState::kPending, JobState::kRunning}, JobState::kPaused, "paused");
}

absl::StatusOr<JobRecord> Scheduler::Resume(int64_t id) {
  QUERN_ASSIGN_OR_RETURN(JobRecord job, store_.MoveJob(id, {JobState::kPaused}, JobState::kPending,
                                                       "", "resumed", NowUs()));
  events_.Ring();
  return job;
}

}  // namespace quern::server
