// What an element of a value of the graph is, over any algebra of indices and values: the one
// place that knows how ops move data.
#ifndef QUERN_VERIFIER_SPEC_DENOTE_H_
#define QUERN_VERIFIER_SPEC_DENOTE_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bundle/status.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// An Algebra has copyable types Coordinate (hashable) and Value, and
//   Coordinate Number(int64_t)
//   StatusOr<Coordinate> Add(a, b), Multiply(a, constant), Divide(a, constant > 0),
//     Remainder(a, constant > 0): floor division, of coordinates that are not negative
//   StatusOr<bool> Within(a, low, high): whether low <= a <= high
//   StatusOr<Coordinate> Clamped(node, element type, value, low, high): an integer, moved into the
//     range, as a coordinate
//   StatusOr<Value> IsAt(node, element type, value, coordinate): whether it is that integer
//   StatusOr<bool> Decide(node, value), of a bool
//   StatusOr<Value> Argument(node, offset), Constant(node, offset): row-major element offsets
//   StatusOr<Value> Iota(node, coordinate)
//   StatusOr<Value> Apply(node, element type of the last operand, values)
//   StatusOr<std::vector<Value>> Reduce(node, initial values, extents, element, body): folds body
//     over element(k) for k in row-major order of the extents; element gives a value an input
//   StatusOr<Value> Dot(node, operand type, extents, element): sums products of element(k)
//   StatusOr<std::vector<int64_t>> Sort(node, count, before): a stable order of the numbers below
//     count; before(i, j) is a bool Value
// Coordinates may be functions of more than one point; what is not the same at all of them is an
// error of the algebra.
template <class Algebra>
class Denotation {
 public:
  using Coordinate = typename Algebra::Coordinate;
  using Value = typename Algebra::Value;
  using Index = std::vector<Coordinate>;
  using Values = std::vector<Value>;

  // Both outlive this.
  Denotation(const SpecGraph& graph, Algebra& algebra) : graph_(graph), algebra_(algebra) {}

  // `index` lies in the shape of the result. Errors: the algebra's, and kResourceExhausted for
  // graphs more than 4096 values deep.
  absl::StatusOr<Value> At(int result, const Index& index) {
    depth_ = 0;
    return Node(graph_.result_nodes[result], index);
  }

