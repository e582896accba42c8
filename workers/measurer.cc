#include "workers/measurer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "workers/devices/cpu_peak.h"
#include "workers/spawn.h"

namespace quern::workers {

static constexpr int kInputSets = 4;
static constexpr uint64_t kSeedStride = 1'000'003;  // between series of one seed

Measurer::Measurer(Signature signature, MeasureOptions options)
    : signature_(std::move(signature)),
      environment_{.options = std::move(options), .cpu = DetectCpu(), .tsc_hz = MeasureTscHz()} {}

absl::StatusOr<std::unique_ptr<Measurer>> Measurer::Create(Signature signature,
                                                           MeasureOptions options) {
  QUERN_RETURN_IF_ERROR(FindRunner().status());
  std::unique_ptr<Measurer> measurer(new Measurer(std::move(signature), std::move(options)));
  const int usable = static_cast<int>(measurer->cpu().usable.size());
  const int threads = measurer->environment_.options.threads;
  if (threads < 1 || threads > usable) {
    return absl::InvalidArgumentError(
        absl::StrCat(threads, " threads: this process may use 1 to ", usable, " CPUs"));
  }
  measurer->roofline_ns_ = measurer->RooflineNs();
  return measurer;
}

double Measurer::RooflineNs() const {
  int64_t bytes = 0;
  for (const std::vector<TensorType>* types : {&signature_.arguments, &signature_.results}) {
    for (const TensorType& type : *types) bytes += type.num_elements() * ByteSize(type.element);
  }
  const std::vector<int>& usable = cpu().usable;
  const CpuPeak peak =
      MeasureCpuPeak({usable.end() - environment_.options.threads, usable.end()}, bytes);
  return peak.RooflineNs(environment_.options.flops, static_cast<double>(bytes));
}

absl::Status Measurer::SetReference(const Reference& reference, Tolerance tolerance) {
  TestData data{.inputs = {}, .outputs = {}, .tolerance = tolerance};
  const MeasureOptions& options = environment_.options;
  for (int set = 0; set < kInputSets; ++set) {
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                           MakeInputs(signature_.arguments, options.ranges,
                                      options.seed * kInputSets + static_cast<uint64_t>(set)));
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, reference(inputs));
    bool fits = outputs.size() == signature_.results.size();
    for (size_t i = 0; fits && i < outputs.size(); ++i) {
      fits = outputs[i].type() == signature_.results[i];
    }
    if (!fits) return absl::InvalidArgumentError("the reference's outputs have other types");
    data.inputs.push_back(std::move(inputs));
    data.outputs.push_back(std::move(outputs));
  }
  data_ = std::move(data);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Tensor>> Measurer::Run(const Artifact& artifact,
                                                  const std::vector<Tensor>& inputs) {
  const double seconds = environment_.options.max_run_seconds;
  QUERN_ASSIGN_OR_RETURN(
      std::unique_ptr<RunnerProcess> process,
      RunnerProcess::Start(artifact, TrialOptionsFor(environment_, 0, 0).runner));
  if (process->failure().ok()) {
    process->memory().WriteInputs(0, inputs);
    if (process->Prepare(0, seconds) && process->Run(1, 0, seconds)) {
      return process->memory().ReadOutputs();
    }
  }
  const Failure& failure = process->failure();
  const std::string text =
      absl::StrCat("the kernel failed: ", failure.kind(), ": ", failure.message);
  if (failure.fault == Fault::kTimedOut) return absl::DeadlineExceededError(text);
  return absl::AbortedError(text);
}

absl::Status Measurer::CheckReady(const Artifact& artifact) const {
  if (data_.inputs.empty()) {
    return absl::FailedPreconditionError("a measurer needs a reference before it times anything");
  }
  if (SignatureOf(artifact.plan) == signature_) return absl::OkStatus();
  return absl::InvalidArgumentError("the artifact has other arguments or results than its spec");
}

Measurement Measurer::Blank(const Artifact& artifact) const {
  Measurement measurement;
  measurement.machine = cpu().Fingerprint();
  measurement.threads = environment_.options.threads;
  measurement.seed = environment_.options.seed;
  measurement.binary_sha256 = Sha256(artifact.binary);
  measurement.roofline_ns = roofline_ns_;
  return measurement;
}

static void Describe(const Failure& failure, RaceResult* result) {
  if (failure.ok()) return;
  result->outcome = Outcome::kFailed;
  result->failure_kind = failure.kind();
  result->message = failure.message;
}

