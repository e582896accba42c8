#include "workers/measuring_device.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "codegen/target.h"
#include "workers/devices/cpu.h"

namespace quern::workers {

absl::StatusOr<std::unique_ptr<MeasuringDevice>> MeasuringDevice::Open(const std::string& name) {
  if (name != "cpu") {
    return absl::InvalidArgumentError(absl::StrCat("unknown device '", name, "'; known is cpu"));
  }
  QUERN_ASSIGN_OR_RETURN(const codegen::Target* target, codegen::FindTarget("host"));
  const Cpu cpu = DetectCpu();
  v1::Device device;
  device.set_name(name);
  device.set_target(target->name());
  device.set_cpu(target->cpu());
  device.set_features(target->features());
  device.set_fingerprint(cpu.Fingerprint());
  device.set_max_threads(static_cast<int>(cpu.usable.size()));
  return std::unique_ptr<MeasuringDevice>(new MeasuringDevice(std::move(device)));
}

static absl::StatusOr<Artifact> ToArtifact(const v1::Candidate& candidate) {
  Artifact artifact;
  QUERN_ASSIGN_OR_RETURN(artifact.plan, ParseLaunchPlan(candidate.launch_plan()));
  artifact.binary = candidate.binary();
  return artifact;
}

static v1::Race ToRace(const RaceResult& result) {
  v1::Race race;
  switch (result.outcome) {
    case Outcome::kFaster:
      race.set_outcome(v1::RACE_OUTCOME_FASTER);
      break;
    case Outcome::kSlower:
      race.set_outcome(v1::RACE_OUTCOME_SLOWER);
      break;
    case Outcome::kSame:
      race.set_outcome(v1::RACE_OUTCOME_SAME);
      break;
    case Outcome::kFailed:
      race.set_outcome(result.failure_kind == "timed out" ? v1::RACE_OUTCOME_TIMED_OUT
                                                          : v1::RACE_OUTCOME_FAILED);
      race.set_failure(
          absl::StrCat(result.failure_kind, result.message.empty() ? "" : ": ", result.message));
      return race;
  }
  race.set_measurement(ToJson(result.candidate));
  return race;
}

static v1::Race Lost(const absl::Status& why) {
  v1::Race race;
  race.set_outcome(absl::IsDeadlineExceeded(why) ? v1::RACE_OUTCOME_TIMED_OUT
                                                 : v1::RACE_OUTCOME_FAILED);
  race.set_failure(std::string(why.message()));
  return race;
}

absl::Status MeasuringDevice::Prepare(const v1::MeasureTask& task) {
  v1::MeasureTask session = task;
  session.clear_kind();
  session.clear_candidates();
  const std::string bytes = session.SerializeAsString();
  if (measurer_ != nullptr && bytes == session_) return absl::OkStatus();
  measurer_.reset();
  QUERN_ASSIGN_OR_RETURN(const Artifact reference, ToArtifact(task.reference()));
  const Signature signature = SignatureOf(reference.plan);
  MeasureOptions options{.threads = task.threads(),
                         .seed = task.seed(),
                         .max_blocks = 60,
                         .max_seconds = 2,
                         .target_half_width = 0.01,
                         .flops = task.flops()};
  for (const v1::InputRange& range : task.ranges()) {
    if (!(range.low() <= range.high())) return absl::InvalidArgumentError("an empty range");
    options.ranges.push_back({.low = range.low(), .high = range.high()});
  }
  if (!options.ranges.empty() && options.ranges.size() != signature.arguments.size()) {
    return absl::InvalidArgumentError("not one range for each argument");
  }
  Tolerance tolerance;
  for (const TensorType& type : signature.results) {
    const Tolerance wanted =
        Tolerance::ForSums(std::max<int64_t>(task.longest_sum(), 1), type.element);
    if (wanted.relative > tolerance.relative) tolerance = wanted;
  }
  QUERN_ASSIGN_OR_RETURN(std::unique_ptr<Measurer> measurer, Measurer::Create(signature, options));
  QUERN_RETURN_IF_ERROR(measurer->SetReference(
      [&](const std::vector<Tensor>& inputs) { return measurer->Run(reference, inputs); },
      tolerance));
  measurer_ = std::move(measurer);
  session_ = bytes;
  return absl::OkStatus();
}

absl::StatusOr<v1::MeasureResult> MeasuringDevice::Measure(const v1::MeasureTask& task) {
  std::vector<Artifact> artifacts;
  for (const v1::Candidate& candidate : task.candidates()) {
    QUERN_ASSIGN_OR_RETURN(Artifact artifact, ToArtifact(candidate));
    artifacts.push_back(std::move(artifact));
  }
  const size_t needed = task.has_compare() ? 2 : 1;
  if (artifacts.size() < needed || (!task.has_rank() && artifacts.size() > needed)) {
    return absl::InvalidArgumentError(absl::StrCat(artifacts.size(), " candidates"));
  }
  v1::MeasureResult result;
  const absl::Status ready = Prepare(task);
  if (absl::IsAborted(ready) || absl::IsDeadlineExceeded(ready)) {  // the reference's failure
    for (size_t i = 0; i < (task.has_rank() ? artifacts.size() : 1); ++i) {
      *result.add_races() = Lost(ready);
    }
    return result;
  }
  QUERN_RETURN_IF_ERROR(ready);
  switch (task.kind_case()) {
    case v1::MeasureTask::kScreen: {
      // Clocks that disagree are a busy machine more often than a lie.
      constexpr int kTries = 3;
      for (int tries = 1;; ++tries) {
        QUERN_ASSIGN_OR_RETURN(const RaceResult race,
                               measurer_->Screen(artifacts[0], task.screen().give_up_above_ns()));
        if (race.failure_kind == "clock" && tries < kTries) continue;
        *result.add_races() = ToRace(race);
        return result;
      }
    }
    case v1::MeasureTask::kCompare: {
      const absl::StatusOr<RaceResult> race = measurer_->Race(artifacts[0], artifacts[1]);
      // An incumbent that ran before and fails now met a busy machine: this race is lost, no more.
      if (!race.ok() && !absl::IsInternal(race.status())) return race.status();
      *result.add_races() = race.ok() ? ToRace(*race) : Lost(race.status());
      return result;
    }
    case v1::MeasureTask::kRank: {
      std::vector<const Artifact*> others;
      for (size_t i = 1; i < artifacts.size(); ++i) others.push_back(&artifacts[i]);
      const absl::StatusOr<std::vector<RaceResult>> races =
          measurer_->Finalists(artifacts[0], "finalist", others);
      if (!races.ok() && !absl::IsInternal(races.status())) return races.status();
      if (!races.ok()) {  // the first failed; nothing is known of the others
        *result.add_races() = Lost(races.status());
      } else {
        v1::Race* first = result.add_races();
        first->set_outcome(v1::RACE_OUTCOME_SAME);
        if (!races->empty()) first->set_measurement(ToJson(races->front().incumbent));
      }
      for (size_t i = 1; i < artifacts.size(); ++i) {
        if (races.ok()) {
          *result.add_races() = ToRace((*races)[i - 1]);
        } else {
          result.add_races()->set_outcome(v1::RACE_OUTCOME_SAME);
        }
      }
      return result;
    }
    case v1::MeasureTask::KIND_NOT_SET:
      return absl::InvalidArgumentError("a task of an unknown kind");
  }
  return absl::InvalidArgumentError("a task of an unknown kind");
}

v1::MeasureResult MeasuringDevice::Do(const v1::MeasureTask& task) {
  absl::StatusOr<v1::MeasureResult> result = Measure(task);
  if (result.ok()) return *std::move(result);
  v1::MeasureResult failed;
  failed.set_device_error(std::string(result.status().message()));
  return failed;
}

}  // namespace quern::workers
