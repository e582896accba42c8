// Ops against values computed by hand.
#include "gtest/gtest.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"

namespace quern::verifier {

// The only result of @main, which takes no arguments.
static std::vector<double> ResultOf(const std::string& body, const std::string& type) {
  const absl::StatusOr<SpecGraph> graph = ReadSpec("func.func @main() -> tensor<" + type + "> {\n" +
                                                   body + "\n return %r : tensor<" + type + ">\n}");
  EXPECT_TRUE(graph.ok()) << graph.status();
  if (!graph.ok()) return {};
  const absl::StatusOr<Tensor> tensor = Evaluator(*graph, {}).Result(0);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<double> values;
  for (int64_t i = 0; tensor.ok() && i < tensor->type().num_elements(); ++i) {
    values.push_back(tensor->At(i));
  }
  return values;
}

using List = std::vector<double>;

static const char* const kNine =
    "%x = stablehlo.constant dense<[[1,2,3],[4,5,6],[7,8,9]]> : "
    "tensor<3x3xi32>\n%z = stablehlo.constant dense<0> : tensor<i32>\n";

TEST(Ops, PadsAtTheEndsAndBetween) {
  const std::string x =
      "%x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
      "%p = stablehlo.constant dense<9> : tensor<i32>\n";
  EXPECT_EQ(ResultOf(x + "%r = stablehlo.pad %x, %p, low = [1], high = [2], interior = [1] : "
                         "(tensor<3xi32>, tensor<i32>) -> tensor<8xi32>",
                     "8xi32"),
            (List{9, 1, 9, 2, 9, 3, 9, 9}));
  EXPECT_EQ(ResultOf(x + "%r = stablehlo.pad %x, %p, low = [-1], high = [-1], interior = [2] : "
                         "(tensor<3xi32>, tensor<i32>) -> tensor<5xi32>",
                     "5xi32"),
            (List{9, 9, 2, 9, 9}));
}

TEST(Ops, ConcatenatesAndReverses) {
  EXPECT_EQ(
      ResultOf("%a = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf64>\n"
               "%b = stablehlo.constant dense<[[3.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf64>\n"
               "%c = stablehlo.concatenate %a, %b, dim = 1 : (tensor<2x1xf64>, tensor<2x2xf64>) "
               "-> tensor<2x3xf64>\n"
               "%r = stablehlo.reverse %c, dims = [1] : tensor<2x3xf64>",
               "2x3xf64"),
      (List{4, 3, 1, 6, 5, 2}));
}

TEST(Ops, MovesSlicesIntoTheOperand) {
  const std::string text = std::string(kNine) +
                           "%i = stablehlo.constant dense<7> : tensor<ui8>\n"
                           "%j = stablehlo.constant dense<-3> : tensor<i64>\n";
  EXPECT_EQ(ResultOf(text + "%r = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 2] : "
                            "(tensor<3x3xi32>, tensor<ui8>, tensor<ui8>) -> tensor<2x2xi32>",
                     "2x2xi32"),
            (List{5, 6, 8, 9}));
  EXPECT_EQ(
      ResultOf(text + "%u = stablehlo.constant dense<[[0, -1]]> : tensor<1x2xi32>\n"
                      "%r = stablehlo.dynamic_update_slice %x, %u, %j, %j : (tensor<3x3xi32>, "
                      "tensor<1x2xi32>, tensor<i64>, tensor<i64>) -> tensor<3x3xi32>",
               "3x3xi32"),
      (List{0, -1, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Ops, GathersWithClampedIndices) {
  EXPECT_EQ(ResultOf(std::string(kNine) + R"(
    %i = stablehlo.constant dense<[2, 9, -4]> : tensor<3xi32>
    %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 2>}> : (tensor<3x3xi32>, tensor<3xi32>) -> tensor<3x2xi32>)",
                     "3x2xi32"),
            (List{7, 8, 7, 8, 1, 2}));
}

TEST(Ops, FoldsWindowsWithPadding) {
  EXPECT_EQ(ResultOf(std::string(kNine) + R"(
    %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>,
        window_strides = array<i64: 2, 1>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) : (tensor<3x3xi32>, tensor<i32>) -> tensor<2x3xi32>)",
                     "2x3xi32"),
            (List{5, 12, 16, 7, 15, 17}));
}

