#include "frontend/scanner.h"

#include "absl/strings/str_cat.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static std::string Constant(const std::string& hex, const std::string& type) {
  return absl::StrCat("func.func @main() -> ", type, " {\n  %0 = stablehlo.constant dense<\"0x",
                      hex, "\"> : ", type, "\n  return %0 : ", type, "\n}");
}

TEST(ScannerTest, ByteWideBoolsArePacked) {
  const std::string wide = Constant("01000100000000010101", "tensor<2x5xi1>");
  const std::string packed = RepackBools(wide);
  EXPECT_EQ(packed.size(), wide.size());
  EXPECT_EQ(packed.find("return"), wide.find("return"));
  EXPECT_NE(packed.find("\"0x8503\"  "), std::string::npos) << packed;
  EXPECT_EQ(
      MustParse(wide).canonical,
      MustParse("func.func @main() -> tensor<2x5xi1> {\n  %0 = stablehlo.constant dense<[[true, "
                "false, true, false, false], [false, false, true, true, true]]> : "
                "tensor<2x5xi1>\n  return %0 : tensor<2x5xi1>\n}")
          .canonical);
}

TEST(ScannerTest, OtherConstantsStay) {
  EXPECT_EQ(RepackBools(Constant("8503", "tensor<2x5xi1>")), "");
  EXPECT_EQ(RepackBools(Constant("01000200000000010101", "tensor<2x5xi1>")), "");
  EXPECT_EQ(RepackBools(Constant("0100010000000001", "tensor<2xi32>")), "");
  EXPECT_EQ(RepackBools("dense<\"0x01"), "");
  EXPECT_EQ(RepackBools("dense<\"0x0101\"> : tensor<99999999999x99999999999xi1>"), "");
  EXPECT_EQ(RepackBools("dense<\"0x0101\"> : tensor<2x"), "");
}

}  // namespace quern::frontend
