#include "verifier/refuter.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/tensor.h"
#include "verifier/trial_inputs.h"

namespace quern::verifier {

static std::vector<int64_t> Unravel(int64_t offset, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t i = shape.size(); i-- > 0; offset /= shape[i]) index[i] = offset % shape[i];
  return index;
}

// One set of inputs and the search over it.
class Trial {
 public:
  Trial(const Module& module, const LaunchPlan& plan, const Reference& reference,
        const Suspect& suspect, const RefuterOptions& options, uint64_t seed)
      : plan_(plan),
        reference_(reference),
        suspect_(suspect),
        options_(options),
        seed_(seed),
        emulator_(module, plan) {}

  std::optional<Counterexample> Search(const std::vector<Tensor>& inputs, int64_t* budget,
                                       std::chrono::steady_clock::time_point deadline);

 private:
  EmulatedFault Run(int64_t* budget);
  std::optional<Counterexample> Compare(int buffer, std::chrono::steady_clock::time_point deadline);
  std::optional<Counterexample> CompareAt(int buffer, int64_t offset);
  // The first of the doubtful elements, those that differ most first, that rounding cannot explain.
  std::optional<Counterexample> CompareDoubtful();
  Counterexample Describe(const EmulatedFault& fault) const;

  const LaunchPlan& plan_;
  const Reference& reference_;
  const Suspect& suspect_;
  const RefuterOptions& options_;
  const uint64_t seed_;
  // An element that differs, which rounding might explain.
  struct Doubtful {
    double distance = 0;  // relative; infinite if only the kernel's is not finite
    Counterexample example;
  };

  Emulator emulator_;
  std::vector<const Tensor*> inputs_;
  std::vector<Doubtful> doubtful_;
  Evaluation evaluation_;
  bool rounded_ = false;  // by the kernels
};

// The suspect block needs what earlier kernels left, and nothing else of its own kernel.
EmulatedFault Trial::Run(int64_t* budget) {
  if (suspect_.kernel < 0 || !suspect_.block.has_value()) return emulator_.RunAll(budget);
  for (int kernel = 0; kernel < suspect_.kernel; ++kernel) {
    const EmulatedFault fault = emulator_.RunKernel(kernel, budget);
    if (fault.fault.kind != FaultKind::kNone) return fault;
  }
  return emulator_.RunBlock(suspect_.kernel, *suspect_.block, budget);
}

Counterexample Trial::Describe(const EmulatedFault& found) const {
  Counterexample example{.kind = Name(found.fault.kind),
                         .message = found.fault.message,
                         .kernel = "",
                         .block = {},
                         .index = {},
                         .input_seed = seed_,
                         .replayed = true};
  if (found.kernel >= 0) {
    example.kernel = plan_.kernels[found.kernel].symbol;
    example.block.assign(found.block.begin(), found.block.end());
    example.message =
        absl::StrCat("block (", absl::StrJoin(found.block, ", "), ") of @", example.kernel, ": ",
                     found.fault.message, ": ", found.fault.instruction);
  }
  for (const BufferPlan& buffer : plan_.buffers) {
    if (buffer.role != BufferRole::kOutput || buffer.position != found.output) continue;
    example.index = Unravel(found.byte / ByteSize(buffer.type.element), buffer.type.shape);
    example.message = absl::StrCat("no block writes element [", absl::StrJoin(example.index, ", "),
                                   "] of result ", found.output);
  }
  return example;
}

std::optional<Counterexample> Trial::CompareAt(int index, int64_t offset) {
  const BufferPlan& buffer = plan_.buffers[index];
  const ElementType element = buffer.type.element;
  const std::vector<int64_t> at = Unravel(offset, buffer.type.shape);
  std::feclearexcept(FE_INEXACT);
  const absl::StatusOr<double> expected = evaluation_(buffer.position, at);
  if (!expected.ok()) return std::nullopt;
  const bool rounded = rounded_ || std::fetestexcept(FE_INEXACT) != 0;
  const double actual = LoadElement(element, emulator_.data(index), offset);
  if (*expected == actual || (std::isnan(*expected) && std::isnan(actual))) return std::nullopt;
  Counterexample example{
      .kind = "value",
      .message = absl::StrCat("result ", buffer.position, " at [", absl::StrJoin(at, ", "), "] is ",
                              actual, ", the spec says ", *expected),
      .kernel = "",
      .block = {},
      .index = at,
      .expected = *expected,
      .actual = actual,
      .input_seed = seed_,
      .replayed = true};
  if (suspect_.kernel >= 0) example.kernel = plan_.kernels[suspect_.kernel].symbol;
  if (suspect_.block.has_value()) {
    example.block.assign(suspect_.block->begin(), suspect_.block->end());
  }
  if (options_.semantics != Semantics::kReal || !IsFloat(element) || !rounded) return example;
  if (suspect_.margins && buffer.position == suspect_.output && std::isfinite(*expected)) {
    const double most = std::max(std::fabs(*expected), std::fabs(actual));
    const double distance = std::isfinite(actual) ? std::fabs(*expected - actual) / most : HUGE_VAL;
    doubtful_.push_back({distance, std::move(example)});
  }
  return std::nullopt;
}

