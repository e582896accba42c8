#include <algorithm>
#include <cstring>

#include "frontend/scalar_function.h"
#include "frontend/strided.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// The dimensions of a tensor, the reduced ones first.
static llvm::SmallVector<int64_t> ReducedFirst(llvm::ArrayRef<int64_t> reduced, int64_t rank) {
  llvm::SmallVector<int64_t> order(reduced);
  llvm::sort(order);
  for (int64_t i = 0; i < rank; ++i) {
    if (!llvm::is_contained(reduced, i)) order.push_back(i);
  }
  return order;
}

// As a matrix of all reduced elements by all results: row by row, the results take their elements
// in row-major order, many results at once.
static absl::StatusOr<std::vector<Tensor>> Reduce(hlo::ReduceOp reduce, const Scope& scope) {
  const size_t count = reduce.getInputs().size();
  std::vector<Tensor> results, moved(count);
  std::vector<const std::byte*> inputs;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    QUERN_ASSIGN_OR_RETURN(Tensor result, Spread(scope(reduce.getInitValues()[i]),
                                                 hlo::ToTensorType(reduce.getType(i))->shape));
    results.push_back(std::move(result));
    const Tensor& input = scope(reduce.getInputs()[i]);
    sizes.push_back(ByteSize(input.type().element));
    const auto order = ReducedFirst(reduce.getDimensions(), input.type().shape.size());
    const bool in_order = llvm::is_sorted(order);
    if (!in_order) {
      QUERN_ASSIGN_OR_RETURN(moved[i], Transpose(input, order));
    }
    inputs.push_back(in_order ? input.data() : moved[i].data());
  }
  QUERN_ASSIGN_OR_RETURN(ScalarFunction body, ScalarFunction::Create(reduce.getBody(), scope));
  const int64_t columns = results[0].type().num_elements();
  const int64_t elements = scope(reduce.getInputs()[0]).type().num_elements();
  const int64_t rows = columns == 0 ? 0 : elements / columns;
  std::vector<const std::byte*> arguments(2 * count);
  std::vector<std::byte*> accumulators(count);
  for (int64_t at = 0; at < columns; at += ScalarFunction::kLanes) {
    const int64_t lanes = std::min(ScalarFunction::kLanes, columns - at);
    for (size_t i = 0; i < count; ++i)
      arguments[i] = accumulators[i] = results[i].data() + at * sizes[i];
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < count; ++i)
        arguments[count + i] = inputs[i] + (row * columns + at) * sizes[i];
      QUERN_RETURN_IF_ERROR(body.Run(arguments, accumulators, lanes));
    }
  }
  return results;
}

Evaluator FindReduce(mlir::Operation& op) {
  return llvm::isa<hlo::ReduceOp>(op) ? Several<hlo::ReduceOp, Reduce> : nullptr;
}

}  // namespace quern::frontend
