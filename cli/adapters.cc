#include "cli/adapters.h"

#include <algorithm>

#include "bundle/digest.h"
#include "bundle/status.h"
#include "codegen/compiler.h"
#include "frontend/interpreter.h"
#include "search/longest_sum.h"

namespace quern::cli {

absl::StatusOr<Artifact> CodegenCompiler::Compile(mlir::ModuleOp program) {
  return codegen::Compile(program);
}

// Of the coarsest result.
static workers::Tolerance ToleranceOf(const frontend::Spec& spec) {
  const int64_t terms = search::LongestSum(spec);
  workers::Tolerance widest;
  for (const TensorType& type : spec.results) {
    const auto tolerance = workers::Tolerance::ForSums(terms, type.element);
    if (tolerance.relative > widest.relative) widest = tolerance;
  }
  return widest;
}

CpuMeasurer::CpuMeasurer(const frontend::Spec& spec, workers::MeasureOptions options)
    : spec_(spec), options_(std::move(options)), tolerance_(ToleranceOf(spec)) {}

absl::Status CpuMeasurer::Start(const LaunchPlan& plan) {
  QUERN_ASSIGN_OR_RETURN(measurer_,
                         workers::Measurer::Create(workers::SignatureOf(plan), options_));
  return measurer_->SetReference(
      [&](const std::vector<Tensor>& inputs) { return frontend::Interpret(spec_, inputs); },
      tolerance_);
}

static search::Race ToRace(workers::RaceResult result) {
  search::Race race{.failure = result.failure_kind, .candidate = std::move(result.candidate)};
  if (!result.message.empty()) race.failure += ": " + result.message;
  switch (result.outcome) {
    case workers::Outcome::kFaster:
      race.outcome = search::Race::Outcome::kFaster;
      break;
    case workers::Outcome::kSlower:
      race.outcome = search::Race::Outcome::kSlower;
      break;
    case workers::Outcome::kSame:
      race.outcome = search::Race::Outcome::kSame;
      break;
    case workers::Outcome::kFailed:
      race.outcome = result.failure_kind == "timed out" ? search::Race::Outcome::kTimedOut
                                                        : search::Race::Outcome::kFailed;
      break;
  }
  return race;
}

absl::StatusOr<search::Race> CpuMeasurer::Screen(const Artifact& candidate,
                                                 double give_up_above_ns) {
  if (!measurer_) QUERN_RETURN_IF_ERROR(Start(candidate.plan));
  // Clocks that disagree are a busy machine more often than a lie.
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    QUERN_ASSIGN_OR_RETURN(workers::RaceResult result,
                           measurer_->Screen(candidate, give_up_above_ns));
    if (result.failure_kind != "clock" || tries == kTries) return ToRace(std::move(result));
  }
}

absl::StatusOr<search::Race> CpuMeasurer::Compare(const Artifact& incumbent,
                                                  const Artifact& candidate) {
  absl::StatusOr<workers::RaceResult> result = measurer_->Race(incumbent, candidate);
  // An incumbent that ran before and fails now met a busy machine: this race is lost, not the
  // search.
  if (absl::IsInternal(result.status())) {
    return search::Race{.failure = std::string(result.status().message())};
  }
  QUERN_RETURN_IF_ERROR(result.status());
  return ToRace(*std::move(result));
}

absl::StatusOr<std::vector<search::Race>> CpuMeasurer::Rank(
    const std::vector<const Artifact*>& finalists) {
  const std::vector<const Artifact*> others(finalists.begin() + 1, finalists.end());
  absl::StatusOr<std::vector<workers::RaceResult>> results =
      measurer_->Finalists(*finalists.front(), "finalist", others);
  std::vector<search::Race> races(finalists.size());
  for (search::Race& race : races) race.outcome = search::Race::Outcome::kSame;
  if (absl::IsInternal(results.status())) {  // the first failed; nothing is known of the others
    races.front() = {.failure = std::string(results.status().message())};
    return races;
  }
  QUERN_RETURN_IF_ERROR(results.status());
  if (!results->empty()) races.front().candidate = results->front().incumbent;
  for (size_t i = 0; i < results->size(); ++i) races[i + 1] = ToRace(std::move((*results)[i]));
  return races;
}

absl::StatusOr<Certificate> LibraryChecker::Check(const Artifact& artifact, double seconds) {
  verifier::CheckOptions options = options_;
  options.seconds = std::min(options.seconds, seconds);
  return verifier::Check({.module = module_,
                          .llvm_ir = artifact.llvm_ir,
                          .plan = artifact.plan,
                          .binary_sha256 = Sha256(artifact.binary)},
                         options);
}

}  // namespace quern::cli
