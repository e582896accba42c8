// Windows over tensors that are padded and dilated in memory first, as StableHLO defines them.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

struct RandomWindow {
  Index size, stride, low, high, base, dilation;

  RandomWindow(std::mt19937& random, size_t rank) {
    for (size_t d = 0; d < rank; ++d) {
      size.push_back(Draw(random, 1, 3));
      stride.push_back(Draw(random, 1, 3));
      low.push_back(Draw(random, -1, 2));
      high.push_back(Draw(random, -1, 2));
      base.push_back(Draw(random, 1, 3));
      dilation.push_back(Draw(random, 1, 2));
    }
  }
  Index Padded(const Index& shape) const {
    Index padded;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t dilated = shape[d] == 0 ? 0 : (shape[d] - 1) * base[d] + 1;
      padded.push_back(std::max<int64_t>(0, low[d] + dilated + high[d]));
    }
    return padded;
  }
  Index Result(const Index& shape) const {
    Index result, padded = Padded(shape);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t positions = 0;
      while (positions * stride[d] + (size[d] - 1) * dilation[d] + 1 <= padded[d]) ++positions;
      result.push_back(positions);
    }
    return result;
  }
  // The operand with `fill` in holes and at the edges.
  Vector Pad(const Tensor& operand, double fill) const {
    const Index& shape = operand.type().shape;
    const Index padded = Padded(shape);
    int64_t count = 1;
    for (int64_t extent : padded) count *= extent;
    Vector values(count, fill);
    ForEach(shape, [&](const Index& index) {
      Index place(shape.size());
      for (size_t d = 0; d < shape.size(); ++d) {
        place[d] = index[d] * base[d] + low[d];
        if (place[d] < 0 || place[d] >= padded[d]) return;
      }
      values[PositionOf(padded, place)] = operand.At(PositionOf(shape, index));
    });
    return values;
  }
  std::string Padding() const {
    std::vector<std::string> edges;
    for (size_t d = 0; d < low.size(); ++d)
      edges.push_back(absl::StrCat("[", low[d], ", ", high[d], "]"));
    return low.empty() ? "dense<> : tensor<0x2xi64>"
                       : absl::StrCat("dense<[", absl::StrJoin(edges, ", "), "]> : tensor<",
                                      low.size(), "x2xi64>");
  }
};

static Index RandomShape(std::mt19937& random, size_t rank) {
  Index shape;
  for (size_t d = 0; d < rank; ++d) shape.push_back(Draw(random, 0, 5));
  return shape;
}

// Not commutative, so the order of elements shows; the init value is no identity, so padding does.
TEST(EvaluateWindowTest, ReduceWindowFollowsTheDefinition) {
  std::mt19937 random(5);
  for (int round = 0; round < 150; ++round) {
    const size_t rank = Draw(random, 0, 3);
    const RandomWindow window(random, rank);
    const Index shape = RandomShape(random, rank), result = window.Result(shape);
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI32, shape}, -5, 5, random));
    inputs.push_back(RandomTensor({ElementType::kI32, {}}, -3, 3, random));
    const TensorType type{ElementType::kI32, result};
    Tensor expected = Tensor::Create(type).value();
    const Vector padded = window.Pad(inputs[0], inputs[1].At(0));
    ForEach(result, [&](const Index& position) {
      double sum = inputs[1].At(0);
      ForEach(window.size, [&](const Index& w) {
        Index at(rank);
        for (size_t d = 0; d < rank; ++d)
          at[d] = position[d] * window.stride[d] + w[d] * window.dilation[d];
        sum = sum * 2 - padded[PositionOf(window.Padded(shape), at)];
      });
      expected.Set(PositionOf(result, position), sum);
    });
    const std::string body = absl::StrCat(
        "%two = stablehlo.constant dense<2> : tensor<i32>\n%r0 = \"stablehlo.reduce_window\"(%a0, "
        "%a1) ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n%0 = stablehlo.multiply %p, %two : "
        "tensor<i32>\n%1 = stablehlo.subtract %0, %q : tensor<i32>\nstablehlo.return %1 : "
        "tensor<i32>\n}) {window_dimensions = ",
        Array(window.size), ", window_strides = ", Array(window.stride),
        ", base_dilations = ", Array(window.base), ", window_dilations = ", Array(window.dilation),
        ", padding = ", window.Padding(), "} : (", MlirType(inputs[0].type()), ", tensor<i32>) -> ",
        MlirType(type));
    EXPECT_EQ(Elements(RunBody(body, {type.ToString()}, inputs)[0]), Elements(expected)) << body;
  }
}

