#include <cstring>

#include "frontend/interpreter.h"
#include "search/naive.h"
#include "search/testing/execute.h"
#include "search/testing/fixture.h"

namespace quern::search {
namespace {

struct OpCase {
  const char* name;
  const char* text;
};

// Small integers and halves: sums and products are exact, so that equality is bit by bit. Indices
// reach outside what they index.
static Tensor Random(const TensorType& type, uint64_t& state) {
  Tensor tensor = *Tensor::Create(type);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto number = static_cast<int64_t>((state >> 33) % 15) - 5;
    tensor.Set(i, type.element == ElementType::kBool  ? number & 1
                  : type.element == ElementType::kI32 ? number
                                                      : number / 2.0);
  }
  return tensor;
}

class NaiveOpsTest : public ProgramFixture, public ::testing::WithParamInterface<OpCase> {};

TEST_P(NaiveOpsTest, ComputesWhatTheInterpreterDoes) {
  for (const char* target : {"x86_64", "sm_90a"}) {
    Load(GetParam().text, target);
    ASSERT_TRUE(naive_);
    uint64_t state = 1;
    for (int round = 0; round < 8; ++round) {
      std::vector<Tensor> inputs;
      for (const TensorType& type : spec_.arguments) inputs.push_back(Random(type, state));
      absl::StatusOr<std::vector<Tensor>> expected = frontend::Interpret(spec_, inputs);
      ASSERT_TRUE(expected.ok()) << expected.status();
      absl::StatusOr<std::vector<Tensor>> actual = Execute(*naive_, inputs);
      ASSERT_TRUE(actual.ok()) << actual.status();
      ASSERT_EQ(actual->size(), expected->size());
      for (size_t r = 0; r < expected->size(); ++r) {
        ASSERT_EQ((*actual)[r].type().num_bytes(), (*expected)[r].type().num_bytes());
        for (int64_t i = 0; i < (*expected)[r].type().num_elements(); ++i) {
          ASSERT_EQ((*actual)[r].At(i), (*expected)[r].At(i))
              << target << ", round " << round << ", result " << r << ", element " << i;
        }
      }
    }
  }
}

constexpr OpCase kCases[] = {
    {"slice", R"(func.func @main(%a: tensor<5x7xf32>) -> tensor<2x3xf32> {
      %0 = stablehlo.slice %a [1:5:2, 0:7:3] : (tensor<5x7xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32> })"},
    {"reverse", R"(func.func @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %0 = stablehlo.reverse %a, dims = [1] : tensor<3x4xf32>
      return %0 : tensor<3x4xf32> })"},
    {"pad", R"(func.func @main(%a: tensor<3x4xf32>, %p: tensor<f32>) -> tensor<6x9xf32> {
      %0 = stablehlo.pad %a, %p, low = [2, -1], high = [1, 3], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<6x9xf32>
      return %0 : tensor<6x9xf32> })"},
    {"concatenate",
     R"(func.func @main(%a: tensor<3x2xf32>, %b: tensor<3x1xf32>, %c: tensor<3x4xf32>) -> tensor<3x7xf32> {
      %0 = stablehlo.concatenate %a, %b, %c, dim = 1 : (tensor<3x2xf32>, tensor<3x1xf32>, tensor<3x4xf32>) -> tensor<3x7xf32>
      return %0 : tensor<3x7xf32> })"},
    {"dynamic_slice",
     R"(func.func @main(%a: tensor<5x7xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
      %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<5x7xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32> })"},
    {"dynamic_update_slice",
     R"(func.func @main(%a: tensor<5x7xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<5x7xf32> {
      %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<5x7xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x7xf32>
      return %0 : tensor<5x7xf32> })"},
    {"reduce_window", R"(func.func @main(%a: tensor<4x6xf32>, %z: tensor<f32>) -> tensor<2x9xf32> {
      %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 1, 3>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<2x9xf32>
      return %0 : tensor<2x9xf32> })"},
    {"convolution",
     R"(func.func @main(%a: tensor<2x5x6x4xf32>, %k: tensor<3x2x2x6xf32>) -> tensor<2x3x10x6xf32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 2], rhs_dilate = [1, 2], reverse = [true, false]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x5x6x4xf32>, tensor<3x2x2x6xf32>) -> tensor<2x3x10x6xf32>
      return %0 : tensor<2x3x10x6xf32> })"},
    {"batch_groups",
     R"(func.func @main(%a: tensor<4x3x5xf32>, %k: tensor<6x3x2xf32>) -> tensor<2x6x4xf32> {
      %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<4x3x5xf32>, tensor<6x3x2xf32>) -> tensor<2x6x4xf32>
      return %0 : tensor<2x6x4xf32> })"},
    {"gather", R"(func.func @main(%a: tensor<6x5xf32>, %i: tensor<4x1xi32>) -> tensor<4x3xf32> {
      %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}> : (tensor<6x5xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
      return %0 : tensor<4x3xf32> })"},
    {"scatter",
     R"(func.func @main(%a: tensor<6x5xf32>, %i: tensor<7x2xi32>, %u: tensor<7x3xf32>) -> tensor<6x5xf32> {
      %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %d = stablehlo.subtract %y, %x : tensor<f32>
        stablehlo.return %d : tensor<f32>
      }) : (tensor<6x5xf32>, tensor<7x2xi32>, tensor<7x3xf32>) -> tensor<6x5xf32>
      return %0 : tensor<6x5xf32> })"},
    {"select_and_scatter",
     R"(func.func @main(%a: tensor<5x6xf32>, %s: tensor<3x2xf32>, %z: tensor<f32>) -> tensor<5x6xf32> {
      %0 = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 3>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }, {
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %p = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %p : tensor<f32>
      }) : (tensor<5x6xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<5x6xf32>
      return %0 : tensor<5x6xf32> })"},
    {"sort",
     R"(func.func @main(%a: tensor<3x9xi32>, %b: tensor<3x9xf32>) -> (tensor<3x9xi32>, tensor<3x9xf32>) {
      %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<f32>, %q: tensor<f32>):
        %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %l : tensor<i1>
      }) : (tensor<3x9xi32>, tensor<3x9xf32>) -> (tensor<3x9xi32>, tensor<3x9xf32>)
      return %0#0, %0#1 : tensor<3x9xi32>, tensor<3x9xf32> })"},
    {"while", R"(func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end = stablehlo.constant dense<5> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<4xf32>
      cond {
        %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.add %v, %a : tensor<4xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
      }
      return %0#1, %0#0 : tensor<4xf32>, tensor<i32> })"},
    {"if", R"(func.func @main(%c: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%c) ({
        %s = stablehlo.add %a, %a : tensor<4xf32>
        stablehlo.return %s : tensor<4xf32>
      }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32> })"},
    {"case", R"(func.func @main(%c: tensor<i32>, %a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.case"(%c) ({
        %s = stablehlo.add %a, %a : tensor<4xf32>
        stablehlo.return %s : tensor<4xf32>
      }, { stablehlo.return %a : tensor<4xf32> }, {
        %s = stablehlo.negate %a : tensor<4xf32>
        stablehlo.return %s : tensor<4xf32>
      }) : (tensor<i32>) -> tensor<4xf32>
      return %0 : tensor<4xf32> })"},
};

INSTANTIATE_TEST_SUITE_P(Ops, NaiveOpsTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace quern::search
