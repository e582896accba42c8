#include "frontend/check.h"

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

static CheckReport RunText(const std::string& text) {
  absl::StatusOr<CheckReport> report = RunChecksOfText(text, "t.mlir", TestContext());
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : CheckReport();
}

// A case with two f32 constants %a and %b and one check.
static std::string Pair(const std::string& a, const std::string& b, const std::string& check) {
  return absl::StrCat("func.func @f() {\n  %a = stablehlo.constant dense<", a,
                      "> : tensor<f32>\n  %b = stablehlo.constant dense<", b, "> : tensor<f32>\n  ",
                      check, "\n  func.return\n}\n");
}

static std::string Call(const std::string& name) {
  return absl::StrCat("stablehlo.custom_call @check.", name,
                      "(%a, %b) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()");
}

TEST(CheckTest, EachRuleHoldsAndFails) {
  struct Rule {
    std::string check, a, holds, fails;
  };
  const Rule rules[] = {
      {"check.expect_eq %a, %b : tensor<f32>", "0.0", "-0.0", "1.0e-45"},
      {"check.expect_almost_eq %a, %b : tensor<f32>", "1.0", "1.00005", "1.0002"},
      {"check.expect_almost_eq %a, %b, tolerance = 1.0e-1 : tensor<f32>", "1.0", "1.09", "1.2"},
      {"check.expect_close %a, %b, max_ulp_difference = 3 : tensor<f32>, tensor<f32>", "0x3F800000",
       "0x3F800003", "0x3F800004"},
      {"check.expect_close %a, %b : tensor<f32>, tensor<f32>", "0x80000001", "0x00000000",
       "0x00000001"},
      {"check.expect_close %a, %b, max_ulp_difference = 9, min_ulp_difference = 2 : "
       "tensor<f32>, tensor<f32>",
       "0x3F800000", "0x3F800002", "0x3F800001"},
      {"check.expect_eq_const %b, dense<2.5> : tensor<f32>", "0.0", "2.5", "2.0"},
      {"check.expect_almost_eq_const %b, dense<0x7FC00000> : tensor<f32>", "0.0", "0x7FC00000",
       "1.0"},
      {Call("expect_eq"), "1.0", "1.0", "2.0"},
      {Call("expect_almost_eq"), "1.0", "1.0009", "1.0011"},
      {Call("expect_close"), "0x3F800000", "0x3F7FFFFD", "0x3F7FFFFC"},
      {Call("expect_close"), "0x7F800000", "0x7F800000", "0x7F7FFFFF"},
  };
  for (const Rule& rule : rules) {
    const CheckReport holds = RunText(Pair(rule.a, rule.holds, rule.check));
    EXPECT_EQ(holds.passed, 1) << rule.check << ::testing::PrintToString(holds.messages);
    const CheckReport fails = RunText(Pair(rule.a, rule.fails, rule.check));
    EXPECT_EQ(fails.failed, 1) << rule.check << ::testing::PrintToString(fails.messages);
  }
}

TEST(CheckTest, ComparesEveryKindOfElement) {
  struct Rule {
    std::string type, check, a, holds, fails;
  };
  const Rule rules[] = {
      {"i64", "expect_eq", "9007199254740993", "9007199254740993", "9007199254740992"},
      {"ui64", "expect_almost_eq", "18446744073709551615", "18446744073709551615",
       "18446744073709551614"},
      {"i4", "expect_eq", "-8", "-8", "7"},
      {"f16", "expect_close", "0x3C00", "0x3C03", "0x3C04"},
      {"f64", "expect_close", "0x3FF0000000000000", "0x3FEFFFFFFFFFFFFD", "0x3FEFFFFFFFFFFFFC"},
      {"f8E4M3FN", "expect_close", "0x38", "0x3B", "0x3C"},
      {"complex<f32>", "expect_almost_eq", "(1.0, 2.0)", "(1.0, 2.0005)", "(1.0, 2.5)"},
      {"complex<f32>", "expect_close", "(0.0, 1.0)", "(0.0, 1.0)", "(0.0, 1.001)"},
  };
  for (const Rule& rule : rules) {
    auto run = [&](const std::string& b) {
      const std::string tensor = absl::StrCat("tensor<", rule.type, ">");
      return RunText(absl::StrCat("func.func @f() {\n  %a = stablehlo.constant dense<", rule.a,
                                  "> : ", tensor, "\n  %b = stablehlo.constant dense<", b,
                                  "> : ", tensor, "\n  stablehlo.custom_call @check.", rule.check,
                                  "(%a, %b) {has_side_effect = true} : (", tensor, ", ", tensor,
                                  ") -> ()\n  func.return\n}\n"));
    };
    EXPECT_EQ(run(rule.holds).passed, 1) << rule.type << " " << rule.check;
    EXPECT_EQ(run(rule.fails).failed, 1) << rule.type << " " << rule.check;
  }
}

TEST(CheckTest, NanEqualsNothingByEq) {
  EXPECT_EQ(
      RunText(Pair("0x7FC00000", "0x7FC00000", "check.expect_eq %a, %b : tensor<f32>")).failed, 1);
  EXPECT_EQ(RunText(Pair("0x7FC00000", "0x7FC00001", Call("expect_close"))).passed, 1);
}

TEST(CheckTest, RunsEveryModuleAndCountsTheRest) {
  const std::string text =
      absl::StrCat(Pair("1.0", "1.0", Call("expect_eq")), "// -----\n",
                   "func.func @g() {\n  %x = stablehlo.einsum %y : tensor<f32>\n}\n",
                   "// -----\n\n", Pair("1.0", "2.0", Call("expect_eq")), "// -----\n",
                   Pair("1.0", "2.0", Call("unknown_rule")));
  const CheckReport report = RunText(text);
  EXPECT_EQ(report.passed, 1);
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(report.unsupported, 2);
  EXPECT_THAT(report.messages,
              ElementsAre(HasSubstr("t.mlir:9:8: error: unsupported op stablehlo.einsum"),
                          HasSubstr("t.mlir:16:3: error: check failed: element 0 is 1, expected 2"),
                          HasSubstr("custom_call")));
}

TEST(CheckTest, RunsMainAlone) {
  const CheckReport report = RunText(R"(module {
  func.func @main() -> tensor<2xi32> {
    %0:2 = call @inputs() : () -> (tensor<2xi32>, tensor<2xi32>)
    %1 = call @expected() : () -> tensor<2xi32>
    %2 = stablehlo.add %0#0, %0#1 : tensor<2xi32>
    stablehlo.custom_call @check.expect_eq(%2, %1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
    return %2 : tensor<2xi32>
  }
  func.func private @inputs() -> (tensor<2xi32> {mhlo.layout_mode = "default"}, tensor<2xi32>) {
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %c, %c : tensor<2xi32>, tensor<2xi32>
  }
  func.func private @expected() -> tensor<2xi32> {
    %c = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
    return %c : tensor<2xi32>
  }
})");
  EXPECT_EQ(report.passed, 1);
  EXPECT_THAT(report.messages, IsEmpty());
}

TEST(CheckTest, AModuleThatChecksNothingIsAnError) {
  EXPECT_FALSE(RunChecksOfText("func.func @f() {\n  return\n}\n", "t.mlir", TestContext()).ok());
  EXPECT_FALSE(RunChecksOfText("", "t.mlir", TestContext()).ok());
  EXPECT_EQ(RunChecks("no/such/file.mlir", TestContext()).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace quern::frontend
