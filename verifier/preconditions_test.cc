#include "verifier/preconditions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bundle/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/machine/testdata.h"
#include "verifier/replay.h"
#include "verifier/spec/reader.h"

namespace quern::verifier {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// "arg0 in [low,high]" of each box.
std::vector<std::string> Derived(const std::string& body, std::vector<Box> boxes = {}) {
  const std::string module = absl::StrCat(
      "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {\n",
      absl::StrReplaceAll(body, {{"OP", "stablehlo"}}), "\n  return %r : tensor<8xf32>\n}\n");
  const SpecGraph graph = ReadSpec(module).value();
  std::vector<std::string> texts;
  for (const Box& box : DerivePreconditions(graph, {.boxes = std::move(boxes)})) {
    texts.push_back(absl::StrCat("arg", box.argument, " in [", box.low, ",", box.high, "]"));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(PreconditionsTest, WhatIsAlwaysInDomainNeedsNone) {
  EXPECT_EQ(Derived("%r = OP.add %a, %b : tensor<8xf32>"), Texts());
  EXPECT_EQ(Derived("%s = OP.multiply %a, %a : tensor<8xf32>\n"
                    "%r = OP.sqrt %s : tensor<8xf32>"),
            Texts());
}

TEST(PreconditionsTest, EachArgumentHasWhatItNeeds) {
  EXPECT_EQ(Derived("%s = OP.sqrt %a : tensor<8xf32>\n%r = OP.add %s, %b : tensor<8xf32>"),
            Texts{"arg0 in [0,1024]"});
  EXPECT_EQ(Derived("%r = OP.divide %a, %b : tensor<8xf32>"),
            Texts{absl::StrCat("arg1 in [", 0x1p-20, ",1024]")});
  EXPECT_EQ(Derived("%s = OP.exponential %a : tensor<8xf32>\n%t = OP.sqrt %b : tensor<8xf32>\n"
                    "%r = OP.add %s, %t : tensor<8xf32>"),
            (Texts{"arg0 in [-64,64]", "arg1 in [0,1024]"}));
}

TEST(PreconditionsTest, WhatAUserSaysStays) {
  const std::string root = "%r = OP.sqrt %a : tensor<8xf32>";
  EXPECT_EQ(Derived(root, {{.argument = 0, .low = 1, .high = 4}}), Texts());
  EXPECT_EQ(Derived(root, {{.argument = 0, .low = -1, .high = 4}}), Texts{"arg0 in [0,4]"});
  // Of negative numbers alone there is no root.
  EXPECT_EQ(Derived(root, {{.argument = 0, .low = -4, .high = -1}}), Texts());
}

TEST(PreconditionsTest, WhatHasNoneIsLeft) {
  EXPECT_EQ(Derived("%c = OP.constant dense<-1.0> : tensor<8xf32>\n"
                    "%r = OP.sqrt %c : tensor<8xf32>"),
            Texts());
}

TEST(PreconditionsTest, TheCertificateSaysWhatWasDerived) {
  // y = sqrt(x) for one argument.
  TestKernel kernel = LoadTestKernel("gather");
  kernel.module = R"(func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %y = stablehlo.sqrt %x : tensor<8xf32>
    return %y : tensor<8xf32>
  })";
  const auto text = [](const std::string& value) {
    return absl::StrCat(R"(define void @root(ptr %x, ptr %y, i64 %bx, i64 %by, i64 %bz) {
      %from = getelementptr inbounds float, ptr %x, i64 %bx
      %value = load float, ptr %from, align 4
      )",
                        value, R"(
      %to = getelementptr inbounds float, ptr %y, i64 %bx
      store float %root, ptr %to, align 4
      ret void
    }
    declare float @llvm.sqrt.f32(float))");
  };
  std::vector<BufferPlan> buffers = {kernel.plan.buffers[0], kernel.plan.buffers[2]};
  for (BufferPlan& buffer : buffers) {
    buffer.type = {.element = ElementType::kF32, .shape = {8}};
    buffer.bytes = 32;
  }
  kernel.plan.buffers = buffers;
  kernel.plan.kernels[0].symbol = "root";
  kernel.plan.kernels[0].grid = {8, 1, 1};
  kernel.plan.kernels[0].buffers = {0, 1};
  Bundle bundle;
  bundle.module = kernel.module;
  bundle.artifact = {.plan = kernel.plan, .binary = "a binary"};
  bundle.artifact.llvm_ir = text("%root = call float @llvm.sqrt.f32(float %value)");
  const auto check = [&](CheckOptions options) {
    return Check({.module = bundle.module,
                  .llvm_ir = bundle.artifact.llvm_ir,
                  .plan = bundle.artifact.plan,
                  .binary_sha256 = Sha256(bundle.artifact.binary)},
                 options)
        .value();
  };
  bundle.certificate = check({});
  ASSERT_EQ(bundle.certificate.verdict, Verdict::kProved) << bundle.certificate.reason;
  EXPECT_THAT(bundle.certificate.assumptions,
              Contains("the program needs, as derived from it, arg0 in [0,1024]"));
  const auto stands = [](const Bundle& claim) {
    return Replay(claim, {.limits = {}, .emitter = ""})->differences.empty();
  };
  EXPECT_TRUE(stands(bundle));
  Bundle silent = bundle;
  std::erase_if(silent.certificate.assumptions,
                [](const std::string& line) { return line.starts_with("the program needs"); });
  ASSERT_LT(silent.certificate.assumptions.size(), bundle.certificate.assumptions.size());
  EXPECT_FALSE(stands(silent));
  // Nothing is derived from what the kernel does: half of the numbers are wrong.
  bundle.artifact.llvm_ir = text(
      "%root.all = call float @llvm.sqrt.f32(float %value)\n"
      "%great = fcmp ogt float %value, 512.0\n"
      "%root = select i1 %great, float 0.0, float %root.all");
  EXPECT_EQ(check({}).verdict, Verdict::kRefuted);
}

}  // namespace
}  // namespace quern::verifier
