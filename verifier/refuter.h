// Turns the suspicion that an obligation fails into a counterexample, by running the kernels on the
// concrete machine.
#ifndef QUERN_VERIFIER_REFUTER_H_
#define QUERN_VERIFIER_REFUTER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/certificate.h"
#include "bundle/launch_plan.h"
#include "bundle/tensor.h"
#include "verifier/checker.h"
#include "verifier/machine/emulator.h"
#include "verifier/machine/function.h"
#include "verifier/trial_inputs.h"

namespace quern::verifier {

// Element `index` of result `result` of the user's module, in its declared types and order. Raises
// FE_INEXACT if an operation on the way rounded (machine/float_bits.h helps) or is transcendental.
using Evaluation =
    std::function<absl::StatusOr<double>(int result, const std::vector<int64_t>& index)>;
// Called once for each set of inputs, which outlive the evaluation.
using Reference = std::function<Evaluation(const std::vector<const Tensor*>& inputs)>;

// Where to look. Everything is optional: without a kernel and block all blocks are run.
struct Suspect {
  int kernel = -1;  // index into LaunchPlan::kernels
  std::optional<BlockIndex> block;
  int output = -1;
  std::vector<int64_t> index = {};  // of that output
  // In `real`, by the kind of small inputs: how far elements of that output in this box, [first,
  // last] by dimension, may lie from the reference's if both stand for one real number.
  std::array<std::optional<double>, kSmallKinds> tolerances = {};
  std::vector<std::pair<int64_t, int64_t>> region = {};
};

struct RefuterOptions {
  Semantics semantics = Semantics::kReal;
  std::vector<Box> boxes;
  // By output: how far the kernel's value may lie from the reference's, in `real`, for inputs in
  // the boxes; an output not named here is compared only where nothing was rounded.
  std::vector<double> tolerances;
  int trials = 14;                          // seeds 0, 1, ...
  int64_t budget = 4'000'000'000;           // lanes of instructions, all trials together
  int64_t samples = 2048;                   // output elements compared in each trial
  int64_t memory_bytes = int64_t{1} << 30;  // of all buffers; larger plans are not run
  double seconds = 20;                      // wall clock
};

// A counterexample that happened, `replayed` set, or nothing. A value counts as wrong if
//   exact, ordered: it differs (NaNs are equal, and zeros are);
//   real: neither the kernel nor the reference rounded anywhere and it differs, so that the two are
//     different functions over the reals; or it is further away than the output's or, with small
//     inputs, the suspect's tolerance;
//   integers and bools: it differs.
// `module` and `plan` have passed CheckLaunch.
std::optional<Counterexample> Refute(const Module& module, const LaunchPlan& plan,
                                     const Reference& reference, const Suspect& suspect,
                                     const RefuterOptions& options);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REFUTER_H_
