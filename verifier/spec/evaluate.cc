#include "verifier/spec/evaluate.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "verifier/spec/denote.h"
#include "verifier/spec/scalar.h"

#pragma STDC FP_CONTRACT OFF

namespace quern::verifier {

static constexpr int64_t kMaxSteps = 1'000'000'000;

// Steps through the box in row-major order; false at its end.
static bool Next(const std::vector<int64_t>& extents, std::vector<int64_t>& k) {
  for (size_t i = k.size(); i-- > 0; k[i] = 0) {
    if (++k[i] < extents[i]) return true;
  }
  return false;
}

static bool IsEmpty(const std::vector<int64_t>& extents) {
  for (int64_t extent : extents) {
    if (extent == 0) return true;
  }
  return false;
}

class ConcreteAlgebra {
 public:
  using Coordinate = int64_t;
  using Value = Scalar;
  using Index = std::vector<int64_t>;

  explicit ConcreteAlgebra(std::vector<const Tensor*> inputs) : inputs_(std::move(inputs)) {}
  void Restart() { steps_ = 0; }

  int64_t Number(int64_t n) { return n; }
  absl::StatusOr<int64_t> Add(int64_t a, int64_t b) { return a + b; }
  absl::StatusOr<int64_t> Multiply(int64_t a, int64_t b) { return a * b; }
  absl::StatusOr<int64_t> Divide(int64_t a, int64_t b) { return a / b; }
  absl::StatusOr<int64_t> Remainder(int64_t a, int64_t b) { return a % b; }
  absl::StatusOr<bool> Within(int64_t a, int64_t low, int64_t high) {
    return low <= a && a <= high;
  }
  absl::StatusOr<int64_t> Clamped(const SpecNode&, ElementType type, Scalar value, int64_t low,
                                  int64_t high) {
    if (IsSigned(type)) return std::clamp(value.integer, low, high);
    const auto number = static_cast<uint64_t>(value.integer);
    return number > static_cast<uint64_t>(high) ? high : std::max(value.integer, low);
  }
  absl::StatusOr<Scalar> IsAt(const SpecNode&, ElementType type, Scalar value, int64_t place) {
    const bool beyond = !IsSigned(type) && value.integer < 0;  // more than any place
    return Scalar{.integer = !beyond && value.integer == place};
  }
  absl::StatusOr<bool> Decide(const SpecNode&, Scalar value) { return value.integer != 0; }

  absl::StatusOr<Scalar> Argument(const SpecNode& node, int64_t offset) {
    return Load(*inputs_[node.number], offset);
  }
  absl::StatusOr<Scalar> Constant(const SpecNode& node, int64_t offset) {
    return Load(*node.constant, offset);
  }
  absl::StatusOr<Scalar> Iota(const SpecNode& node, int64_t coordinate) {
    return Convert(ElementType::kI64, node.type.element, {.integer = coordinate});
  }
  absl::StatusOr<Scalar> Apply(const SpecNode& node, ElementType element,
                               const std::vector<Scalar>& operands) {
    QUERN_RETURN_IF_ERROR(Step(node));
    return quern::verifier::Apply(node, element, operands);
  }

  template <typename Element, typename Body>
  absl::StatusOr<std::vector<Scalar>> Reduce(const SpecNode& node, std::vector<Scalar> values,
                                             const std::vector<int64_t>& extents, Element element,
                                             Body body) {
    if (IsEmpty(extents)) return values;
    Index k(extents.size(), 0);
    do {
      QUERN_RETURN_IF_ERROR(Step(node));
      QUERN_ASSIGN_OR_RETURN(std::vector<Scalar> elements, element(k));
      QUERN_ASSIGN_OR_RETURN(values, body(values, elements));
    } while (Next(extents, k));
    return values;
  }