TEST(EvaluateWindowTest, ReduceWindowTakesSeveralInputs) {
  const std::string body = R"(
    %r0, %r1 = "stablehlo.reduce_window"(%a0, %a1, %a2, %a3) ({
    ^bb0(%x: tensor<f32>, %i: tensor<i32>, %y: tensor<f32>, %j: tensor<i32>):
      %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.select %0, %x, %y : tensor<i1>, tensor<f32>
      %2 = stablehlo.select %0, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
    : (tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>))";
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[6]", {1, 5, 7, 2, 3, 3}));
  inputs.push_back(MakeTensor("i32[6]", {0, 1, 2, 3, 4, 5}));
  inputs.push_back(MakeTensor("f32[]", {-100}));
  inputs.push_back(MakeTensor("i32[]", {-1}));
  const auto results = RunBody(body, {"f32[3]", "i32[3]"}, inputs);
  EXPECT_EQ(Elements(results[0]), (Vector{5, 7, 3}));
  EXPECT_EQ(Elements(results[1]), (Vector{1, 2, 4}));
}

TEST(EvaluateWindowTest, SelectAndScatterFollowsTheDefinition) {
  std::mt19937 random(6);
  for (int round = 0; round < 150; ++round) {
    const size_t rank = Draw(random, 0, 3);
    RandomWindow window(random, rank);
    window.base = window.dilation = Index(rank, 1);
    const Index shape = RandomShape(random, rank), positions = window.Result(shape);
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI32, shape}, -3, 3, random));
    inputs.push_back(RandomTensor({ElementType::kI32, positions}, 1, 100, random));
    inputs.push_back(MakeTensor("i32[]", {10}));
    Tensor expected = inputs[0].Clone();
    for (int64_t i = 0; i < expected.type().num_elements(); ++i) expected.Set(i, 10);
    ForEach(positions, [&](const Index& position) {
      int64_t best = -1;
      ForEach(window.size, [&](const Index& w) {
        Index at(rank);
        for (size_t d = 0; d < rank; ++d) {
          at[d] = position[d] * window.stride[d] + w[d] - window.low[d];
          if (at[d] < 0 || at[d] >= shape[d]) return;
        }
        const int64_t place = PositionOf(shape, at);
        if (best < 0 || inputs[0].At(place) > inputs[0].At(best)) best = place;
      });
      if (best < 0) return;
      expected.Set(best, expected.At(best) + inputs[1].At(PositionOf(positions, position)));
    });
    const std::string operand = MlirType(inputs[0].type());
    const std::string body = absl::StrCat(
        "%r0 = \"stablehlo.select_and_scatter\"(%a0, %a1, %a2) ({\n^bb0(%p: tensor<i32>, %q: "
        "tensor<i32>):\n%0 = stablehlo.compare GE, %p, %q : (tensor<i32>, tensor<i32>) -> "
        "tensor<i1>\nstablehlo.return %0 : tensor<i1>\n}, {\n^bb0(%p: tensor<i32>, %q: "
        "tensor<i32>):\n%0 = stablehlo.add %p, %q : tensor<i32>\nstablehlo.return %0 : "
        "tensor<i32>\n}) {window_dimensions = ",
        Array(window.size), ", window_strides = ", Array(window.stride),
        ", padding = ", window.Padding(), "} : (", operand, ", ", MlirType(inputs[1].type()),
        ", tensor<i32>) -> ", operand);
    EXPECT_EQ(Elements(RunBody(body, {inputs[0].type().ToString()}, inputs)[0]), Elements(expected))
        << body;
  }
}

// ---- Convolutions

// A permutation of `rank` dimensions.
static Index RandomLayout(std::mt19937& random, size_t rank) {
  Index layout(rank);
  for (size_t d = 0; d < rank; ++d) layout[d] = static_cast<int64_t>(d);
  std::shuffle(layout.begin(), layout.end(), random);
  return layout;
}

// By dimension, the value at its place in [first, second, spatial...].
static Index Arrange(const Index& layout, const Index& values) {
  Index arranged(values.size());
  for (size_t i = 0; i < values.size(); ++i) arranged[layout[i]] = values[i];
  return arranged;
}

