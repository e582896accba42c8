// A region on scalars, as the body of a reduce, run on many at once.
#ifndef QUERN_FRONTEND_SCALAR_FUNCTION_H_
#define QUERN_FRONTEND_SCALAR_FUNCTION_H_

#include <optional>
#include <vector>

#include "frontend/evaluate.h"
#include "llvm/ADT/DenseMap.h"

namespace quern::frontend {

// A region of element-wise ops becomes steps over slots, which hold one value for each of up to
// kLanes calls; any other region is evaluated call by call.
class ScalarFunction {
 public:
  static constexpr int64_t kLanes = 256;

  // The region's arguments and results are scalars; it may use values of `scope`, which outlives
  // the function.
  static absl::StatusOr<ScalarFunction> Create(mlir::Region& region, const Scope& scope);

  // results[i][0..lanes) = function(arguments[0][0..lanes), ...). A result may lie where an
  // argument lies.
  absl::Status Run(llvm::ArrayRef<const std::byte*> arguments, llvm::ArrayRef<std::byte*> results,
                   int64_t lanes);

 private:
  struct Step {
    Elementwise run;
    llvm::SmallVector<size_t, 3> operands;
    size_t result;
  };

  ScalarFunction(mlir::Block& block, const Scope& scope) : block_(&block), scope_(scope) {}
  size_t NewSlot(mlir::Value value);
  absl::StatusOr<size_t> SlotOf(mlir::Value value);
  absl::Status FillSlot(mlir::Value value, const Tensor& scalar);
  absl::StatusOr<bool> AddStep(mlir::Operation& op);  // false if it is no such step
  absl::Status RunLaneByLane(llvm::ArrayRef<const std::byte*> arguments,
                             llvm::ArrayRef<std::byte*> results, int64_t lanes) const;

  mlir::Block* block_;
  Scope scope_;
  std::optional<BlockEvaluator> general_;  // for a region that is no list of steps
  llvm::DenseMap<mlir::Value, size_t> numbers_;
  std::vector<std::vector<std::byte>> slots_;  // by slot
  std::vector<int64_t> sizes_;                 // of an element
  std::vector<const std::byte*> where_;        // where a slot's value lies; arguments lie outside
  std::vector<Step> steps_;
  std::vector<size_t> results_;
  std::vector<std::vector<std::byte>> staging_;  // by result
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SCALAR_FUNCTION_H_
