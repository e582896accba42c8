#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using Vector = std::vector<double>;

static std::vector<Tensor> Inputs(std::vector<std::pair<std::string, Vector>> values) {
  std::vector<Tensor> inputs;
  for (const auto& [type, elements] : values) inputs.push_back(MakeTensor(type, elements));
  return inputs;
}

TEST(EvaluateMovementTest, ConcatenatesAlongADimensionWithEmptyInputs) {
  const std::string body =
      "%r0 = stablehlo.concatenate %a0, %a1, %a2, dim = 1 : (tensor<2x2xi8>, tensor<2x0xi8>, "
      "tensor<2x1xi8>) -> tensor<2x3xi8>";
  const auto results = RunBody(
      body, {"i8[2,3]"}, Inputs({{"i8[2,2]", {1, 2, 3, 4}}, {"i8[2,0]", {}}, {"i8[2,1]", {5, 6}}}));
  EXPECT_EQ(Elements(results[0]), (Vector{1, 2, 5, 3, 4, 6}));
}

TEST(EvaluateMovementTest, ReversesDimensions) {
  const auto results = RunBody("%r0 = stablehlo.reverse %a0, dims = [1, 0] : tensor<2x3xf64>",
                               {"f64[2,3]"}, Inputs({{"f64[2,3]", {1, 2, 3, 4, 5, 6}}}));
  EXPECT_EQ(Elements(results[0]), (Vector{6, 5, 4, 3, 2, 1}));
}

TEST(EvaluateMovementTest, IotaWrapsInSmallIntegers) {
  const auto results = RunBody(
      "%r0 = stablehlo.iota dim = 0 : tensor<20xi4>\n%r1 = stablehlo.iota dim = 1 : "
      "tensor<2x2xf16>",
      {"i4[20]", "f16[2,2]"}, {});
  EXPECT_EQ(Elements(results[0]),
            (Vector{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(Elements(results[1]), (Vector{0, 1, 0, 1}));
}

TEST(EvaluateMovementTest, DynamicSlicesAreMovedIntoTheOperand) {
  const std::string slice =
      "%r0 = stablehlo.dynamic_slice %a0, %a1, sizes = [2] : (tensor<4xi32>, TYPE) -> "
      "tensor<2xi32>\n%r1 = stablehlo.dynamic_update_slice %a0, %a2, %a1 : (tensor<4xi32>, "
      "tensor<2xi32>, TYPE) -> tensor<4xi32>";
  struct Case {
    std::string type;
    double start;
    Vector slice, updated;
  };
  for (const Case& c :
       {Case{"i32", 1, {1, 2}, {0, 8, 9, 3}}, Case{"i32", -5, {0, 1}, {8, 9, 2, 3}},
        Case{"i64", 3, {2, 3}, {0, 1, 8, 9}}, Case{"ui8", 255, {2, 3}, {0, 1, 8, 9}},
        Case{"i8", -1, {0, 1}, {8, 9, 2, 3}}, Case{"ui64", 0x1p63, {2, 3}, {0, 1, 8, 9}}}) {
    std::string body = slice;
    for (size_t at; (at = body.find("TYPE")) != std::string::npos;)
      body.replace(at, 4, MlirType(c.type + "[]"));
    const auto results =
        RunBody(body, {"i32[2]", "i32[4]"},
                Inputs({{"i32[4]", {0, 1, 2, 3}}, {c.type + "[]", {c.start}}, {"i32[2]", {8, 9}}}));
    EXPECT_EQ(Elements(results[0]), c.slice) << c.type;
    EXPECT_EQ(Elements(results[1]), c.updated) << c.type;
  }
}

// Against the definition: element by element to its place, which may be cut off.
TEST(EvaluateMovementTest, PadsLikeTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    const size_t rank = Draw(random, 0, 3);
    Index shape, low, high, interior, padded;
    for (size_t d = 0; d < rank; ++d) {
      shape.push_back(Draw(random, 0, 4));
      interior.push_back(Draw(random, 0, 2));
      low.push_back(Draw(random, -3, 2));
      high.push_back(Draw(random, -3, 2));
      const int64_t dilated = shape[d] == 0 ? 0 : (shape[d] - 1) * (interior[d] + 1) + 1;
      if (low[d] + dilated + high[d] < 0) low[d] = high[d] = 0;
      padded.push_back(low[d] + dilated + high[d]);
    }
    const TensorType from{ElementType::kBF16, shape}, to{ElementType::kBF16, padded};
    std::vector<Tensor> inputs;
    inputs.push_back(RandomTensor(from, 1, 200, random));
    inputs.push_back(MakeTensor("bf16[]", {-1}));
    Tensor expected = Tensor::Create(to).value();
    for (int64_t i = 0; i < to.num_elements(); ++i) expected.Set(i, -1);
    ForEach(shape, [&](const Index& index) {
      Index place(rank);
      for (size_t d = 0; d < rank; ++d) {
        place[d] = low[d] + index[d] * (interior[d] + 1);
        if (place[d] < 0 || place[d] >= padded[d]) return;
      }
      expected.Set(PositionOf(padded, place), inputs[0].At(PositionOf(shape, index)));
    });
    const std::string body =
        absl::StrCat("%r0 = stablehlo.pad %a0, %a1, low = [", List(low), "], high = [", List(high),
                     "], interior = [", List(interior), "] : (", MlirType(from),
                     ", tensor<bf16>) -> ", MlirType(to));
    EXPECT_EQ(Elements(RunBody(body, {to.ToString()}, inputs)[0]), Elements(expected)) << body;
  }
}

}  // namespace quern::frontend
