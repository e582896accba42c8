// Against StableHLO's definitions, element by element, on random dimension numbers.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

static bool Contains(const Index& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// `count` distinct numbers below `limit`.
static Index Choose(std::mt19937& random, int64_t count, int64_t limit) {
  Index all(limit);
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(count);
  return all;
}

static Index Sorted(Index list) {
  std::sort(list.begin(), list.end());
  return list;
}

// Dimension numbers of a gather, or of a scatter in its words.
struct Numbers {
  Index operand, indices, window;  // shapes; `window` by operand dimension
  Index offset_dims, collapsed, operand_batch, indices_batch, map;
  int64_t vector_dim = 0;
  Index result;  // the gather's result, the scatter's updates

  explicit Numbers(std::mt19937& random) {
    const int64_t rank = Draw(random, 1, 4);
    for (int64_t d = 0; d < rank; ++d) operand.push_back(Draw(random, 1, 4));
    const int64_t batching = Draw(random, 0, std::min<int64_t>(rank - 1, 2));
    const Index order = Choose(random, rank, rank);
    operand_batch = Sorted(Index(order.begin(), order.begin() + batching));
    const int64_t dropped = Draw(random, 0, rank - batching);
    collapsed = Sorted(Index(order.begin() + batching, order.begin() + batching + dropped));
    Index mapped(order.begin() + batching, order.end());
    std::shuffle(mapped.begin(), mapped.end(), random);
    mapped.resize(Draw(random, 0, static_cast<int64_t>(mapped.size())));
    map = mapped;
    for (int64_t d = 0; d < rank; ++d) {
      const bool single = Contains(operand_batch, d) || Contains(collapsed, d);
      window.push_back(single ? 1 : Draw(random, 0, operand[d]));
    }
    MakeIndices(random);
    MakeResult(random);
  }

  // Batching dimensions and up to two others in any order, and the index vector among them or,
  // for one component, left out.
  void MakeIndices(std::mt19937& random) {
    const int64_t others = Draw(random, 0, 2);
    const int64_t batch_rank = others + static_cast<int64_t>(operand_batch.size());
    const Index places = Choose(random, static_cast<int64_t>(operand_batch.size()), batch_rank);
    for (int64_t d = 0; d < batch_rank; ++d) indices.push_back(Draw(random, 1, 3));
    for (size_t i = 0; i < places.size(); ++i) indices[places[i]] = operand[operand_batch[i]];
    if (map.size() == 1 && Toss(random)) {
      vector_dim = batch_rank;
    } else {
      vector_dim = Draw(random, 0, batch_rank);
      indices.insert(indices.begin() + vector_dim, static_cast<int64_t>(map.size()));
    }
    for (int64_t place : places) indices_batch.push_back(place < vector_dim ? place : place + 1);
  }

  void MakeResult(std::mt19937& random) {
    Index batch = Batch(), sizes;
    for (size_t d = 0; d < operand.size(); ++d) {
      if (!Contains(operand_batch, d) && !Contains(collapsed, d)) sizes.push_back(window[d]);
    }
    const auto rank = static_cast<int64_t>(batch.size() + sizes.size());
    offset_dims = Sorted(Choose(random, static_cast<int64_t>(sizes.size()), rank));
    for (int64_t d = 0; d < rank; ++d) {
      Index& from = Contains(offset_dims, d) ? sizes : batch;
      result.push_back(from.front());
      from.erase(from.begin());
    }
  }

  Index Batch() const {
    Index batch = indices;
    if (vector_dim < static_cast<int64_t>(batch.size())) batch.erase(batch.begin() + vector_dim);
    return batch;
  }

  // Where element `index` of the result lies in the operand when its window starts at `start`
  // (moved into the operand if `clamp`).
  Index Place(const Tensor& starts, const Index& index, bool clamp) const {
    Index batch, offset;
    for (size_t d = 0; d < index.size(); ++d)
      (Contains(offset_dims, d) ? offset : batch).push_back(index[d]);
    Index place(operand.size(), 0);
    for (size_t i = 0; i < map.size(); ++i) {
      Index at = batch;
      if (vector_dim < static_cast<int64_t>(indices.size()))
        at.insert(at.begin() + vector_dim, static_cast<int64_t>(i));
      place[map[i]] = static_cast<int64_t>(starts.At(PositionOf(indices, at)));
    }
    for (size_t i = 0; i < operand_batch.size(); ++i) {
      const int64_t d = indices_batch[i];
      place[operand_batch[i]] = batch[d < vector_dim ? d : d - 1];
    }
    for (size_t d = 0; d < operand.size(); ++d) {
      if (clamp) place[d] = std::clamp<int64_t>(place[d], 0, operand[d] - window[d]);
      if (Contains(operand_batch, d) || Contains(collapsed, d)) continue;
      place[d] += offset.front();
      offset.erase(offset.begin());
    }
    return place;
  }
};

TEST(EvaluateIndexingTest, GathersLikeTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const Numbers n(random);
    const ElementType index_type = Toss(random) ? ElementType::kI32 : ElementType::kI64;
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI16, n.operand}, 1, 1000, random));
    inputs.push_back(RandomTensor({index_type, n.indices}, -2, 5, random));
    const TensorType type{ElementType::kI16, n.result};
    Tensor expected = Tensor::Create(type).value();
    ForEach(n.result, [&](const Index& index) {
      expected.Set(PositionOf(n.result, index),
                   inputs[0].At(PositionOf(n.operand, n.Place(inputs[1], index, true))));
    });
    const std::string body = absl::StrCat(
        "%r0 = \"stablehlo.gather\"(%a0, %a1) {dimension_numbers = #stablehlo.gather<offset_dims = "
        "[",
        List(n.offset_dims), "], collapsed_slice_dims = [", List(n.collapsed),
        "], operand_batching_dims = [", List(n.operand_batch), "], start_indices_batching_dims = [",
        List(n.indices_batch), "], start_index_map = [", List(n.map),
        "], index_vector_dim = ", n.vector_dim, ">, slice_sizes = ", Array(n.window), "} : (",
        MlirType(inputs[0].type()), ", ", MlirType(inputs[1].type()), ") -> ", MlirType(type));
    EXPECT_EQ(Elements(RunBody(body, {type.ToString()}, inputs)[0]), Elements(expected)) << body;
  }
}

