// Kernels that call mathlib, and wrong ones.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mathlib/mathlib.h"
#include "verifier/checker.h"

namespace quern::verifier {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] = R"(
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %y = stablehlo.exponential %x : tensor<4x16xf32>
  return %y : tensor<4x16xf32>
})";

// A row a block, in two vectors.
constexpr char kKernel[] = R"(
declare <8 x float> @quern_exp_f32x8(<8 x float>) nounwind willreturn memory(none)
define void @row(ptr noalias %x, ptr noalias %y, i64 %bx, i64 %by, i64 %bz) {
  %at = mul nuw nsw i64 %bx, 16
  %half = add nuw nsw i64 %at, 8
  %from = getelementptr inbounds float, ptr %x, i64 %at
  %to = getelementptr inbounds float, ptr %y, i64 %at
  %a = load <8 x float>, ptr %from, align 4
  %b = call <8 x float> @quern_exp_f32x8(<8 x float> %a)
  store <8 x float> %b, ptr %to, align 4
  %from2 = getelementptr inbounds float, ptr %x, i64 %half
  %to2 = getelementptr inbounds float, ptr %y, i64 %half
  %c = load <8 x float>, ptr %from2, align 4
  %d = call <8 x float> @quern_exp_f32x8(<8 x float> %c)
  store <8 x float> %d, ptr %to2, align 4
  ret void
})";

LaunchPlan Plan() {
  const auto buffer = [](const char* name, BufferRole role) {
    return BufferPlan{.name = name,
                      .role = role,
                      .position = 0,
                      .type = {ElementType::kF32, {4, 16}},
                      .layout = {},
                      .bytes = 256,
                      .holds = ""};
  };
  return {.target = "x86_64",
          .cpu = "haswell",
          .features = "",
          .buffers = {buffer("x", BufferRole::kInput), buffer("y", BufferRole::kOutput)},
          .kernels = {{.symbol = "row", .grid = {4, 1, 1}, .buffers = {0, 1}}}};
}

Certificate CheckKernel(const std::string& llvm_ir, Semantics semantics = Semantics::kReal,
                        const std::string& module = kModule) {
  CheckOptions options{.semantics = semantics};
  if (semantics == Semantics::kReal) options.boxes = {{.argument = 0, .low = -8, .high = 8}};
  const absl::StatusOr<Certificate> certificate =
      Check({.module = module, .llvm_ir = llvm_ir, .plan = Plan(), .binary_sha256 = ""}, options);
  EXPECT_TRUE(certificate.ok()) << certificate.status();
  return certificate.ok() ? *certificate : Certificate();
}

std::string Replaced(const std::string& from, const std::string& to) {
  std::string text = absl::StrReplaceAll(kKernel, {{from, to}});
  EXPECT_NE(text, kKernel) << from;
  return text;
}

TEST(VerifierMathlibTest, ACallIsProvedWithinItsContract) {
  const Certificate certificate = CheckKernel(kKernel);
  EXPECT_EQ(certificate.verdict, Verdict::kProved) << certificate.reason;
  EXPECT_THAT(certificate.trusted, Contains(HasSubstr("mathlib's quern_exp_f32, version 1")));
}

TEST(VerifierMathlibTest, BitForBitTheFunctionIsDefinedAsTheVersionCalled) {
  for (Semantics semantics : {Semantics::kExact, Semantics::kOrdered}) {
    const Certificate certificate = CheckKernel(kKernel, semantics);
    EXPECT_EQ(certificate.verdict, Verdict::kProved) << certificate.reason;
    EXPECT_THAT(certificate.assumptions, Contains("exp of f32 is defined as mathlib's, version 1"));
  }
  EXPECT_THAT(CheckKernel(kKernel).assumptions, Not(Contains(HasSubstr("mathlib"))));
}

// Not both: the module means one function.
TEST(VerifierMathlibTest, BitForBitTheCLibrarysFunctionIsAnother) {
  const std::string mixed = absl::StrReplaceAll(
      kKernel, {{"  store <8 x float> %d", R"(  %one = extractelement <8 x float> %c, i64 3
  %other = call float @expf(float %one)
  %e = insertelement <8 x float> %d, float %other, i64 3
  store <8 x float> %e)"}});
  const std::string both = absl::StrCat("declare float @expf(float)\n", mixed);
  EXPECT_EQ(CheckKernel(both).verdict, Verdict::kProved);
  EXPECT_NE(CheckKernel(both, Semantics::kExact).verdict, Verdict::kProved);
}

TEST(VerifierMathlibTest, AnotherFunctionIsRefuted) {
  for (const char* other : {"quern_exp2_f32x8", "quern_expm1_f32x8", "quern_sin_f32x8"}) {
    for (Semantics semantics : {Semantics::kReal, Semantics::kExact}) {
      const Certificate certificate = CheckKernel(Replaced("quern_exp_f32x8", other), semantics);
      EXPECT_EQ(certificate.verdict, Verdict::kRefuted) << other << certificate.reason;
    }
  }
}

TEST(VerifierMathlibTest, WhatIsNotMathlibsDeclarationIsUnknown) {
  for (const auto& [text, reason] :
       {std::pair(Replaced("quern_exp_f32x8", "quern_exp_f32"), "calling @quern_exp_f32"),
        {Replaced("quern_exp_f32x8", "quern_exp_f32x16"), "calling @quern_exp_f32x16"},
        {Replaced("quern_exp_f32x8", "quern_pow_f32x8"), "calling @quern_pow_f32x8"},
        {Replaced("quern_exp_f32x8", "quern_exq_f32x8"), "calling @quern_exq_f32x8"},
        {Replaced("quern_exp_f32x8", "expf"), "calling @expf"},
        {Replaced("declare <8 x float> @quern_exp_f32x8(<8 x float>) nounwind willreturn "
                  "memory(none)",
                  "define <8 x float> @quern_exp_f32x8(<8 x float> %x) { ret <8 x float> %x }"),
         "a definition of the library's @quern_exp_f32x8"},
        {Replaced("declare <8 x float>", "declare nofpclass(zero) <8 x float>"), "nofpclass"}}) {
    const Certificate certificate = CheckKernel(text);
    EXPECT_EQ(certificate.verdict, Verdict::kUnknown) << text;
    EXPECT_THAT(certificate.reason, HasSubstr(reason));
  }
}

// The evaluator, too, computes what the definition says, through every op that has one.
TEST(VerifierMathlibTest, EveryUnaryFunctionIsProvedBitForBit) {
  for (const auto& [op, function] : {std::pair("exponential", "exp"),
                                     {"exponential_minus_one", "expm1"},
                                     {"log", "log"},
                                     {"log_plus_one", "log1p"},
                                     {"tanh", "tanh"},
                                     {"sine", "sin"},
                                     {"cosine", "cos"}}) {
    const std::string module = absl::StrReplaceAll(kModule, {{"exponential", op}});
    const std::string kernel = absl::StrReplaceAll(
        kKernel, {{"quern_exp_f32x8", absl::StrCat("quern_", function, "_f32x8")}});
    EXPECT_EQ(CheckKernel(kernel, Semantics::kExact, module).verdict, Verdict::kProved) << op;
    const std::string negated = absl::StrReplaceAll(
        kernel, {{"store <8 x float> %d", "%n = fneg <8 x float> %d\n  store <8 x float> %n"}});
    const Certificate wrong = CheckKernel(negated, Semantics::kExact, module);
    EXPECT_EQ(wrong.verdict, Verdict::kRefuted) << op << wrong.reason;
  }
}

}  // namespace
}  // namespace quern::verifier
