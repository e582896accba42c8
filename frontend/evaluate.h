// StableHLO ops on tensors in host memory, one family a source file.
#ifndef QUERN_FRONTEND_EVALUATE_H_
#define QUERN_FRONTEND_EVALUATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bundle/status.h"
#include "bundle/tensor.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/Block.h"

namespace quern::frontend {

// The tensor that a value in scope holds.
using Lookup = llvm::function_ref<const Tensor&(mlir::Value)>;

// Runs an op that no family has; it may have no results.
using OtherOps = llvm::function_ref<absl::Status(mlir::Operation&, Lookup)>;

// What the ops of a block return, given its arguments. Ops that no family has go to `other`. A
// value is dropped after its last use. Loops count their iterations down from *iterations, if it is
// given: kResourceExhausted at 0.
absl::StatusOr<std::vector<Tensor>> EvaluateBlock(mlir::Block& block,
                                                  absl::Span<const Tensor> arguments,
                                                  OtherOps other, int64_t* iterations = nullptr);

// "file:line:column: error: stablehlo.divide is not defined on tensor<2xi1>".
absl::Status UndefinedOp(mlir::Operation& op);

// ---- What a family gets and gives

// A tensor that several values may hold.
using SharedTensor = std::shared_ptr<const Tensor>;

// What an op finds around it; lives as long as the op runs.
class Scope {
 public:
  Scope(llvm::function_ref<const SharedTensor&(mlir::Value)> find, OtherOps other,
        int64_t* iterations)
      : find_(find), other_(other), iterations_(iterations) {}
  const Tensor& operator()(mlir::Value value) const { return *find_(value); }
  const SharedTensor& Share(mlir::Value value) const { return find_(value); }
  OtherOps other() const { return other_; }
  int64_t* iterations() const { return iterations_; }  // that loops have left; null: no limit

 private:
  llvm::function_ref<const SharedTensor&(mlir::Value)> find_;
  OtherOps other_;
  int64_t* iterations_;
};

// The results of an op.
using Evaluator = absl::StatusOr<std::vector<SharedTensor>> (*)(mlir::Operation&, const Scope&);

// Evaluators of functions from an op to one tensor or to several.
template <typename Op, auto kFunction>
absl::StatusOr<std::vector<SharedTensor>> Single(mlir::Operation& op, const Scope& scope) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, kFunction(llvm::cast<Op>(op), scope));
  return std::vector<SharedTensor>{std::make_shared<const Tensor>(std::move(result))};
}
template <typename Op, auto kFunction>
absl::StatusOr<std::vector<SharedTensor>> Several(mlir::Operation& op, const Scope& scope) {
  QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> results, kFunction(llvm::cast<Op>(op), scope));
  std::vector<SharedTensor> shared;
  for (Tensor& result : results)
    shared.push_back(std::make_shared<const Tensor>(std::move(result)));
  return shared;
}

// Of the family that has the op; null if none does.
Evaluator FindEvaluator(mlir::Operation& op);

// A block, ready to run often.
class BlockEvaluator {
 public:
  explicit BlockEvaluator(mlir::Block& block);
  // What the block returns, in `outer`, whose values and iterations it may use; null for a
  // function's body, which has `iterations`.
  absl::StatusOr<std::vector<SharedTensor>> Run(llvm::ArrayRef<SharedTensor> arguments,
                                                const Scope* outer, OtherOps other,
                                                int64_t* iterations = nullptr) const;

 private:
  struct Step {
    mlir::Operation* op;
    Evaluator evaluate;                     // null if no family has the op
    llvm::SmallVector<mlir::Value> unused;  // after the op
  };
  mlir::Block& block_;
  std::vector<Step> steps_;
};

// ---- The families: null for an op of another one

Evaluator FindControl(mlir::Operation& op);      // if, case, while, optimization_barrier
Evaluator FindMovement(mlir::Operation& op);     // of elements that stay as they are
Evaluator FindBitcast(mlir::Operation& op);      // bitcast_convert
Evaluator FindIndexing(mlir::Operation& op);     // gather, scatter
Evaluator FindSort(mlir::Operation& op);         // sort
Evaluator FindReduce(mlir::Operation& op);       // reduce
Evaluator FindWindow(mlir::Operation& op);       // reduce_window, select_and_scatter
Evaluator FindDot(mlir::Operation& op);          // dot_general
Evaluator FindConvolution(mlir::Operation& op);  // convolution
Evaluator FindLinear(mlir::Operation& op);       // triangular_solve, cholesky
Evaluator FindFft(mlir::Operation& op);          // fft
Evaluator FindRandom(mlir::Operation& op);       // rng_bit_generator

// ---- Element-wise ops

// Element i of the result from element i of each operand. The result may be one of the operands.
using Elementwise =
    std::function<void(const std::byte* const* operands, std::byte* result, int64_t count)>;

// Null if `op` is not element-wise or not defined on its element types.
Elementwise FindElementwise(mlir::Operation& op);
Elementwise FindFunction(mlir::Operation& op, ElementType type);  // what it computes in f64
Elementwise FindConversion(ElementType from, ElementType to);
Elementwise FindComparison(stablehlo::CompareOp compare, ElementType type);
Elementwise FindReducePrecision(ElementType type, int exponent_bits, int mantissa_bits);

// Element by element; null if there is no such conversion.
absl::StatusOr<Tensor> Convert(Tensor tensor, ElementType element);

// ---- Helpers that families share

absl::StatusOr<Tensor> Transpose(const Tensor& operand, llvm::ArrayRef<int64_t> permutation);
// A scalar in every element.
absl::StatusOr<Tensor> Spread(const Tensor& scalar, std::vector<int64_t> shape);
// An integer or a bool as an index; what is above the largest int64_t becomes that.
int64_t IndexAt(const Tensor& tensor, int64_t position);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EVALUATE_H_
