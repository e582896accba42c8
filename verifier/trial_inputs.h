// Inputs to look for counterexamples with, derived from a seed so that a counterexample names them.
#ifndef QUERN_VERIFIER_TRIAL_INPUTS_H_
#define QUERN_VERIFIER_TRIAL_INPUTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "bundle/tensor.h"
#include "verifier/checker.h"

namespace quern::verifier {

// The arguments of the spec, by position. Floats lie in all their boxes ([-1024, 1024] without
// one). Seeds take turns: small integers, whose sums and products are exact; mostly zeros; any
// value of the box (and any integer); values close to 0, and below 1 but not close to 0; falling
// and rising sequences, of negative numbers if the box has them, which tell the ends of a maximum.
// kInvalidArgument: the plan's inputs are not numbered from 0, or a box is empty;
// kResourceExhausted.
absl::StatusOr<std::vector<Tensor>> TrialInputs(const LaunchPlan& plan,
                                                const std::vector<Box>& boxes, uint64_t seed);

// Small values, for which rounding errors have small bounds: kinds 0, [-1, 1], and 1, [0.5, 1],
// where roots and quotients are steep nowhere.
inline constexpr int kSmallKinds = 2;
// The kind of this seed: all floats lie in SmallBox of their box.
std::optional<int> SmallKind(uint64_t seed);
Box SmallBox(int kind, const Box& box);  // the part in the kind's interval; all if there is none

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TRIAL_INPUTS_H_
