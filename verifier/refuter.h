// Turns the suspicion that an obligation fails into a counterexample, by running the kernels on the
// concrete machine.
#ifndef QUERN_VERIFIER_REFUTER_H_
#define QUERN_VERIFIER_REFUTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
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

// What rounding may do to an element on given inputs, by index.
struct Margin {
  bool finite = false;  // the reference's is a finite number, however it is rounded
  // How far the kernel's may lie from the reference's if both stand for one real number.
  std::optional<double> distance;
};
using Margins = std::function<Margin(const std::vector<int64_t>& index,
                                     const std::vector<const Tensor*>& inputs)>;

// Where to look. Everything is optional: without a kernel and block all blocks are run.
struct Suspect {
  int kernel = -1;  // index into LaunchPlan::kernels
  std::optional<BlockIndex> block;
  int output = -1;
  std::vector<int64_t> index = {};  // of that output
  // In `real`, what is known of that output's elements on given inputs; empty: nothing. Holds what
  // a proof knows, which outlives it.
  Margins margins = {};
};

struct RefuterOptions {
  Semantics semantics = Semantics::kReal;
  std::vector<Box> boxes;
  int trials = 18;                          // seeds 0, 1, ...
  int64_t budget = 4'000'000'000;           // lanes of instructions, all trials together
  int64_t samples = 2048;                   // output elements compared in each trial
  int64_t memory_bytes = int64_t{1} << 30;  // of all buffers; larger plans are not run
  double seconds = 20;                      // wall clock
};

// A counterexample that happened, `replayed` set, or nothing. A value counts as wrong if
//   exact, ordered: it differs (NaNs are equal, and zeros are);
//   real: neither the kernel nor the reference rounded anywhere and it differs, so that the two are
//     different functions over the reals; or, of the few elements that differ most, it is further
//     away than the suspect's margin, or not finite where the reference's is;
//   integers and bools: it differs.
// `module` and `plan` have passed CheckLaunch.
std::optional<Counterexample> Refute(const Module& module, const LaunchPlan& plan,
                                     const Reference& reference, const Suspect& suspect,
                                     const RefuterOptions& options);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REFUTER_H_
