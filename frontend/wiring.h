// How the steps of a partition are joined to the model again.
#ifndef QUERN_FRONTEND_WIRING_H_
#define QUERN_FRONTEND_WIRING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "frontend/partition.h"

namespace quern::frontend {

// Values by name: "argument N" of the model, "constant N" of the list below, and "value N" for the
// Nth result of the steps.
struct Wiring {
  struct Step {
    size_t part = 0;
    std::vector<std::string> arguments, results;
  };
  std::vector<Step> steps;           // in the order of the partition's
  std::vector<std::string> results;  // of the model
  std::vector<Tensor> constants;
};

// kResourceExhausted if a constant does not fit in memory.
absl::StatusOr<Wiring> WiringOf(const Spec& model, const Partition& partition);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_WIRING_H_
