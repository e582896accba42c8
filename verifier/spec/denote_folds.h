// Reductions, products and windows, for denote.h alone.
#ifndef QUERN_VERIFIER_SPEC_DENOTE_FOLDS_H_
#define QUERN_VERIFIER_SPEC_DENOTE_FOLDS_H_

#include <utility>
#include <vector>

#include "verifier/spec/denote.h"

namespace quern::verifier {

template <class Algebra>
auto Denotation<Algebra>::At(absl::Span<const int> nodes, const Index& index)
    -> absl::StatusOr<Values> {
  Values values;
  for (int node : nodes) {
    QUERN_ASSIGN_OR_RETURN(Value value, Node(node, index));
    values.push_back(std::move(value));
  }
  return values;
}

template <class Algebra>
template <class Element>
auto Denotation<Algebra>::Fold(const SpecNode& node, const Values& initial,
                               const std::vector<int64_t>& extents, const Element& element)
    -> absl::StatusOr<Values> {
  const auto body = [&](const Values& accumulators,
                        const Values& elements) -> absl::StatusOr<Values> {
    Values arguments = accumulators;
    arguments.insert(arguments.end(), elements.begin(), elements.end());
    return Body(*node.body, arguments);
  };
  return algebra_.Reduce(node, initial, extents, element, body);
}

template <class Algebra>
auto Denotation<Algebra>::Reduce(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Values> {
  const absl::Span<const int> operands = node.operands;
  const size_t count = operands.size() / 2;
  const std::vector<int64_t>& shape = graph_.nodes[operands[0]].type.shape;
  QUERN_ASSIGN_OR_RETURN(Values initial, At(operands.subspan(count), {}));
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
    return At(operands.subspan(0, count), source);
  };
  return Fold(node, initial, extents, element);
}

// Where a window's element lies in an operand of this extent, unless in padding.
template <class Algebra>
auto Denotation<Algebra>::InWindow(const SpecWindow& window, int64_t extent, Coordinate position,
                                   Coordinate element)
    -> absl::StatusOr<std::optional<Coordinate>> {
  const int64_t last = (window.size - 1) * window.dilation;
  QUERN_ASSIGN_OR_RETURN(
      Coordinate within,
      algebra_.Multiply(element, window.reversed ? -window.dilation : window.dilation));
  QUERN_ASSIGN_OR_RETURN(Coordinate place, algebra_.Multiply(position, window.stride));
  QUERN_ASSIGN_OR_RETURN(place, algebra_.Add(place, within));
  QUERN_ASSIGN_OR_RETURN(
      place, algebra_.Add(place, algebra_.Number((window.reversed ? last : 0) - window.low)));
  return Undilated(place, extent, window.base_dilation);
}

// In padding lies the initial value, and is folded like an element.
template <class Algebra>
auto Denotation<Algebra>::ReduceWindow(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Values> {
  const absl::Span<const int> operands = node.operands;
  const size_t count = operands.size() / 2;
  const std::vector<int64_t>& shape = graph_.nodes[operands[0]].type.shape;
  QUERN_ASSIGN_OR_RETURN(const Values initial, At(operands.subspan(count), {}));
  std::vector<int64_t> extents;
  for (const SpecWindow& window : node.window) extents.push_back(window.size);
  const auto element = [&](const Index& k) -> absl::StatusOr<Values> {
    Index source;
    for (size_t i = 0; i < shape.size(); ++i) {
      QUERN_ASSIGN_OR_RETURN(std::optional<Coordinate> at,
                             InWindow(node.window[i], shape[i], index[i], k[i]));
      if (!at.has_value()) return initial;
      source.push_back(*at);
    }
    return At(operands.subspan(0, count), source);
  };
  return Fold(node, initial, extents, element);
}

template <class Algebra>
auto Denotation<Algebra>::Dot(const SpecNode& node, const Index& index) -> absl::StatusOr<Value> {
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
    Index left(lhs.shape.size(), algebra_.Number(0));
    Index right(rhs.shape.size(), algebra_.Number(0));
    const size_t free = fill(dot.lhs_batch, dot.lhs_contract, index, k, dot.lhs_batch.size(), left);
    fill(dot.rhs_batch, dot.rhs_contract, index, k, free, right);
    QUERN_ASSIGN_OR_RETURN(Value a, Node(node.operands[0], left));
    QUERN_ASSIGN_OR_RETURN(Value b, Node(node.operands[1], right));
    return std::pair(std::move(a), std::move(b));
  };
  return algebra_.Dot(node, lhs.element, extents, element);
}

// The window's dimensions in their order, then the input features; zero in padding.
template <class Algebra>
auto Denotation<Algebra>::Convolution(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const ConvolutionDimensions& n = *node.convolution;
  const TensorType& lhs = graph_.nodes[node.operands[0]].type;
  const TensorType& rhs = graph_.nodes[node.operands[1]].type;
  std::vector<int64_t> extents;
  for (const SpecWindow& window : node.window) extents.push_back(window.size);
  const int64_t inputs = rhs.shape[n.rhs_input], outputs = rhs.shape[n.rhs_output];
  extents.push_back(inputs);
  // The group of an output feature tells which input features, or which part of the batch, it sees.
  Coordinate feature_base = algebra_.Number(0), batch = index[n.batch];
  const int64_t groups = n.feature_groups * n.batch_groups;  // one of them is 1
  if (groups > 1) {
    QUERN_ASSIGN_OR_RETURN(Coordinate group, algebra_.Divide(index[n.feature], outputs / groups));
    if (n.feature_groups > 1) {
      QUERN_ASSIGN_OR_RETURN(feature_base, algebra_.Multiply(group, inputs));
    } else {
      const int64_t part = lhs.shape[n.lhs_batch] / n.batch_groups;
      QUERN_ASSIGN_OR_RETURN(Coordinate base, algebra_.Multiply(group, part));
      QUERN_ASSIGN_OR_RETURN(batch, algebra_.Add(base, batch));
    }
  }
  const auto element = [&](const Index& k) -> absl::StatusOr<std::pair<Value, Value>> {
    Index left(lhs.shape.size(), algebra_.Number(0));
    Index right(rhs.shape.size(), algebra_.Number(0));
    left[n.lhs_batch] = batch;
    QUERN_ASSIGN_OR_RETURN(left[n.lhs_feature], algebra_.Add(feature_base, k.back()));
    right[n.rhs_input] = k.back();
    right[n.rhs_output] = index[n.feature];
    bool padding = false;
    for (size_t i = 0; i < node.window.size(); ++i) {
      const int64_t at = n.lhs_spatial[i];
      QUERN_ASSIGN_OR_RETURN(std::optional<Coordinate> place,
                             InWindow(node.window[i], lhs.shape[at], index[n.spatial[i]], k[i]));
      padding |= !place.has_value();
      if (padding) break;
      left[at] = *place;
    }
    for (size_t i = 0; i < node.window.size(); ++i) right[n.rhs_spatial[i]] = k[i];
    QUERN_ASSIGN_OR_RETURN(Value a,
                           padding ? Node(node.operands[2], {}) : Node(node.operands[0], left));
    QUERN_ASSIGN_OR_RETURN(Value b, Node(node.operands[1], right));
    return std::pair(std::move(a), std::move(b));
  };
  return algebra_.Dot(node, lhs.element, extents, element);
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_DENOTE_FOLDS_H_
