// Inputs to look for counterexamples with, derived from a seed so that a counterexample names them.
#ifndef QUERN_VERIFIER_TRIAL_INPUTS_H_
#define QUERN_VERIFIER_TRIAL_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/launch_plan.h"
#include "bundle/tensor.h"
#include "verifier/checker.h"

namespace quern::verifier {

// The arguments of the spec, by position. Floats lie in all their boxes ([-1024, 1024] without
// one). Seeds take turns: small integers, whose sums and products are exact; mostly zeros, in
// every other row nothing else; any value of the box (and any integer); values in [-1, 1], and in
// [0.5, 1], where roots and quotients are steep nowhere; falling and rising sequences, of negative
// numbers if the box has them, which tell the ends of a maximum; the box's least number but for its
// greatest where a row, of the last dimension, begins or ends.
// kInvalidArgument: the plan's inputs are not numbered from 0, or a box is empty;
// kResourceExhausted.
absl::StatusOr<std::vector<Tensor>> TrialInputs(const LaunchPlan& plan,
                                                const std::vector<Box>& boxes, uint64_t seed);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TRIAL_INPUTS_H_
