#include "search/recorded_measurer.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "nlohmann/json.hpp"

namespace quern::search {

static constexpr std::array<std::pair<Race::Outcome, const char*>, 5> kOutcomes = {{
    {Race::Outcome::kFaster, "faster"},
    {Race::Outcome::kSlower, "slower"},
    {Race::Outcome::kSame, "same"},
    {Race::Outcome::kTimedOut, "timed out"},
    {Race::Outcome::kFailed, "failed"},
}};

static std::string ScreenKey(const Artifact& candidate) {
  return absl::StrCat("screen ", Sha256(candidate.binary));
}
static std::string CompareKey(const Artifact& incumbent, const Artifact& candidate) {
  return absl::StrCat("compare ", Sha256(incumbent.binary), " ", Sha256(candidate.binary));
}
static std::string RankKey(const Artifact& finalist) {
  return absl::StrCat("rank ", Sha256(finalist.binary));
}

RecordingMeasurer::RecordingMeasurer(Measurer* measurer, std::string path)
    : measurer_(measurer), path_(std::move(path)), file_(path_, std::ios::trunc) {}

absl::StatusOr<std::unique_ptr<RecordingMeasurer>> RecordingMeasurer::Create(
    Measurer* measurer, const std::string& path) {
  auto recording = std::unique_ptr<RecordingMeasurer>(new RecordingMeasurer(measurer, path));
  if (!recording->file_)
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
  return recording;
}

absl::StatusOr<Race> RecordingMeasurer::Screen(const Artifact& candidate, double give_up_above_ns) {
  return Write(ScreenKey(candidate), measurer_->Screen(candidate, give_up_above_ns));
}
absl::StatusOr<Race> RecordingMeasurer::Compare(const Artifact& incumbent,
                                                const Artifact& candidate) {
  return Write(CompareKey(incumbent, candidate), measurer_->Compare(incumbent, candidate));
}

absl::StatusOr<std::vector<Race>> RecordingMeasurer::Rank(
    const std::vector<const Artifact*>& finalists) {
  QUERN_ASSIGN_OR_RETURN(std::vector<Race> races, measurer_->Rank(finalists));
  for (size_t i = 0; i < races.size(); ++i) {
    QUERN_RETURN_IF_ERROR(Write(RankKey(*finalists[i]), races[i]).status());
  }
  return races;
}

absl::StatusOr<Race> RecordingMeasurer::Write(const std::string& key, absl::StatusOr<Race> race) {
  if (!race.ok()) return race;  // a failure of the device is not a timing
  nlohmann::json json = {{"key", key}, {"failure", race->failure}};
  for (const auto& [outcome, name] : kOutcomes) {
    if (outcome == race->outcome) json["outcome"] = name;
  }
  json["measurement"] = nlohmann::json::parse(ToJson(race->candidate));
  file_ << json.dump() << std::endl;
  if (!file_) return absl::ResourceExhaustedError(absl::StrCat(path_, ": cannot be written"));
  return race;
}

absl::StatusOr<std::unique_ptr<ReplayingMeasurer>> ReplayingMeasurer::Create(
    const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  auto replaying = std::make_unique<ReplayingMeasurer>();
  replaying->path_ = path;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    auto bad = [&](absl::string_view why) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", why));
    };
    nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("measurement")) return bad("not a recorded timing");
    for (const char* key : {"key", "failure", "outcome"}) {
      if (!json.contains(key) || !json[key].is_string()) return bad(absl::StrCat("no ", key));
    }
    Recorded recorded{.key = json["key"], .race = {.failure = json["failure"]}};
    bool known = false;
    for (const auto& [outcome, name] : kOutcomes) {
      if (json["outcome"] != name) continue;
      recorded.race.outcome = outcome;
      known = true;
    }
    if (!known) return bad("unknown outcome");
    absl::StatusOr<Measurement> measurement = ParseMeasurement(json["measurement"].dump());
    if (!measurement.ok()) return bad(measurement.status().message());
    recorded.race.candidate = *std::move(measurement);
    replaying->recorded_.push_back(std::move(recorded));
  }
  return replaying;
}

absl::StatusOr<Race> ReplayingMeasurer::Next(const std::string& key) {
  if (next_ == recorded_.size()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path_, ": ends after ", next_, " timings; asked for ", key));
  }
  if (recorded_[next_].key != key) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ":", next_ + 1, ": recorded ",
                                                      recorded_[next_].key, ", asked for ", key));
  }
  return recorded_[next_++].race;
}

absl::StatusOr<Race> ReplayingMeasurer::Screen(const Artifact& candidate, double) {
  return Next(ScreenKey(candidate));
}
absl::StatusOr<Race> ReplayingMeasurer::Compare(const Artifact& incumbent,
                                                const Artifact& candidate) {
  return Next(CompareKey(incumbent, candidate));
}
absl::StatusOr<std::vector<Race>> ReplayingMeasurer::Rank(
    const std::vector<const Artifact*>& finalists) {
  std::vector<Race> races;
  for (const Artifact* finalist : finalists) {
    QUERN_ASSIGN_OR_RETURN(races.emplace_back(), Next(RankKey(*finalist)));
  }
  return races;
}

}  // namespace quern::search