TEST(Ops, ConvolvesInGroupsWithDilation) {
  // Two groups of one feature: the second doubles and looks back.
  EXPECT_EQ(ResultOf(R"(
    %x = stablehlo.constant dense<[[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]]> : tensor<1x3x2xf32>
    %k = stablehlo.constant dense<[[[1.0, 0.0]], [[1.0, 2.0]]]> : tensor<2x1x2xf32>
    %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {stride = [1], pad = [[1, 0]], rhs_dilate = [1]}
        {feature_group_count = 2 : i64, batch_group_count = 1 : i64}
        : (tensor<1x3x2xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>)",
                     "1x3x2xf32"),
            (List{1, 20, 3, 40, 5, 60}));
  // Strided the other way: holes in the operand, the kernel reversed.
  EXPECT_EQ(ResultOf(R"(
    %x = stablehlo.constant dense<[[[1.0], [2.0]]]> : tensor<1x2x1xf32>
    %k = stablehlo.constant dense<[[[10.0]], [[1.0]]]> : tensor<2x1x1xf32>
    %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
        window = {pad = [[1, 1]], lhs_dilate = [2], reverse = [true]}
        {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
        : (tensor<1x2x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>)",
                     "1x4x1xf32"),
            (List{10, 1, 20, 2}));
}

TEST(Ops, ScattersInOrderAndDropsWhatIsOutside) {
  EXPECT_EQ(ResultOf(R"(
    %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %i = stablehlo.constant dense<[[1], [5], [1], [-1]]> : tensor<4x1xi32>
    %u = stablehlo.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
    %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>)",
                     "3xf32"),
            (List{1, 22, 3}));
}

TEST(Ops, ConvertsToTheWiderTypeOfABody) {
  const std::string text =
      "%x = stablehlo.constant dense<100> : tensor<3xi8>\n"
      "%z = stablehlo.constant dense<0> : tensor<i8>\n";
  const std::string body = R"(({
      ^bb0(%a: tensor<i16>, %b: tensor<i16>):
        %s = stablehlo.add %a, %b : tensor<i16>
        stablehlo.return %s : tensor<i16>
      }))";
  EXPECT_EQ(ResultOf(text + "%r = \"stablehlo.reduce\"(%x, %z) " + body +
                         " {dimensions = array<i64: 0>} : (tensor<3xi8>, tensor<i8>) -> "
                         "tensor<i16>",
                     "i16"),
            List{300});
  EXPECT_EQ(
      ResultOf(text +
                   "%i = stablehlo.constant dense<1> : tensor<1xi32>\n"
                   "%r = \"stablehlo.scatter\"(%x, %i, %z) " +
                   body +
                   "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
                   "scatter_dims_to_operand_dims = [0]>} : (tensor<3xi8>, tensor<1xi32>, "
                   "tensor<i8>) -> tensor<3xi16>",
               "3xi16"),
      (List{100, 100, 100}));
}

TEST(Ops, ReadsOnlyTheAlgorithmThatChangesNothing) {
  const auto text = [](const std::string& precision, int products) {
    return "func.func @main(%x: tensor<2xf32>) -> tensor<f32> {\n"
           "%r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0], algorithm = "
           "<lhs_precision_type = " +
           precision + ", rhs_precision_type = " + precision +
           ", accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
           "num_primitive_operations = " +
           std::to_string(products) +
           ", allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<2xf32>) -> "
           "tensor<f32>\nreturn %r : tensor<f32>\n}";
  };
  EXPECT_TRUE(ReadSpec(text("f32", 1)).ok());
  EXPECT_FALSE(ReadSpec(text("tf32", 1)).ok());
  EXPECT_FALSE(ReadSpec(text("f32", 2)).ok());
}

TEST(Ops, SortsStably) {
  EXPECT_EQ(ResultOf(R"(
    %x = stablehlo.constant dense<[3, 1, 3, 2, 1]> : tensor<5xui8>
    %i = stablehlo.iota dim = 0 : tensor<5xi16>
    %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<ui8>, %b: tensor<ui8>, %c: tensor<i16>, %d: tensor<i16>):
        %p = stablehlo.compare LT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
    }) : (tensor<5xui8>, tensor<5xi16>) -> (tensor<5xui8>, tensor<5xi16>)
    %r = stablehlo.reshape %s#1 : (tensor<5xi16>) -> tensor<5xi16>)",
                     "5xi16"),
            (List{1, 4, 3, 0, 2}));
}

TEST(Ops, ChoosesBranches) {
  const auto chosen = [](int index) {
    return ResultOf(
        "%i = stablehlo.constant dense<" + std::to_string(index) + "> : tensor<i32>\n" + R"(
      %r = "stablehlo.case"(%i) ({
        %a = stablehlo.constant dense<10> : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }, {
        stablehlo.return %i : tensor<i32>
      }, {
        %a = stablehlo.constant dense<30> : tensor<i32>
        stablehlo.return %a : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>)",
        "i32")[0];
  };
  EXPECT_EQ(chosen(0), 10);
  EXPECT_EQ(chosen(1), 1);
  EXPECT_EQ(chosen(2), 30);
  EXPECT_EQ(chosen(-1), 30);
  EXPECT_EQ(chosen(7), 30);
}

// Of one op on constants of one type.
static double Scalar(const std::string& op, const std::string& type,
                     const std::vector<std::string>& operands, const std::string& to = "") {
  std::string text, uses, types;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "%a" + std::to_string(i);
    text += name + " = stablehlo.constant dense<" + operands[i] + "> : tensor<" + type + ">\n";
    uses += (i == 0 ? "" : ", ") + name;
    types += (i == 0 ? "" : ", ") + ("tensor<" + type + ">");
  }
  const std::string result = to.empty() ? type : to;
  return ResultOf(text + "%r = \"stablehlo." + op + "\"(" + uses + ") : (" + types +
                      ") -> tensor<" + result + ">",
                  result)[0];
}

