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
// one). Seeds take turns: small integers, whose sums and products are exact; mostly zeros; any
// value of the box (and any integer); values of the box close to 0; falling and rising sequences,
// of negative numbers if the box has them, which tell the ends of a maximum. kInvalidArgument: the
// plan's inputs are not numbered from 0, or a box is empty; kResourceExhausted.
absl::StatusOr<std::vector<Tensor>> TrialInputs(const LaunchPlan& plan,
                                                const std::vector<Box>& boxes, uint64_t seed);

// Whether the floats of this seed are close to 0: all lie in CloseBox of their box.
bool IsClose(uint64_t seed);
Box CloseBox(const Box& box);  // the part in [-1, 1], if there is one

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TRIAL_INPUTS_H_