  template <typename Element>
  absl::StatusOr<Scalar> Dot(const SpecNode& node, ElementType operand,
                             const std::vector<int64_t>& extents, Element element) {
    // Integers wrap at the end as they would at each step.
    const bool floating = IsFloat(operand);
    const ElementType type = floating ? SumType(operand) : node.type.element;
    Scalar sum;
    if (IsEmpty(extents)) return sum;
    const SpecNode multiply{.op = SpecOp::kMultiply, .type = {}};
    const SpecNode add{.op = SpecOp::kAdd, .type = {}};
    Index k(extents.size(), 0);
    do {
      QUERN_RETURN_IF_ERROR(Step(node));
      QUERN_ASSIGN_OR_RETURN(auto pair, element(k));
      const Scalar factors[] = {Convert(operand, type, pair.first),
                                Convert(operand, type, pair.second)};
      const Scalar terms[] = {sum, quern::verifier::Apply(multiply, type, factors)};
      sum = quern::verifier::Apply(add, type, terms);
    } while (Next(extents, k));
    return Convert(type, node.type.element, sum);
  }

  // Merges, so that it ends whatever `before` says.
  template <typename Before>
  absl::StatusOr<Index> Sort(const SpecNode& node, int64_t count, Before before) {
    Index order(count), merged(count);
    std::iota(order.begin(), order.end(), 0);
    for (int64_t width = 1; width < count; width *= 2) {
      for (int64_t begin = 0; begin < count; begin += 2 * width) {
        const int64_t middle = std::min(begin + width, count);
        const int64_t end = std::min(middle + width, count);
        int64_t left = begin, right = middle;
        for (int64_t out = begin; out < end; ++out) {
          bool take_right = left == middle;
          if (left < middle && right < end) {
            QUERN_RETURN_IF_ERROR(Step(node));
            QUERN_ASSIGN_OR_RETURN(Scalar earlier, before(order[right], order[left]));
            take_right = earlier.integer != 0;
          }
          merged[out] = order[take_right ? right++ : left++];
        }
      }
      order.swap(merged);
    }
    return order;
  }

 private:
  absl::Status Step(const SpecNode& node) {
    if (++steps_ <= kMaxSteps) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(node.where, ": too much to evaluate"));
  }

  std::vector<const Tensor*> inputs_;
  int64_t steps_ = 0;
};

class Evaluator::State {
 public:
  State(const SpecGraph& graph, std::vector<const Tensor*> inputs)
      : graph(graph), algebra(std::move(inputs)), denotation(graph, algebra) {}

  const SpecGraph& graph;
  ConcreteAlgebra algebra;
  Denotation<ConcreteAlgebra> denotation;
};

Evaluator::Evaluator(const SpecGraph& graph, std::vector<const Tensor*> inputs) {
  assert(inputs.size() == graph.arguments.size());
  for (size_t i = 0; i < inputs.size(); ++i) assert(inputs[i]->type() == graph.arguments[i]);
  state_ = std::make_unique<State>(graph, std::move(inputs));
}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) = default;

absl::StatusOr<double> Evaluator::At(int result, const std::vector<int64_t>& index) {
  const std::vector<TensorType>& results = state_->graph.results;
  bool exists = result >= 0 && result < static_cast<int>(results.size()) &&
                index.size() == results[result].shape.size();
  for (size_t i = 0; exists && i < index.size(); ++i) {
    exists = index[i] >= 0 && index[i] < results[result].shape[i];
  }
  if (!exists) {
    return absl::InvalidArgumentError(
        absl::StrCat("result ", result, " has no element [", absl::StrJoin(index, ", "), "]"));
  }
  state_->algebra.Restart();
  QUERN_ASSIGN_OR_RETURN(Scalar value, state_->denotation.At(result, index));
  return ToDouble(value, results[result].element);
}

absl::StatusOr<Tensor> Evaluator::Result(int result) {
  const TensorType& type = state_->graph.results[result];
  QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(type));
  if (type.num_elements() == 0) return tensor;
  std::vector<int64_t> index(type.shape.size(), 0);
  int64_t element = 0;
  do {
    state_->algebra.Restart();
    QUERN_ASSIGN_OR_RETURN(Scalar value, state_->denotation.At(result, index));
    Store(value, element++, tensor);
  } while (Next(type.shape, index));
  return tensor;
}

}  // namespace quern::verifier
