// Ops that move data, for denote.h alone.
#ifndef QUERN_VERIFIER_SPEC_DENOTE_MOVES_H_
#define QUERN_VERIFIER_SPEC_DENOTE_MOVES_H_

#include <algorithm>
#include <vector>

#include "verifier/spec/denote.h"

namespace quern::verifier {

template <class Algebra>
auto Denotation<Algebra>::Source(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Index> {
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

// The element that lies at place x when there are dilation - 1 holes between elements, if one does.
template <class Algebra>
auto Denotation<Algebra>::Undilated(Coordinate x, int64_t extent, int64_t dilation)
    -> absl::StatusOr<std::optional<Coordinate>> {
  if (extent == 0) return std::optional<Coordinate>();
  QUERN_ASSIGN_OR_RETURN(const bool inside, algebra_.Within(x, 0, (extent - 1) * dilation));
  if (!inside) return std::optional<Coordinate>();
  if (dilation == 1) return std::optional<Coordinate>(x);
  QUERN_ASSIGN_OR_RETURN(Coordinate past, algebra_.Remainder(x, dilation));
  QUERN_ASSIGN_OR_RETURN(const bool whole, algebra_.Within(past, 0, 0));
  if (!whole) return std::optional<Coordinate>();
  QUERN_ASSIGN_OR_RETURN(Coordinate element, algebra_.Divide(x, dilation));
  return std::optional<Coordinate>(element);
}

template <class Algebra>
auto Denotation<Algebra>::Pad(const SpecNode& node, const Index& index) -> absl::StatusOr<Value> {
  const std::vector<int64_t>& shape = graph_.nodes[node.operands[0]].type.shape;
  Index source;
  for (size_t i = 0; i < shape.size(); ++i) {
    QUERN_ASSIGN_OR_RETURN(Coordinate x, algebra_.Add(index[i], algebra_.Number(-node.starts[i])));
    QUERN_ASSIGN_OR_RETURN(std::optional<Coordinate> element,
                           Undilated(x, shape[i], node.strides[i]));
    if (!element.has_value()) return Node(node.operands[1], {});
    source.push_back(*element);
  }
  return Node(node.operands[0], source);
}

template <class Algebra>
auto Denotation<Algebra>::Concatenate(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const int64_t dimension = node.dimensions[0];
  int64_t begin = 0;
  for (int operand : node.operands) {
    const int64_t extent = graph_.nodes[operand].type.shape[dimension];
    QUERN_ASSIGN_OR_RETURN(const bool here,
                           algebra_.Within(index[dimension], begin, begin + extent - 1));
    if (here) {
      Index source = index;
      QUERN_ASSIGN_OR_RETURN(source[dimension],
                             algebra_.Add(index[dimension], algebra_.Number(-begin)));
      return Node(operand, source);
    }
    begin += extent;
  }
  return absl::InternalError(absl::StrCat(node.where, ": an index past the end"));
}

// Operands `first` and on, as indices at which slices of `sizes` lie in the first operand.
template <class Algebra>
auto Denotation<Algebra>::Starts(const SpecNode& node, size_t first,
                                 const std::vector<int64_t>& sizes) -> absl::StatusOr<Index> {
  const std::vector<int64_t>& shape = graph_.nodes[node.operands[0]].type.shape;
  Index starts;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int operand = node.operands[first + i];
    QUERN_ASSIGN_OR_RETURN(Value start, Node(operand, {}));
    QUERN_ASSIGN_OR_RETURN(
        Coordinate clamped,
        algebra_.Clamped(node, graph_.nodes[operand].type.element, start, 0, shape[i] - sizes[i]));
    starts.push_back(clamped);
  }
  return starts;
}

template <class Algebra>
auto Denotation<Algebra>::DynamicSlice(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  QUERN_ASSIGN_OR_RETURN(Index source, Starts(node, 1, node.type.shape));
  for (size_t i = 0; i < source.size(); ++i) {
    QUERN_ASSIGN_OR_RETURN(source[i], algebra_.Add(source[i], index[i]));
  }
  return Node(node.operands[0], source);
}

template <class Algebra>
auto Denotation<Algebra>::DynamicUpdateSlice(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const std::vector<int64_t>& sizes = graph_.nodes[node.operands[1]].type.shape;
  QUERN_ASSIGN_OR_RETURN(Index starts, Starts(node, 2, sizes));
  Index source;
  for (size_t i = 0; i < sizes.size(); ++i) {
    QUERN_ASSIGN_OR_RETURN(Coordinate back, algebra_.Multiply(starts[i], -1));
    QUERN_ASSIGN_OR_RETURN(Coordinate x, algebra_.Add(index[i], back));
    QUERN_ASSIGN_OR_RETURN(const bool inside, algebra_.Within(x, 0, sizes[i] - 1));
    if (!inside) return Node(node.operands[0], index);
    source.push_back(x);
  }
  return Node(node.operands[1], source);
}

template <class Algebra>
auto Denotation<Algebra>::Gather(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const GatherDimensions& gather = *node.gather;
  const auto has = [](const std::vector<int64_t>& list, size_t i) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(i)) != list.end();
  };
  Index batch, window;
  for (size_t i = 0; i < index.size(); ++i) {
    (has(gather.window, i) ? window : batch).push_back(index[i]);
  }
  const TensorType& operand = graph_.nodes[node.operands[0]].type;
  const TensorType& indices = graph_.nodes[node.operands[1]].type;
  Index source(operand.shape.size(), algebra_.Number(0));
  size_t next = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    if (!has(gather.collapsed, i) && !has(gather.operand_batch, i)) source[i] = window[next++];
  }
  for (size_t i = 0; i < gather.operand_batch.size(); ++i) {
    const int64_t at = gather.indices_batch[i];
    source[gather.operand_batch[i]] = batch[at - (at > gather.vector_dim ? 1 : 0)];
  }
  for (size_t i = 0; i < gather.index_map.size(); ++i) {
    Index component = batch;
    if (gather.vector_dim < static_cast<int64_t>(indices.shape.size())) {
      component.insert(component.begin() + gather.vector_dim,
                       algebra_.Number(static_cast<int64_t>(i)));
    }
    const int64_t dimension = gather.index_map[i];
    QUERN_ASSIGN_OR_RETURN(Value start, Node(node.operands[1], component));
    QUERN_ASSIGN_OR_RETURN(Coordinate clamped,
                           algebra_.Clamped(node, indices.element, start, 0,
                                            operand.shape[dimension] - gather.sizes[dimension]));
    QUERN_ASSIGN_OR_RETURN(source[dimension], algebra_.Add(source[dimension], clamped));
  }
  return Node(node.operands[0], source);
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_DENOTE_MOVES_H_
