// A whole model as specs small enough to search for kernels of.
#ifndef QUERN_FRONTEND_PARTITION_H_
#define QUERN_FRONTEND_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor_type.h"
#include "frontend/spec.h"
#include "frontend/work.h"
#include "mlir/IR/Value.h"

namespace quern::frontend {

// One distinct spec of a model. Constants of more than 64 elements are arguments of it, so that
// layers that differ in their weights alone are one spec.
struct Part {
  std::string text;    // canonical, with one function @main
  std::string sha256;  // the spec's digest
  std::string ops;     // "dot_general, add, 2 multiply": in the order of the first of each
  std::vector<TensorType> arguments, results;
  Work work;
  std::string opaque;     // why it is no spec: a call of a library; `text` is as it stands then
  Spec spec;              // unless opaque
  int64_t count = 0;      // of groups of the model
  int64_t in_bodies = 0;  // of these, in bodies of loops and branches
};

// One group of the main function: what it takes and gives, as values of the model.
struct Step {
  size_t part = 0;
  std::vector<mlir::Value> arguments, results;
};

struct Partition {
  std::vector<Part> parts;  // by first use
  std::vector<Step> steps;  // run in this order they are the main function
};

// Groups as in partition_groups.h; a loop or branch is a step of its own, and the groups of its
// bodies are parts beside it. The values live as long as the model, which may be one of ParseModel.
// kInvalidArgument: a group is no spec.
absl::StatusOr<Partition> PartitionModel(const Spec& model);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_PARTITION_H_
