// Ops whose data decides where elements go, for denote.h alone.
#ifndef QUERN_VERIFIER_SPEC_DENOTE_SCATTER_H_
#define QUERN_VERIFIER_SPEC_DENOTE_SCATTER_H_

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "verifier/spec/denote.h"

namespace quern::verifier {

// Folds over all updates in row-major order, taking those that hit the element.
template <class Algebra>
auto Denotation<Algebra>::Scatter(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Values> {
  const GatherDimensions& n = *node.gather;
  const absl::Span<const int> operands = node.operands;
  const size_t count = operands.size() / 2;
  const int indices = operands[count];
  const absl::Span<const int> updates = operands.subspan(count + 1);
  const TensorType& index_type = graph_.nodes[indices].type;
  const std::vector<int64_t>& update_shape = graph_.nodes[updates[0]].type.shape;
  const auto has = [](const std::vector<int64_t>& list, size_t i) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(i)) != list.end();
  };
  QUERN_ASSIGN_OR_RETURN(const Values initial, At(operands.subspan(0, count), index));

  // The dimension of the updates that runs along each one of the operand, and those of the batch.
  std::vector<int64_t> along(index.size(), -1), batch;
  size_t next = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    if (!has(n.collapsed, i) && !has(n.operand_batch, i)) along[i] = n.window[next++];
  }
  for (size_t i = 0; i < update_shape.size(); ++i) {
    if (!has(n.window, i)) batch.push_back(static_cast<int64_t>(i));
  }
  // What is known of the place in the updates; the rest is looked through.
  std::vector<std::optional<Coordinate>> known(update_shape.size());
  for (size_t i = 0; i < index.size(); ++i) {
    if (has(n.index_map, i) || along[i] < 0) continue;
    QUERN_ASSIGN_OR_RETURN(const bool inside,
                           algebra_.Within(index[i], 0, update_shape[along[i]] - 1));
    if (!inside) return initial;
    known[along[i]] = index[i];
  }
  for (size_t i = 0; i < n.operand_batch.size(); ++i) {
    const int64_t at = n.indices_batch[i];
    known[batch[at - (at > n.vector_dim ? 1 : 0)]] = index[n.operand_batch[i]];
  }
  std::vector<int64_t> extents;
  for (size_t i = 0; i < known.size(); ++i) {
    if (!known[i].has_value()) extents.push_back(update_shape[i]);
  }
  const SpecNode both{.op = SpecOp::kAnd, .type = {.element = ElementType::kBool, .shape = {}}};
  const auto element = [&](const Index& k) -> absl::StatusOr<Values> {
    Index place;
    size_t free = 0;
    for (const auto& coordinate : known) {
      place.push_back(coordinate.has_value() ? *coordinate : k[free++]);
    }
    Index component;
    for (int64_t dimension : batch) component.push_back(place[dimension]);
    const bool listed = n.vector_dim < static_cast<int64_t>(index_type.shape.size());
    if (listed) component.insert(component.begin() + n.vector_dim, algebra_.Number(0));
    std::optional<Value> hit;
    for (size_t i = 0; i < n.index_map.size(); ++i) {
      const int64_t dimension = n.index_map[i];
      if (listed) component[n.vector_dim] = algebra_.Number(static_cast<int64_t>(i));
      QUERN_ASSIGN_OR_RETURN(Value start, Node(indices, component));
      Coordinate target = index[dimension];
      if (along[dimension] >= 0) {
        QUERN_ASSIGN_OR_RETURN(Coordinate back, algebra_.Multiply(place[along[dimension]], -1));
        QUERN_ASSIGN_OR_RETURN(target, algebra_.Add(target, back));
      }
      QUERN_ASSIGN_OR_RETURN(Value here, algebra_.IsAt(node, index_type.element, start, target));
      if (hit.has_value()) {
        QUERN_ASSIGN_OR_RETURN(here, algebra_.Apply(both, ElementType::kBool, {*hit, here}));
      }
      hit = here;
    }
    QUERN_ASSIGN_OR_RETURN(Values values, At(updates, place));
    if (hit.has_value()) values.push_back(*hit);
    return values;
  };
  const auto body = [&](const Values& accumulators,
                        const Values& elements) -> absl::StatusOr<Values> {
    Values arguments = accumulators;
    arguments.insert(arguments.end(), elements.begin(), elements.begin() + count);
    QUERN_ASSIGN_OR_RETURN(Values results, Body(*node.body, arguments));
    if (elements.size() == count) return results;  // every update hits
    for (size_t i = 0; i < count; ++i) {
      const ElementType type = graph_.nodes[operands[i]].type.element;
      const SpecNode select{.op = SpecOp::kSelect, .type = {.element = type, .shape = {}}};
      QUERN_ASSIGN_OR_RETURN(
          results[i], algebra_.Apply(select, type, {elements[count], results[i], accumulators[i]}));
    }
    return results;
  };
  return algebra_.Reduce(node, initial, extents, element, body);
}

