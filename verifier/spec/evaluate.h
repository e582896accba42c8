// The module's results on concrete inputs, element by element.
#ifndef QUERN_VERIFIER_SPEC_EVALUATE_H_
#define QUERN_VERIFIER_SPEC_EVALUATE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// Evaluates in the declared types (scalar.h) and order: reduce folds from the initial value over
// the elements in row-major order; dot_general converts its operands to f32 (f64 stays f64,
// integers: to the result's type), multiplies, then adds, from 0 over the contracted dimensions in
// row-major order as listed, and rounds once to the result's type. A convolution does so over the
// window's dimensions, then the input features; padding takes part, as zeros, and in reduce_window
// as initial values.
class Evaluator {
 public:
  // Both outlive this. Requires inputs of the types of the graph's arguments.
  Evaluator(const SpecGraph& graph, std::vector<const Tensor*> inputs);
  ~Evaluator();
  Evaluator(Evaluator&&);

  // One element; exact as a double. Values on the way are remembered for later calls. Raises
  // FE_INEXACT if anything was rounded, also before. kInvalidArgument: no such element;
  // kResourceExhausted: more than 1e9 scalar operations, or values nest too deeply.
  absl::StatusOr<double> At(int result, const std::vector<int64_t>& index);
  absl::StatusOr<Tensor> Result(int result);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_EVALUATE_H_
