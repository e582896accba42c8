#include "verifier/testing/campaign.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/emulator.h"
#include "verifier/testing/mutation.h"
#include "verifier/trial_inputs.h"

namespace quern::verifier {

static constexpr int64_t kBudget = 4'000'000;  // lanes of instructions

absl::StatusOr<Campaign> Campaign::Create(std::string name, CheckRequest kernel,
                                          CheckOptions options) {
  Campaign campaign;
  CheckOptions patient = options;  // about mutants, time may run out
  patient.seconds = std::max(patient.seconds, 60.0);
  patient.steps = std::max(patient.steps, CheckOptions().steps);
  QUERN_ASSIGN_OR_RETURN(Certificate certificate, Check(kernel, patient));
  if (certificate.verdict != Verdict::kProved) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": ", certificate.reason));
  }
  campaign.name_ = std::move(name);
  campaign.kernel_ = std::move(kernel);
  campaign.options_ = std::move(options);
  campaign.bounds_ = certificate.bounds;
  return campaign;
}

static bool Near(const Tensor& want, const Tensor& got, int64_t i, double tolerance) {
  const int64_t bytes = ByteSize(want.type().element);
  if (std::memcmp(want.data() + i * bytes, got.data() + i * bytes, bytes) == 0) return true;
  if (!IsFloat(want.type().element)) return false;
  const double a = want.At(i), b = got.At(i);
  if (std::isnan(a) && std::isnan(b)) return true;
  return a == b || std::fabs(a - b) <= tolerance;
}

std::string Campaign::Difference(const std::string& llvm_ir, uint64_t seed,
                                 const std::vector<OutputBound>& bounds) {
  absl::StatusOr<std::vector<Tensor>> inputs = TrialInputs(kernel_.plan, options_.boxes, seed);
  if (!inputs.ok()) return "";
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : *inputs) pointers.push_back(&input);
  auto& want = outputs_[seed];
  if (!want.ok()) want = Emulate(kernel_.llvm_ir, kernel_.plan, pointers, kBudget);
  const auto got = Emulate(llvm_ir, kernel_.plan, pointers, kBudget);
  if (!want.ok() || want->fault.fault.kind != FaultKind::kNone || !got.ok()) return "";
  const FaultKind fault = got->fault.fault.kind;
  if (fault == FaultKind::kBudget || fault == FaultKind::kUnsupported) return "";
  if (fault != FaultKind::kNone) return absl::StrCat("fault: ", got->fault.fault.message);
  for (size_t r = 0; r < want->outputs.size(); ++r) {
    double tolerance = 0;
    for (const auto* list : {&bounds, &std::as_const(bounds_)}) {
      for (const OutputBound& bound : *list) {
        if (bound.result == static_cast<int>(r) && std::isfinite(bound.absolute)) {
          tolerance += bound.absolute;
        }
      }
    }
    for (int64_t i = 0; i < want->outputs[r].type().num_elements(); ++i) {
      if (Near(want->outputs[r], got->outputs[r], i, tolerance)) continue;
      return absl::StrCat("result ", r, " at ", i, " is ", got->outputs[r].At(i), " instead of ",
                          want->outputs[r].At(i), " within ", tolerance);
    }
  }
  return "";
}

void Campaign::Run(uint64_t seed, int inputs, CampaignResult& result) {
  std::mt19937_64 random(seed);
  const std::optional<MutatedIr> mutant = MutateIr(kernel_.llvm_ir, random);
  if (!mutant) return;
  ++result.mutants;
  constexpr int kFirst = 4;
  bool differs = false;
  for (int i = 0; i < kFirst && !differs; ++i) {
    differs = !Difference(mutant->text, static_cast<uint64_t>(i), {}).empty();
  }
  result.different += differs ? 1 : 0;
  CheckRequest request = kernel_;
  request.llvm_ir = mutant->text;
  const absl::StatusOr<Certificate> certificate = Check(request, options_);
  if (!certificate.ok() || certificate->verdict == Verdict::kUnknown) {
    ++result.unknown;
    return;
  }
  if (certificate->verdict == Verdict::kRefuted) {
    ++result.refuted;
    return;
  }
  ++result.proved;
  for (int i = 0; i < inputs; ++i) {
    const std::string difference =
        Difference(mutant->text, static_cast<uint64_t>(i), certificate->bounds);
    if (difference.empty()) continue;
    result.wrong.push_back(
        absl::StrCat(name_, ", seed ", seed, ": ", mutant->what, ": ", difference));
    return;
  }
}

}  // namespace quern::verifier