std::optional<Counterexample> Trial::CompareDoubtful() {
  static constexpr size_t kMostCompared = 4;
  const size_t count = std::min(kMostCompared, doubtful_.size());
  std::partial_sort(doubtful_.begin(), doubtful_.begin() + static_cast<ptrdiff_t>(count),
                    doubtful_.end(),
                    [](const Doubtful& a, const Doubtful& b) { return a.distance > b.distance; });
  for (size_t i = 0; i < count; ++i) {
    const Counterexample& example = doubtful_[i].example;
    const Margin margin = suspect_.margins(example.index, inputs_);
    const bool wrong = std::isfinite(example.actual)
                           ? margin.distance.has_value() &&
                                 std::fabs(example.expected - example.actual) > *margin.distance
                           : margin.finite;
    if (wrong) return example;
  }
  return std::nullopt;
}

std::optional<Counterexample> Trial::Compare(int index,
                                             std::chrono::steady_clock::time_point deadline) {
  const BufferPlan& buffer = plan_.buffers[index];
  const int64_t bytes = ByteSize(buffer.type.element);
  const int64_t count = buffer.type.num_elements();
  const ByteSet& written = emulator_.initialised(index);
  const auto compare = [&](int64_t offset) {
    return written.All(offset * bytes, offset * bytes + bytes) ? CompareAt(index, offset)
                                                               : std::nullopt;
  };
  if (suspect_.output == buffer.position && suspect_.index.size() == buffer.type.shape.size()) {
    const int64_t offset = PhysicalOffset({}, buffer.type.shape, suspect_.index);
    if (offset >= 0 && offset < count) {
      if (std::optional<Counterexample> example = compare(offset)) return example;
    }
  }
  // A stride that shares no factor with the usual tile sizes.
  const int64_t stride = count <= options_.samples ? 1 : (count / options_.samples) | 1;
  int64_t compared = 0;
  for (int64_t offset = 0; offset < count; offset += 1) {
    if (!written.Has(offset * bytes)) continue;
    if (compared++ % stride != 0) continue;
    if (std::optional<Counterexample> example = compare(offset)) return example;
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Counterexample> Trial::Search(const std::vector<Tensor>& inputs, int64_t* budget,
                                            std::chrono::steady_clock::time_point deadline) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    emulator_.SetInput(static_cast<int>(i), &inputs[i]);
    inputs_.push_back(&inputs[i]);
  }
  evaluation_ = reference_(inputs_);
  emulator_.SetDeadline(deadline);
  std::feclearexcept(FE_INEXACT);
  const EmulatedFault fault = Run(budget);
  rounded_ = std::fetestexcept(FE_INEXACT) != 0;
  if (IsDefect(fault.fault.kind)) return Describe(fault);
  if (fault.fault.kind != FaultKind::kNone) return std::nullopt;
  for (size_t i = 0; i < plan_.buffers.size(); ++i) {
    if (plan_.buffers[i].role != BufferRole::kOutput) continue;
    std::optional<Counterexample> example = Compare(static_cast<int>(i), deadline);
    if (example.has_value()) return example;
  }
  return CompareDoubtful();
}

std::optional<Counterexample> Refute(const Module& module, const LaunchPlan& plan,
                                     const Reference& reference, const Suspect& suspect,
                                     const RefuterOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(options.seconds));
  int64_t bytes = 0;
  for (const BufferPlan& buffer : plan.buffers) {
    if (buffer.bytes > options.memory_bytes - bytes) return std::nullopt;
    bytes += buffer.bytes;
  }
  int64_t budget = options.budget;
  for (int trial = 0; trial < options.trials; ++trial) {
    if (budget <= 0 || std::chrono::steady_clock::now() > deadline) break;
    const uint64_t seed = static_cast<uint64_t>(trial);
    const absl::StatusOr<std::vector<Tensor>> inputs = TrialInputs(plan, options.boxes, seed);
    if (!inputs.ok()) return std::nullopt;
    if (std::chrono::steady_clock::now() > deadline) break;
    Trial search(module, plan, reference, suspect, options, seed);
    std::optional<Counterexample> example = search.Search(*inputs, &budget, deadline);
    if (example.has_value()) return example;
  }
  return std::nullopt;
}

}  // namespace quern::verifier