 private:
  static constexpr int kMaxDepth = 4096;
  static constexpr size_t kMaxRemembered = 1 << 20;
  struct Key {
    int node;
    Index index;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), key.node, key.index);
    }
  };

  absl::StatusOr<Coordinate> Offset(const std::vector<int64_t>& shape, const Index& index) {
    Coordinate offset = algebra_.Number(0);
    for (size_t i = 0; i < shape.size(); ++i) {
      QUERN_ASSIGN_OR_RETURN(offset, algebra_.Multiply(offset, shape[i]));
      QUERN_ASSIGN_OR_RETURN(offset, algebra_.Add(offset, index[i]));
    }
    return offset;
  }

  absl::StatusOr<Index> Unravel(Coordinate offset, const std::vector<int64_t>& shape) {
    Index index(shape.size(), algebra_.Number(0));
    for (size_t i = shape.size(); i-- > 0;) {
      if (i == 0) {
        index[i] = offset;  // in range
        break;
      }
      QUERN_ASSIGN_OR_RETURN(index[i], algebra_.Remainder(offset, shape[i]));
      QUERN_ASSIGN_OR_RETURN(offset, algebra_.Divide(offset, shape[i]));
    }
    return index;
  }

  absl::StatusOr<Value> Node(int id, const Index& index) {
    const SpecNode& node = graph_.nodes[id];
    if (node.op == SpecOp::kArgument) {
      QUERN_ASSIGN_OR_RETURN(Coordinate offset, Offset(node.type.shape, index));
      return algebra_.Argument(node, offset);
    }
    if (node.op == SpecOp::kConstant) {
      Coordinate offset = algebra_.Number(0);
      if (node.constant->type().shape == node.type.shape) {
        QUERN_ASSIGN_OR_RETURN(offset, Offset(node.type.shape, index));
      }
      return algebra_.Constant(node, offset);
    }
    const Key key{id, index};
    if (auto found = memo_.find(key); found != memo_.end()) return found->second;
    if (++depth_ > kMaxDepth) {
      return absl::ResourceExhaustedError(absl::StrCat(node.where, ": values nest too deeply"));
    }
    absl::StatusOr<Value> value = Compute(id, node, index);
    --depth_;
    if (memo_.size() > kMaxRemembered) memo_.clear();
    if (value.ok()) memo_.emplace(key, *value);
    return value;
  }

  absl::StatusOr<Value> Compute(int id, const SpecNode& node, const Index& index) {
    switch (node.op) {
      case SpecOp::kIota:
        return algebra_.Iota(node, index[node.dimensions[0]]);
      case SpecOp::kBroadcast:
      case SpecOp::kReshape:
      case SpecOp::kTranspose:
      case SpecOp::kSlice: {
        QUERN_ASSIGN_OR_RETURN(Index source, Source(node, index));
        return Node(node.operands[0], source);
      }
      case SpecOp::kPad:
        return Pad(node, index);
      case SpecOp::kConcatenate:
        return Concatenate(node, index);
      case SpecOp::kDynamicSlice:
        return DynamicSlice(node, index);
      case SpecOp::kDynamicUpdateSlice:
        return DynamicUpdateSlice(node, index);
      case SpecOp::kGather:
        return Gather(node, index);
      case SpecOp::kReduce:
        return Remember(id, node, index, Reduce(node, index));
      case SpecOp::kReduceWindow:
        return Remember(id, node, index, ReduceWindow(node, index));
      case SpecOp::kScatter:
        return Remember(id, node, index, Scatter(node, index));
      case SpecOp::kSelectAndScatter:
        return SelectAndScatter(node, index);
      case SpecOp::kSort:
        return Sort(id, node, index);
      case SpecOp::kDot:
        return Dot(node, index);
      case SpecOp::kConvolution:
        return Convolution(node, index);
      default:
        return Elementwise(node, index);
    }
  }

  // One of the results of an op; the others follow and precede it.
  absl::StatusOr<Value> Remember(int id, const SpecNode& node, const Index& index,
                                 const absl::StatusOr<Values>& values) {
    QUERN_RETURN_IF_ERROR(values.status());
    for (size_t i = 0; i < values->size(); ++i) {
      memo_.emplace(Key{id - node.number + static_cast<int>(i), index}, (*values)[i]);
    }
    return (*values)[node.number];
  }

  absl::StatusOr<Value> Elementwise(const SpecNode& node, const Index& index) {
    Values operands;
    for (int operand : node.operands) {
      // The predicate of select and the bounds of clamp may be scalars.
      const bool scalar = graph_.nodes[operand].type.shape.empty();
      QUERN_ASSIGN_OR_RETURN(Value value, Node(operand, scalar ? Index() : index));
      operands.push_back(std::move(value));
    }
    return algebra_.Apply(node, graph_.nodes[node.operands.back()].type.element, operands);
  }

  // The body on scalars. Nodes that do not depend on its arguments are values like any other.
  absl::StatusOr<Values> Body(const SpecBody& body, const Values& arguments) {
    Values values(body.count);
    const auto value_of = [&](int id) -> absl::StatusOr<Value> {
      return graph_.nodes[id].bound ? values[id - body.first] : Node(id, {});
    };
    Values operands;
    for (int id = body.first; id < body.first + body.count; ++id) {
      const SpecNode& node = graph_.nodes[id];
      if (!node.bound) continue;
      if (node.op == SpecOp::kBodyArgument) {
        values[id - body.first] = arguments[node.number];
        continue;
      }
      operands.clear();
      for (int operand : node.operands) {
        QUERN_ASSIGN_OR_RETURN(Value value, value_of(operand));
        operands.push_back(std::move(value));
      }
      if (node.op > kLastElementwise) {         // moves a scalar
        values[id - body.first] = operands[0];  // the reader lets no other movers in
        continue;
      }
      QUERN_ASSIGN_OR_RETURN(
          values[id - body.first],
          algebra_.Apply(node, graph_.nodes[node.operands.back()].type.element, operands));
    }
    Values results;
    for (int id : body.results) {
      QUERN_ASSIGN_OR_RETURN(Value value, value_of(id));
      results.push_back(std::move(value));
    }
    return results;
  }

  // denote_moves.h
  absl::StatusOr<Index> Source(const SpecNode& node, const Index& index);
  absl::StatusOr<std::optional<Coordinate>> Undilated(Coordinate x, int64_t extent,
                                                      int64_t dilation);
  absl::StatusOr<Value> Pad(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> Concatenate(const SpecNode& node, const Index& index);
  absl::StatusOr<Index> Starts(const SpecNode& node, size_t first,
                               const std::vector<int64_t>& sizes);
  absl::StatusOr<Value> DynamicSlice(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> DynamicUpdateSlice(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> Gather(const SpecNode& node, const Index& index);

  // denote_folds.h
  absl::StatusOr<Values> At(absl::Span<const int> nodes, const Index& index);
  // initial combined by the op's body with element(k) over the box.
  template <class Element>
  absl::StatusOr<Values> Fold(const SpecNode& node, const Values& initial,
                              const std::vector<int64_t>& extents, const Element& element);
  absl::StatusOr<Values> Reduce(const SpecNode& node, const Index& index);
  absl::StatusOr<std::optional<Coordinate>> InWindow(const SpecWindow& window, int64_t extent,
                                                     Coordinate position, Coordinate element);
  absl::StatusOr<Values> ReduceWindow(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> Dot(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> Convolution(const SpecNode& node, const Index& index);

  // denote_scatter.h
  absl::StatusOr<Values> Scatter(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> SelectAndScatter(const SpecNode& node, const Index& index);
  absl::StatusOr<Value> Sort(int id, const SpecNode& node, const Index& index);

  const SpecGraph& graph_;
  Algebra& algebra_;
  absl::flat_hash_map<Key, Value> memo_;
  int depth_ = 0;
};

}  // namespace quern::verifier

#include "verifier/spec/denote_folds.h"
#include "verifier/spec/denote_moves.h"
#include "verifier/spec/denote_scatter.h"

#endif  // QUERN_VERIFIER_SPEC_DENOTE_H_
