// Runs a program of the quern dialect on tensors: for tests of rules, slow and plain.
#ifndef QUERN_SEARCH_TESTING_EXECUTE_H_
#define QUERN_SEARCH_TESTING_EXECUTE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::search {

// The outputs, by position. kInvalidArgument if the program reads or writes outside a buffer, reads
// an element that nothing wrote, leaves an element of an output unwritten, or holds an op that is
// not known. All mappings run serially, in order.
absl::StatusOr<std::vector<Tensor>> Execute(mlir::ModuleOp module,
                                            const std::vector<Tensor>& inputs);

}  // namespace quern::search

#endif  // QUERN_SEARCH_TESTING_EXECUTE_H_