absl::StatusOr<RaceResult> Measurer::Screen(const Artifact& candidate, double give_up_above_ns) {
  constexpr int kBatches = 7;
  constexpr double kSurelySlower = 1.1;
  constexpr double kSurelySlowerCold = 2;
  constexpr double kFloorSeconds = 1;
  constexpr double kEnoughSeconds = 1;  // of sampling: a kernel so slow needs no precision
  QUERN_RETURN_IF_ERROR(CheckReady(candidate));
  const MeasureOptions& options = environment_.options;
  const double seconds =
      std::min(options.max_run_seconds,
               std::max(kFloorSeconds, options.timeout_factor * give_up_above_ns * 1e-9));
  const uint64_t seed = options.seed + kSeedStride * ++series_;
  QUERN_ASSIGN_OR_RETURN(
      std::unique_ptr<Trial> trial,
      Trial::Start(candidate, data_, TrialOptionsFor(environment_, seed, 0), seconds));
  RaceResult result;
  result.candidate = Blank(candidate);
  std::vector<double>& samples = result.candidate.warm_ns;
  double best = std::numeric_limits<double>::infinity();
  auto surely_slower = [&] {
    if (samples.empty()) return trial->expected_ns() > kSurelySlowerCold * give_up_above_ns;
    return samples.size() > 1 && best > kSurelySlower * give_up_above_ns;
  };
  double spent = 0;
  while (trial->failure().ok() && samples.size() < kBatches && spent < kEnoughSeconds &&
         !surely_slower()) {
    const std::optional<double> ns = trial->Sample();
    if (!ns) break;
    samples.push_back(*ns);
    spent += 2e-9 * *ns;  // a batch alternates two sets of inputs
    best = std::min(best, *ns);
  }
  if (samples.empty() && trial->failure().ok()) samples.push_back(trial->expected_ns());
  QUERN_RETURN_IF_ERROR(trial->SpotCheck());
  result.candidate.disturbed = trial->disturbed();
  result.candidate.warm = MedianInterval(samples);
  result.outcome =
      result.candidate.warm.median < give_up_above_ns ? Outcome::kFaster : Outcome::kSlower;
  Describe(trial->failure(), &result);
  return result;
}

absl::StatusOr<RaceResult> Measurer::Race(const Artifact& incumbent, const Artifact& candidate) {
  QUERN_ASSIGN_OR_RETURN(std::vector<RaceResult> results,
                         RaceAll(incumbent, "incumbent", {&candidate}));
  return std::move(results[0]);
}

absl::StatusOr<std::vector<RaceResult>> Measurer::Finalists(
    const Artifact& baseline, const std::string& baseline_name,
    const std::vector<const Artifact*>& finalists) {
  roofline_ns_ = std::min(roofline_ns_, RooflineNs());  // a busy machine shows too little
  return RaceAll(baseline, baseline_name, finalists);
}

absl::StatusOr<std::vector<RaceResult>> Measurer::RaceAll(
    const Artifact& baseline, const std::string& baseline_name,
    const std::vector<const Artifact*>& contestants) {
  QUERN_RETURN_IF_ERROR(CheckReady(baseline));
  for (const Artifact* contestant : contestants) QUERN_RETURN_IF_ERROR(CheckReady(*contestant));
  const uint64_t seed = environment_.options.seed + kSeedStride * ++series_;
  Environment environment = environment_;
  environment.options.max_seconds *= std::max(1.0, static_cast<double>(contestants.size()) / 2);
  QUERN_ASSIGN_OR_RETURN(SeriesResult series,
                         RunSeries(baseline, contestants, data_, environment, seed));
  Measurement against = Blank(baseline);
  against.warm_ns = std::move(series.baseline_ns);
  against.cold_ns = std::move(series.baseline_cold_ns);
  against.warm = MedianInterval(against.warm_ns);
  against.disturbed = series.disturbed;
  std::vector<RaceResult> results;
  for (size_t i = 0; i < contestants.size(); ++i) {
    Showing& showing = series.showings[i];
    RaceResult result{.outcome = Outcome::kSame,
                      .failure_kind = "",
                      .message = "",
                      .candidate = Blank(*contestants[i]),
                      .incumbent = against};
    Measurement& measurement = result.candidate;
    for (const Round& round : showing.rounds) {
      measurement.warm_ns.insert(measurement.warm_ns.end(), round.candidate.begin(),
                                 round.candidate.end());
    }
    measurement.cold_ns = std::move(showing.cold_ns);
    measurement.warm = MedianInterval(measurement.warm_ns);
    measurement.baseline = baseline_name;
    measurement.disturbed = series.disturbed;
    result.outcome = Decide(showing.rounds, &measurement.speedup);
    Describe(showing.failure, &result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace quern::workers