TEST(EvaluateWindowTest, ConvolvesLikeTheDefinition) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    const size_t rank = Draw(random, 0, 3);
    const RandomWindow window(random, rank);
    const int64_t kind = Draw(random, 0, 2), groups = kind == 0 ? 1 : Draw(random, 1, 3);
    const int64_t feature_groups = kind == 1 ? groups : 1, batch_groups = kind == 2 ? groups : 1;
    const int64_t batch = Draw(random, 1, 2) * batch_groups, features = Draw(random, 1, 3);
    const int64_t outputs = Draw(random, 1, 2) * groups;
    const Index spatial = RandomShape(random, rank), positions = window.Result(spatial);
    const Index lhs_layout = RandomLayout(random, rank + 2),
                rhs_layout = RandomLayout(random, rank + 2),
                out_layout = RandomLayout(random, rank + 2);
    auto with = [](int64_t a, int64_t b, const Index& rest) {
      Index all = {a, b};
      all.insert(all.end(), rest.begin(), rest.end());
      return all;
    };
    std::vector<bool> reversed(rank);
    std::vector<std::string> flags;
    for (size_t d = 0; d < rank; ++d) {
      reversed[d] = Toss(random);
      flags.push_back(reversed[d] ? "true" : "false");
    }
    const Index lhs_shape = Arrange(lhs_layout, with(batch, features * feature_groups, spatial));
    const Index rhs_shape = Arrange(rhs_layout, with(features, outputs, window.size));
    const Index out_shape = Arrange(out_layout, with(batch / batch_groups, outputs, positions));
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor({ElementType::kI32, lhs_shape}, -9, 9, random));
    inputs.push_back(RandomTensor({ElementType::kI32, rhs_shape}, -9, 9, random));
    const TensorType type{ElementType::kI32, out_shape};
    Tensor expected = Tensor::Create(type).value();
    const int64_t outputs_of_group = outputs / groups;
    ForEach(with(batch / batch_groups, outputs, positions), [&](const Index& out) {
      const int64_t group = out[1] / outputs_of_group;
      const int64_t b = out[0] + (batch_groups > 1 ? group * (batch / batch_groups) : 0);
      double sum = 0;
      ForEach(with(1, features, window.size), [&](const Index& w) {
        Index source = {b, w[1] + (feature_groups > 1 ? group * features : 0)};
        Index kernel = {w[1], out[1]};
        for (size_t d = 0; d < rank; ++d) {
          const int64_t place =
              out[d + 2] * window.stride[d] + w[d + 2] * window.dilation[d] - window.low[d];
          if (place < 0 || place % window.base[d] != 0 || place / window.base[d] >= spatial[d])
            return;
          source.push_back(place / window.base[d]);
          kernel.push_back(reversed[d] ? window.size[d] - 1 - w[d + 2] : w[d + 2]);
        }
        sum += inputs[0].At(PositionOf(lhs_shape, Arrange(lhs_layout, source))) *
               inputs[1].At(PositionOf(rhs_shape, Arrange(rhs_layout, kernel)));
      });
      expected.Set(PositionOf(out_shape, Arrange(out_layout, out)), sum);
    });
    auto places = [](const Index& layout) { return List(Index(layout.begin() + 2, layout.end())); };
    const std::string body = absl::StrCat(
        "%r0 = \"stablehlo.convolution\"(%a0, %a1) {dimension_numbers = #stablehlo.conv<raw "
        "input_batch_dimension = ",
        lhs_layout[0], ", input_feature_dimension = ", lhs_layout[1],
        ", input_spatial_dimensions = [", places(lhs_layout),
        "], kernel_input_feature_dimension = ", rhs_layout[0],
        ", kernel_output_feature_dimension = ", rhs_layout[1], ", kernel_spatial_dimensions = [",
        places(rhs_layout), "], output_batch_dimension = ", out_layout[0],
        ", output_feature_dimension = ", out_layout[1], ", output_spatial_dimensions = [",
        places(out_layout), "]>, window_strides = ", Array(window.stride),
        ", padding = ", window.Padding(), ", lhs_dilation = ", Array(window.base),
        ", rhs_dilation = ", Array(window.dilation), ", window_reversal = array<i1",
        rank == 0 ? "" : ": ", absl::StrJoin(flags, ", "),
        ">, feature_group_count = ", feature_groups, " : i64, batch_group_count = ", batch_groups,
        " : i64} : (", MlirType(inputs[0].type()), ", ", MlirType(inputs[1].type()), ") -> ",
        MlirType(type));
    EXPECT_EQ(Elements(RunBody(body, {type.ToString()}, inputs)[0]), Elements(expected)) << body;
  }
}

// Enough rows, columns and terms to fill several tiles of the product, in every kind of element.
TEST(EvaluateWindowTest, ConvolvesEveryKindOfElement) {
  std::mt19937 random(9);
  const Index lhs{2, 9, 11, 40}, rhs{3, 3, 40, 19}, out{2, 7, 9, 19};
  const std::string body =
      "%r0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
      "f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x9x11x40xTYPE>, "
      "tensor<3x3x40x19xTYPE>) -> tensor<2x7x9x19xTYPE>";
  for (ElementType element : {ElementType::kF32, ElementType::kF64, ElementType::kI32,
                              ElementType::kUI64, ElementType::kF16}) {
    std::vector<Tensor> inputs;
    const int64_t largest = element == ElementType::kF16 ? 1 : 3;  // sums stay exact
    inputs.push_back(RandomTensor({element, lhs}, 0, largest, random));
    inputs.push_back(RandomTensor({element, rhs}, 0, largest, random));
    std::string text = body;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;)
      text.replace(at, 4, Name(element));
    const TensorType type{element, out};
    const Tensor actual = std::move(RunBody(text, {type.ToString()}, inputs)[0]);
    ASSERT_EQ(actual.type(), type);
    ForEach(out, [&](const Index& o) {
      double sum = 0;
      ForEach({3, 3, 40}, [&](const Index& k) {
        sum += inputs[0].At(PositionOf(lhs, {o[0], o[1] + k[0], o[2] + k[1], k[2]})) *
               inputs[1].At(PositionOf(rhs, {k[0], k[1], k[2], o[3]}));
      });
      ASSERT_EQ(actual.At(PositionOf(out, o)), sum) << Name(element);
    });
  }
}

}  // namespace quern::frontend