TEST(Scalars, WrapAtTheirWidth) {
  EXPECT_EQ(Scalar("add", "i8", {"127", "1"}), -128);
  EXPECT_EQ(Scalar("add", "ui8", {"255", "2"}), 1);
  EXPECT_EQ(Scalar("multiply", "i16", {"256", "256"}), 0);
  EXPECT_EQ(Scalar("subtract", "ui16", {"0", "1"}), 65535);
  EXPECT_EQ(Scalar("negate", "i64", {"-9223372036854775808"}), -0x1p63);
  EXPECT_EQ(Scalar("add", "i4", {"7", "1"}), -8);
  EXPECT_EQ(Scalar("not", "ui4", {"5"}), 10);
  EXPECT_EQ(Scalar("abs", "i8", {"-128"}), -128);
}

TEST(Scalars, DivideAsStableHloSays) {
  EXPECT_EQ(Scalar("divide", "ui8", {"7", "0"}), 255);
  EXPECT_EQ(Scalar("divide", "i8", {"7", "0"}), -1);
  EXPECT_EQ(Scalar("divide", "i8", {"-128", "-1"}), -128);
  EXPECT_EQ(Scalar("divide", "ui64", {"18446744073709551615", "2"}), 0x1p63);
  EXPECT_EQ(Scalar("remainder", "ui8", {"200", "7"}), 4);
  EXPECT_EQ(Scalar("remainder", "i64", {"-7", "0"}), -7);
}

TEST(Scalars, ShiftAndCountBits) {
  EXPECT_EQ(Scalar("shift_left", "i8", {"3", "7"}), -128);
  EXPECT_EQ(Scalar("shift_left", "i8", {"3", "8"}), 0);
  EXPECT_EQ(Scalar("shift_right_logical", "i8", {"-1", "4"}), 15);
  EXPECT_EQ(Scalar("shift_right_logical", "i32", {"-1", "-1"}), 0);
  EXPECT_EQ(Scalar("shift_right_arithmetic", "i8", {"-64", "9"}), -1);
  EXPECT_EQ(Scalar("shift_right_arithmetic", "ui8", {"128", "7"}), 255);
  EXPECT_EQ(Scalar("popcnt", "i16", {"-1"}), 16);
  EXPECT_EQ(Scalar("count_leading_zeros", "ui8", {"1"}), 7);
  EXPECT_EQ(Scalar("count_leading_zeros", "i64", {"0"}), 64);
}

TEST(Scalars, RoundOnceInTheirType) {
  EXPECT_EQ(Scalar("add", "f16", {"2048.0", "1.0"}), 2048);
  EXPECT_EQ(Scalar("add", "f64", {"9007199254740992.0", "1.0"}), 9007199254740992);
  EXPECT_EQ(Scalar("multiply", "f8E4M3FN", {"1.125", "1.125"}), 1.25);
  EXPECT_EQ(Scalar("round_nearest_even", "f32", {"2.5"}), 2);
  EXPECT_EQ(Scalar("round_nearest_afz", "f64", {"-2.5"}), -3);
  EXPECT_EQ(Scalar("cbrt", "f32", {"27.0"}), 3);
}

TEST(Scalars, ConvertAndSaturate) {
  EXPECT_EQ(Scalar("convert", "f64", {"300.7"}, "ui8"), 255);
  EXPECT_EQ(Scalar("convert", "f32", {"-1.5"}, "ui32"), 0);
  EXPECT_EQ(Scalar("convert", "f32", {"-129.0"}, "i8"), -128);
  EXPECT_EQ(Scalar("convert", "i32", {"-1"}, "ui8"), 255);
  EXPECT_EQ(Scalar("convert", "ui8", {"200"}, "i8"), -56);
  EXPECT_EQ(Scalar("convert", "ui64", {"18446744073709551615"}, "f32"), 0x1p64);
  // Rounding to f64 first would make a tie of it.
  EXPECT_EQ(Scalar("convert", "i64", {"9007199791611905"}, "f32"), 9007200328482816);
  EXPECT_EQ(Scalar("bitcast_convert", "f32", {"1.0"}, "i32"), 0x3f800000);
  EXPECT_EQ(Scalar("bitcast_convert", "ui16", {"15360"}, "f16"), 1);
}

}  // namespace quern::verifier
