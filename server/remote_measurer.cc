#include "server/remote_measurer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "frontend/work.h"
#include "search/longest_sum.h"

namespace quern::server {

static v1::Candidate ToProto(const Artifact& artifact) {
  v1::Candidate candidate;
  candidate.set_launch_plan(ToJson(artifact.plan));
  candidate.set_binary(artifact.binary);
  return candidate;
}

// `timed`: there has to be a measurement, unless it failed.
static absl::StatusOr<search::Race> FromProto(const v1::Race& race, const Artifact& artifact,
                                              const std::string& fingerprint, bool timed) {
  using Outcome = search::Race::Outcome;
  search::Race result{.failure = race.failure()};
  switch (race.outcome()) {
    case v1::RACE_OUTCOME_FASTER:
      result.outcome = Outcome::kFaster;
      break;
    case v1::RACE_OUTCOME_SLOWER:
      result.outcome = Outcome::kSlower;
      break;
    case v1::RACE_OUTCOME_SAME:
      result.outcome = Outcome::kSame;
      break;
    case v1::RACE_OUTCOME_TIMED_OUT:
      result.outcome = Outcome::kTimedOut;
      return result;
    case v1::RACE_OUTCOME_FAILED:
      result.outcome = Outcome::kFailed;
      return result;
    default:
      return absl::UnavailableError("a worker sent a race without an outcome");
  }
  if (race.measurement().empty() && !timed) return result;
  QUERN_ASSIGN_OR_RETURN(result.candidate, ParseMeasurement(race.measurement()));
  if (result.candidate.binary_sha256 != Sha256(artifact.binary) ||
      result.candidate.machine != fingerprint || result.candidate.warm_ns.empty()) {
    return absl::UnavailableError("a worker sent the measurement of something else");
  }
  return result;
}

RemoteMeasurer::RemoteMeasurer(TaskBoard& board, int64_t job, std::string fingerprint,
                               const JobPlan& plan, const std::atomic<bool>& abandoned,
                               std::function<void()> waiting)
    : board_(board),
      job_(job),
      fingerprint_(std::move(fingerprint)),
      abandoned_(abandoned),
      waiting_(std::move(waiting)) {
  common_.set_longest_sum(search::LongestSum(plan.spec));
  common_.set_threads(plan.threads);
  common_.set_seed(plan.seed);
  common_.set_flops(frontend::CountWork(plan.spec).flops);
  if (plan.boxes.empty()) return;
  // Inputs that the assumptions allow, within the range that measuring uses anyway.
  for (size_t i = 0; i < plan.spec.arguments.size(); ++i) {
    v1::InputRange* range = common_.add_ranges();
    range->set_low(-1);
    range->set_high(1);
  }
  for (const verifier::Box& box : plan.boxes) {
    v1::InputRange* range = common_.mutable_ranges(box.argument);
    range->set_low(std::max(box.low, std::min(-1.0, box.high)));
    range->set_high(std::min(box.high, std::max(1.0, box.low)));
  }
}

absl::StatusOr<std::vector<search::Race>> RemoteMeasurer::Ask(
    v1::MeasureTask task, const std::vector<const Artifact*>& candidates) {
  task.MergeFrom(common_);
  for (const Artifact* candidate : candidates) *task.add_candidates() = ToProto(*candidate);
  const std::string payload = task.SerializeAsString();
  const std::string question = Sha256(absl::StrCat(fingerprint_, "\n", payload));
  const NewTask request{.job = job_,
                        .key = absl::StrCat(question, "/", asked_[question]++),
                        .device = fingerprint_,
                        .payload = payload};
  const absl::StatusOr<std::string> answer = board_.Await(request, abandoned_, waiting_);
  if (absl::IsAborted(answer.status())) {
    std::vector<search::Race> races(candidates.size());
    for (search::Race& race : races) race.failure = std::string(answer.status().message());
    return races;
  }
  QUERN_RETURN_IF_ERROR(answer.status());
  v1::MeasureResult result;
  if (!result.ParseFromString(*answer)) return absl::DataLossError("a stored result is damaged");
  if (!result.device_error().empty()) {
    return absl::UnavailableError(
        absl::StrCat("the worker's device failed: ", result.device_error()));
  }
  const size_t wanted = task.has_rank() ? candidates.size() : 1;
  if (static_cast<size_t>(result.races_size()) != wanted) {
    return absl::UnavailableError(
        absl::StrCat("a worker sent ", result.races_size(), " races instead of ", wanted));
  }
  std::vector<search::Race> races;
  for (size_t i = 0; i < wanted; ++i) {
    const Artifact& about = task.has_rank() ? *candidates[i] : *candidates.back();
    QUERN_ASSIGN_OR_RETURN(search::Race race, FromProto(result.races(static_cast<int>(i)), about,
                                                        fingerprint_, !task.has_rank()));
    races.push_back(std::move(race));
  }
  return races;
}

absl::StatusOr<search::Race> RemoteMeasurer::Screen(const Artifact& candidate,
                                                    double give_up_above_ns) {
  if (!common_.has_reference()) *common_.mutable_reference() = ToProto(candidate);
  v1::MeasureTask task;
  task.mutable_screen()->set_give_up_above_ns(give_up_above_ns);
  QUERN_ASSIGN_OR_RETURN(std::vector<search::Race> races, Ask(std::move(task), {&candidate}));
  return std::move(races.front());
}

absl::StatusOr<search::Race> RemoteMeasurer::Compare(const Artifact& incumbent,
                                                     const Artifact& candidate) {
  v1::MeasureTask task;
  task.mutable_compare();
  QUERN_ASSIGN_OR_RETURN(std::vector<search::Race> races,
                         Ask(std::move(task), {&incumbent, &candidate}));
  return std::move(races.front());
}

absl::StatusOr<std::vector<search::Race>> RemoteMeasurer::Rank(
    const std::vector<const Artifact*>& finalists) {
  v1::MeasureTask task;
  task.mutable_rank();
  return Ask(std::move(task), finalists);
}

}  // namespace quern::server
