// What an element of a value of the graph is, over any algebra of indices and values: the one
// place that knows how ops move data.
#ifndef QUERN_VERIFIER_SPEC_DENOTE_H_
#define QUERN_VERIFIER_SPEC_DENOTE_H_

#include <concepts>
#include <cstdint>
#include <span>
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
//     Remainder(a, constant > 0): floor division, coordinates are never negative
//   StatusOr<Value> Argument(node, offset), Constant(node, offset): row-major element offsets
//   StatusOr<Value> Iota(node, coordinate)
//   StatusOr<Value> Apply(node, element type of the last operand, values)
//   StatusOr<std::vector<Value>> Reduce(node, initial values, extents, element, body): folds body
//     over element(k) for k in row-major order of the extents; element gives one value an input
//   StatusOr<Value> Dot(node, operand type, extents, element): sums products of element(k)
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
      case SpecOp::kReduce: {
        QUERN_ASSIGN_OR_RETURN(Values values, Reduce(node, index));
        // The other results of the same op, which follow and precede it.
        for (size_t i = 0; i < values.size(); ++i) {
          memo_.emplace(Key{id - node.number + static_cast<int>(i), index}, values[i]);
        }
        return values[node.number];
      }
      case SpecOp::kDot:
        return Dot(node, index);
      default:
        return Elementwise(node, index);
    }
  }

  absl::StatusOr<Index> Source(const SpecNode& node, const Index& index) {
    const std::vector<int64_t>& shape = graph_.nodes[node.operands[0]].type.shape;
    if (node.op == SpecOp::kReshape) {
      QUERN_ASSIGN_OR_RETURN(Coordinate offset, Offset(node.type.shape, index));
      return Unravel(offset, shape);
    }
    Index source(shape.size(), algebra_.Number(0));
    for (size_t i = 0; i < shape.size(); ++i) {
      if (node.op == SpecOp::kBroadcast) {
        if (shape[i] != 1) source[i] = index[node.dimensions[i]];
      } else if (node.op == SpecOp::kTranspose) {
        source[node.dimensions[i]] = index[i];
      } else {
        QUERN_ASSIGN_OR_RETURN(Coordinate scaled, algebra_.Multiply(index[i], node.strides[i]));
        QUERN_ASSIGN_OR_RETURN(source[i], algebra_.Add(scaled, algebra_.Number(node.starts[i])));
      }
    }
    return source;
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
  absl::StatusOr<Values> Body(const ReduceBody& body, const Values& arguments) {
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
      if (node.op > kLastElementwise) {  // moves a scalar
        values[id - body.first] = operands[0];
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

  absl::StatusOr<Values> Reduce(const SpecNode& node, const Index& index) {
    const size_t count = node.operands.size() / 2;
    const std::vector<int64_t>& shape = graph_.nodes[node.operands[0]].type.shape;
    Values initial;
    for (size_t i = 0; i < count; ++i) {
      QUERN_ASSIGN_OR_RETURN(Value value, Node(node.operands[count + i], {}));
      initial.push_back(std::move(value));
    }
    std::vector<int64_t> extents;
    std::vector<int> reduced(shape.size(), -1);  // position among the extents, in row-major order
    for (int64_t dimension : node.dimensions) reduced[dimension] = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (reduced[i] < 0) continue;
      reduced[i] = static_cast<int>(extents.size());
      extents.push_back(shape[i]);
    }
    const auto element = [&](const Index& k) -> absl::StatusOr<Values> {
      Index source;
      size_t kept = 0;
      for (size_t i = 0; i < shape.size(); ++i) {
        source.push_back(reduced[i] < 0 ? index[kept++] : k[reduced[i]]);
      }
      Values values;
      for (size_t i = 0; i < count; ++i) {
        QUERN_ASSIGN_OR_RETURN(Value value, Node(node.operands[i], source));
        values.push_back(std::move(value));
      }
      return values;
    };
    const auto body = [&](const Values& accumulators,
                          const Values& elements) -> absl::StatusOr<Values> {
      Values arguments = accumulators;
      arguments.insert(arguments.end(), elements.begin(), elements.end());
      return Body(*node.body, arguments);
    };
    return algebra_.Reduce(node, initial, extents, element, body);
  }

  absl::StatusOr<Value> Dot(const SpecNode& node, const Index& index) {
    const DotDimensions& dot = node.dot;
    const TensorType& lhs = graph_.nodes[node.operands[0]].type;
    const TensorType& rhs = graph_.nodes[node.operands[1]].type;
    std::vector<int64_t> extents;
    for (int64_t dimension : dot.lhs_contract) extents.push_back(lhs.shape[dimension]);
    const auto fill = [](const std::vector<int64_t>& batch, const std::vector<int64_t>& contract,
                         const Index& result, const Index& k, size_t free, Index& out) {
      std::vector<bool> taken(out.size(), false);
      for (size_t i = 0; i < batch.size(); ++i) {
        out[batch[i]] = result[i];
        taken[batch[i]] = true;
      }
      for (size_t i = 0; i < contract.size(); ++i) {
        out[contract[i]] = k[i];
        taken[contract[i]] = true;
      }
      for (size_t i = 0; i < out.size(); ++i) {
        if (!taken[i]) out[i] = result[free++];
      }
      return free;
    };
    const auto element = [&](const Index& k) -> absl::StatusOr<std::pair<Value, Value>> {
      Index left(lhs.shape.size(), algebra_.Number(0)),
          right(rhs.shape.size(), left.empty() ? algebra_.Number(0) : left[0]);
      const size_t free =
          fill(dot.lhs_batch, dot.lhs_contract, index, k, dot.lhs_batch.size(), left);
      fill(dot.rhs_batch, dot.rhs_contract, index, k, free, right);
      QUERN_ASSIGN_OR_RETURN(Value a, Node(node.operands[0], left));
      QUERN_ASSIGN_OR_RETURN(Value b, Node(node.operands[1], right));
      return std::pair(std::move(a), std::move(b));
    };
    return algebra_.Dot(node, lhs.element, extents, element);
  }

  const SpecGraph& graph_;
  Algebra& algebra_;
  absl::flat_hash_map<Key, Value> memo_;
  int depth_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_DENOTE_H_
