#include "frontend/sharding.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "frontend/source.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using testing::HasSubstr;

// What printers write for a program with a mesh; DEVICES is the size of its axis.
static std::string Program(const std::string& devices) {
  return absl::StrReplaceAll(R"(module @m {
  sdy.mesh @mesh = <["x"=DEVICES, "y"=1], device_ids=[0]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {?}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = sdy.constant dense<1.0> : tensor<4x4xf32>
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x", ?}p1, {"y":(1)2}]> : tensor<4x4xf32>
    %2 = sdy.manual_computation(%1, %0) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
      %3 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{replicated}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %4 : tensor<4x4xf32>
  }
})",
                             {{"DEVICES", devices}});
}

static constexpr char kPlain[] = R"(func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4x4xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
})";

TEST(ShardingTest, OneDeviceIsThePlainProgram) {
  EXPECT_EQ(MustParse(Program("1")).canonical, MustParse(kPlain).canonical);
}

static std::string ErrorOf(const std::string& text) {
  absl::StatusOr<Spec> spec = ParseSpec(text, "m.mlir", TestContext());
  EXPECT_FALSE(spec.ok());
  return std::string(spec.status().message());
}

TEST(ShardingTest, SeveralDevicesAreAnError) {
  EXPECT_THAT(ErrorOf(Program("2")),
              HasSubstr("is sharded over axis 'x' of several devices; export the program for one"));
}

// A mesh that nothing is sharded over says nothing about the program.
TEST(ShardingTest, UnusedMesh) {
  const std::string text = absl::StrCat("module {\nsdy.mesh @mesh = <[\"x\"=2]>\n", kPlain, "}");
  EXPECT_EQ(MustParse(text).canonical, MustParse(kPlain).canonical);
}

TEST(ShardingTest, GspmdShardings) {
  const std::string text =
      R"(func.func @main(%a: tensor<4xf32> {mhlo.sharding = "SHARDING"}) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{replicated}"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  EXPECT_EQ(MustParse(absl::StrReplaceAll(text, {{"SHARDING", "{devices=[1]0}"}})).canonical,
            MustParse("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                      "  return %a : tensor<4xf32>\n}")
                .canonical);
  EXPECT_THAT(ErrorOf(absl::StrReplaceAll(text, {{"SHARDING", "{devices=[2]<=[2]}"}})),
              HasSubstr("m.mlir:1:1: error: 'func.func' op is sharded over several devices"));
}

TEST(ShardingTest, InlineMesh) {
  const std::string text = absl::StrReplaceAll(
      kPlain,
      {{"stablehlo.add %arg0, %0",
        "stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[\"z\"=2]>, "
        "[{\"z\"}, {}]>]>}"}});
  EXPECT_THAT(ErrorOf(text), HasSubstr("axis 'z' of several devices"));
}

TEST(ShardingTest, RulesOfPropagationSayNothing) {
  const std::string text = absl::StrReplaceAll(
      kPlain, {{"stablehlo.add %arg0, %0",
                "stablehlo.add %arg0, %0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, "
                "j])->([i, j]) {i=4, j=4}, custom>}"}});
  EXPECT_EQ(MustParse(text).canonical, MustParse(kPlain).canonical);
}

TEST(ShardingTest, UnknownAndMalformedOps) {
  EXPECT_THAT(ErrorOf("module { sdy.frob @m }"), HasSubstr("unsupported op sdy.frob"));
  EXPECT_THAT(ErrorOf("module { sdy.mesh @mesh = [\"x\"=1"), HasSubstr("m.mlir:1:"));
  EXPECT_THAT(ErrorOf("module { \"sdy.manual_computation\"() : () -> () }"),
              HasSubstr("unsupported op sdy.manual_computation of this form"));
  EXPECT_THAT(ErrorOf("module { sdy.mesh @mesh = <[\"\"=1]> }"), HasSubstr("has no name"));
}

}  // namespace quern::frontend
