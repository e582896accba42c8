// Ops, types and forms that quern refuses: one error with the place, the op, and what would help.
#include "absl/strings/str_cat.h"
#include "frontend/spec.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Refusal {
  std::string arguments, op, result, place, message;
};

class UnsupportedTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(UnsupportedTest, NamesPlaceOpAndWhatWouldHelp) {
  const Refusal& c = GetParam();
  absl::StatusOr<Spec> spec =
      ParseSpec(absl::StrCat("func.func @main(", c.arguments, ") -> tensor<4xf32> {\n", c.op,
                             "\nreturn %a : tensor<4xf32>\n}\n"),
                "m.mlir", TestContext());
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(std::string(spec.status().message()),
              AllOf(StartsWith(absl::StrCat("m.mlir:", c.place)), HasSubstr(c.message)));
}

// Every op of unsupported.def, named with its place and what would help.
TEST(UnsupportedOpsTest, EachSaysWhatWouldHelp) {
  static constexpr std::pair<const char*, const char*> kOps[] = {
#define QUERN_UNSUPPORTED(name, hint) {name, hint},
#include "ir/stablehlo/unsupported.def"
#undef QUERN_UNSUPPORTED
  };
  for (auto [op, hint] : kOps) {
    absl::StatusOr<Spec> spec =
        ParseSpec(absl::StrCat("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n%0 = \"", op,
                               "\"(%a) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %0 : "
                               "tensor<4xf32>\n}\n"),
                  "m.mlir", TestContext());
    ASSERT_FALSE(spec.ok()) << op;
    EXPECT_THAT(
        std::string(spec.status().message()),
        AllOf(StartsWith("m.mlir:2:"), HasSubstr(absl::StrCat("unsupported op ", op, ": ", hint))));
  }
}

static constexpr char kA[] = "%a: tensor<4xf32>";

INSTANTIATE_TEST_SUITE_P(
    Ops, UnsupportedTest,
    ::testing::Values(
        Refusal{
            kA,
            R"(%0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>)",
            "", "2:",
            "unsupported op stablehlo.all_gather: it joins several devices; export the program for "
            "one"},
        Refusal{kA, "%0 = stablehlo.partition_id : tensor<ui32>", "",
                "2:", "unsupported op stablehlo.partition_id: it joins several devices"},
        Refusal{kA, "%0 = stablehlo.create_token : !stablehlo.token", "",
                "2:", "unsupported op stablehlo.create_token: it orders side effects"},
        Refusal{absl::StrCat(kA, ", %s: tensor<1xi32>"),
                "%0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>", "",
                "2:", "unsupported op stablehlo.dynamic_iota: its shape is known at run time only"},
        Refusal{kA,
                "%0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<4xf32>) -> tensor<i32>",
                "", "2:", "stablehlo.get_dimension_size: its shape is known at run time only"},
        Refusal{kA,
                R"(%0 = "interpreter.run_parallel"() {programs = [[@f]]} : () -> tensor<4xf32>)",
                "", "2:", "unsupported op interpreter.run_parallel: it joins several devices"},
        Refusal{kA, "%0 = interpreter.probe %a, probe_id = \"p\" : tensor<4xf32>", "", "2:",
                "unsupported op interpreter.probe: it belongs to the test tools of StableHLO"},
        Refusal{kA, R"(%0 = "foreign.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>)", "",
                "2:", "unsupported op foreign.op"},
        Refusal{kA,
                "%0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], algorithm = "
                "<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
                "lhs_component_count = 2, rhs_component_count = 2, num_primitive_operations = 2, "
                "allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> "
                "tensor<f32>",
                "", "2:", "unsupported dot algorithm"},
        Refusal{kA,
                "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps "
                "= 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>",
                "", "2:", "functions have one accuracy; leave result_accuracy out"},
        Refusal{absl::StrCat(kA, ", %g: tensor<2xi32>"),
                R"(%0 = "chlo.ragged_dot"(%a, %a, %g) {ragged_dot_dimension_numbers =
                   #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
                   lhs_ragged_dimensions = [0]>} :
                   (tensor<4xf32>, tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>)",
                "", "2:", "it is read where the ragged dimension is no batch dimension"},
        Refusal{kA, R"(%0 = "stablehlo.map"(%a) ({
                  ^bb0(%x: tensor<f32>):
                    stablehlo.return %x : tensor<f32>
                  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>)",
                "", "2:", "unsupported op stablehlo.map: apply the ops of its body"},
        Refusal{kA, "%0 = stablehlo.frobnicate %a : tensor<4xf32>", "",
                "2:", "unsupported op stablehlo.frobnicate"},
        Refusal{
            kA,
            R"(%0 = "stablehlo.custom_call"(%a) {call_target_name = "lapack_sgetrf"} : (tensor<4xf32>) -> tensor<4xf32>)",
            "", "2:", "unsupported op stablehlo.custom_call @lapack_sgetrf"}));

INSTANTIATE_TEST_SUITE_P(
    Types, UnsupportedTest,
    ::testing::Values(
        Refusal{kA, R"(%0:2 = chlo.scan(%a) inits(%a) dimension=0 {
                  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
                  } : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>))",
                "", "2:", "chlo.scan: the body's types do not fit"},
        Refusal{absl::StrCat(kA, ", %t: !stablehlo.token"), "", "", "1:",
                "unsupported type of dialect stablehlo: tokens and futures order side effects"},
        Refusal{absl::StrCat(kA, ", %t: tensor<?xf32>"), "", "",
                "1:", "has a dynamic dimension; export the program with fixed shapes"},
        Refusal{absl::StrCat(kA, ", %t: tuple<tensor<f32>>"), "", "",
                "1:", "tuples are read only where their elements are taken out again"},
        Refusal{absl::StrCat(kA, ", %t: tensor<?xf32, #stablehlo.bounds<4>>"), "", "", "1:",
                "unsupported attribute #stablehlo.bounds: export the program with fixed shapes"},
        Refusal{
            kA,
            R"(%0 = "stablehlo.all_reduce"(%a) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<4xf32>) -> tensor<4xf32>)",
            "", "2:", "unsupported attribute #stablehlo.channel_handle: it joins several devices"},
        Refusal{absl::StrCat(kA, ", %t: tensor<2x!quant.uniform<i8:f32, 34.0:16>>"), "", "",
                "1:", "quantized types are not supported; export the program with"}));

}  // namespace quern::frontend