// For each position of the window in row-major order: where select finds its element, scatter adds
// the source's.
template <class Algebra>
auto Denotation<Algebra>::SelectAndScatter(const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const std::vector<int64_t>& shape = graph_.nodes[node.operands[0]].type.shape;
  const std::vector<int64_t>& positions = graph_.nodes[node.operands[1]].type.shape;
  const auto next = [](const std::vector<int64_t>& extents, std::vector<int64_t>& k) {
    for (size_t i = k.size(); i-- > 0; k[i] = 0) {
      if (++k[i] < extents[i]) return true;
    }
    return false;
  };
  std::vector<int64_t> sizes;
  for (const SpecWindow& window : node.window) sizes.push_back(window.size);
  QUERN_ASSIGN_OR_RETURN(Value result, Node(node.operands[2], {}));
  for (const std::vector<int64_t>* extents : {&positions, &std::as_const(sizes)}) {
    if (std::count(extents->begin(), extents->end(), 0) > 0) return result;
  }
  std::vector<int64_t> p(shape.size(), 0);
  do {
    bool covered = true;
    Index position;
    for (size_t i = 0; i < shape.size() && covered; ++i) {
      const int64_t first = p[i] * node.window[i].stride - node.window[i].low;
      QUERN_ASSIGN_OR_RETURN(covered, algebra_.Within(index[i], first, first + sizes[i] - 1));
      position.push_back(algebra_.Number(p[i]));
    }
    if (!covered) continue;
    std::vector<int64_t> w(shape.size(), 0);
    Index selected;
    std::optional<Value> best;
    do {
      Index source;
      for (size_t i = 0; i < shape.size(); ++i) {
        const int64_t at = p[i] * node.window[i].stride - node.window[i].low + w[i];
        if (at >= 0 && at < shape[i]) source.push_back(algebra_.Number(at));
      }
      if (source.size() < shape.size()) continue;  // padding
      QUERN_ASSIGN_OR_RETURN(Value value, Node(node.operands[0], source));
      bool keep = false;
      if (best.has_value()) {
        QUERN_ASSIGN_OR_RETURN(Values chosen, Body(*node.select, {*best, value}));
        QUERN_ASSIGN_OR_RETURN(keep, algebra_.Decide(node, chosen[0]));
      }
      if (keep) continue;
      best = value;
      selected = source;
    } while (next(sizes, w));
    if (!best.has_value() || !(selected == index)) continue;
    QUERN_ASSIGN_OR_RETURN(Value source, Node(node.operands[1], position));
    QUERN_ASSIGN_OR_RETURN(Values results, Body(*node.body, {result, source}));
    result = results[0];
  } while (next(positions, p));
  return result;
}

template <class Algebra>
auto Denotation<Algebra>::Sort(int id, const SpecNode& node, const Index& index)
    -> absl::StatusOr<Value> {
  const int64_t dimension = node.dimensions[0], count = node.type.shape[dimension];
  std::vector<Values> line;
  Index at = index;
  for (int64_t i = 0; i < count; ++i) {
    at[dimension] = algebra_.Number(i);
    QUERN_ASSIGN_OR_RETURN(Values values, At(node.operands, at));
    line.push_back(std::move(values));
  }
  const auto before = [&](int64_t i, int64_t j) -> absl::StatusOr<Value> {
    Values arguments;
    for (size_t k = 0; k < node.operands.size(); ++k) {
      arguments.push_back(line[i][k]);
      arguments.push_back(line[j][k]);
    }
    QUERN_ASSIGN_OR_RETURN(Values results, Body(*node.body, arguments));
    return results[0];
  };
  QUERN_ASSIGN_OR_RETURN(const std::vector<int64_t> order, algebra_.Sort(node, count, before));
  std::optional<Value> result;
  for (int64_t i = 0; i < count; ++i) {
    at[dimension] = algebra_.Number(i);
    if (at == index) result = line[order[i]][node.number];
    QUERN_RETURN_IF_ERROR(Remember(id, node, at, line[order[i]]).status());
  }
  if (result.has_value()) return *result;
  return absl::UnimplementedError(absl::StrCat(node.where, ": sorted by an index not known"));
}

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_DENOTE_SCATTER_H_