// The window is as large as the operand allows; elements outside are left out.
static std::string ScatterText(const Numbers& n, const std::vector<Tensor>& inputs,
                               const std::string& body) {
  const std::string operand = MlirType(inputs[0].type());
  return absl::StrCat(
      "%r0 = \"stablehlo.scatter\"(%a0, %a1, %a2) ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n",
      body, "\n}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [",
      List(n.offset_dims), "], inserted_window_dims = [", List(n.collapsed),
      "], input_batching_dims = [", List(n.operand_batch), "], scatter_indices_batching_dims = [",
      List(n.indices_batch), "], scatter_dims_to_operand_dims = [", List(n.map),
      "], index_vector_dim = ", n.vector_dim, ">} : (", operand, ", ", MlirType(inputs[1].type()),
      ", ", MlirType(inputs[2].type()), ") -> ", operand);
}

TEST(EvaluateIndexingTest, ScattersLikeTheDefinition) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const Numbers n(random);
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI32, n.operand}, 1, 1000, random));
    inputs.push_back(RandomTensor({ElementType::kI64, n.indices}, -2, 5, random));
    inputs.push_back(RandomTensor({ElementType::kI32, n.result}, 1, 1000, random));
    Tensor expected = inputs[0].Clone();
    ForEach(n.result, [&](const Index& index) {
      const Index place = n.Place(inputs[1], index, false);
      for (size_t d = 0; d < place.size(); ++d) {
        if (place[d] < 0 || place[d] >= n.operand[d]) return;
      }
      const int64_t at = PositionOf(n.operand, place);
      expected.Set(at, expected.At(at) + inputs[2].At(PositionOf(n.result, index)));
    });
    const std::string body = ScatterText(
        n, inputs, "%s = stablehlo.add %p, %q : tensor<i32>\nstablehlo.return %s : tensor<i32>");
    EXPECT_EQ(Elements(RunBody(body, {inputs[0].type().ToString()}, inputs)[0]), Elements(expected))
        << body;
  }
}

// Two inputs, whose updates depend on each other; a later index meets what an earlier one left.
TEST(EvaluateIndexingTest, ScattersSeveralInputsTogether) {
  const std::string body = R"(
    %r0, %r1 = "stablehlo.scatter"(%a0, %a1, %a2, %a3, %a4) ({
    ^bb0(%x: tensor<f32>, %n: tensor<i32>, %u: tensor<f32>, %m: tensor<i32>):
      %0 = stablehlo.compare GT, %u, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.select %0, %u, %x : tensor<i1>, tensor<f32>
      %2 = stablehlo.select %0, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<3xf32>, tensor<3xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<3xf32>, tensor<3xi32>))";
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[3]", {0, 0, 0}));
  inputs.push_back(MakeTensor("i32[3]", {-1, -1, -1}));
  inputs.push_back(MakeTensor("i32[4]", {1, 1, 2, 1}));
  inputs.push_back(MakeTensor("f32[4]", {3, 5, -1, 4}));
  inputs.push_back(MakeTensor("i32[4]", {10, 11, 12, 13}));
  const auto results = RunBody(body, {"f32[3]", "i32[3]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{0, 5, 0}));
  EXPECT_EQ(Elements(results[1]), (Vector{-1, 11, -1}));
}

// A body that is no list of element-wise ops.
TEST(EvaluateIndexingTest, UpdatesMayHoldAnyOps) {
  const std::string body = R"(
    %r0 = "stablehlo.scatter"(%a0, %a1, %a2) ({
    ^bb0(%x: tensor<i32>, %u: tensor<i32>):
      %0 = stablehlo.compare LT, %u, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1 = "stablehlo.if"(%0) ({
        stablehlo.return %u : tensor<i32>
      }, {
        stablehlo.return %x : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}
    : (tensor<4xi32>, tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>)";
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("i32[4]", {5, 5, 5, 5}));
  inputs.push_back(MakeTensor("i32[1]", {2}));
  inputs.push_back(MakeTensor("i32[3]", {1, 7, 0}));
  EXPECT_EQ(Elements(RunBody(body, {"i32[4]"}, inputs)[0]), (Vector{5, 5, 1, 5}));
}

}  // namespace quern::frontend
