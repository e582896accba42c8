// What goes into and comes out of a kernel.
#ifndef QUERN_WORKERS_SIGNATURE_H_
#define QUERN_WORKERS_SIGNATURE_H_

#include <vector>

#include "bundle/launch_plan.h"
#include "bundle/tensor_type.h"

namespace quern::workers {

struct Signature {
  std::vector<TensorType> arguments;
  std::vector<TensorType> results;
  bool operator==(const Signature&) const = default;
};

// Requires a valid plan whose inputs and outputs are numbered without gaps.
Signature SignatureOf(const LaunchPlan& plan);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_SIGNATURE_H_
