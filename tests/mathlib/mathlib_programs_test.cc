// Programs with vector calls of mathlib: compiled, run against the interpreter, and proved.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "codegen/emit.h"
#include "codegen/testing/loaded.h"
#include "codegen/testing/softmax.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"

namespace quern {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// x / 2 (1 + tanh(x)), by vectors of 8.
constexpr char kGateModule[] = R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<64xf32>
  %one = stablehlo.constant dense<1.0> : tensor<64xf32>
  %h = stablehlo.multiply %half, %x : tensor<64xf32>
  %t = stablehlo.tanh %x : tensor<64xf32>
  %s = stablehlo.add %one, %t : tensor<64xf32>
  %y = stablehlo.multiply %h, %s : tensor<64xf32>
  return %y : tensor<64xf32>
})";

constexpr char kGateProgram[] = R"(
!x = !quern.buffer<[64] x f32, global>
#m = affine_map<(j, l) -> (j * 8 + l)>
quern.program target "host" {
  %x = quern.buffer "arg0" input 0 : !x
  %y = quern.buffer "out0" output 0 : !x
  quern.kernel "gate" { quern.loop "j" %j to 8 grid_x { quern.loop "l" %l to 8 vector {
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %a = quern.load %x[#m](%j, %l) : !x -> f32
    %h = arith.mulf %half, %a : f32
    %t = math.tanh %a : f32
    %s = arith.addf %one, %t : f32
    %r = arith.mulf %h, %s : f32
    quern.store %r, %y[#m](%j, %l) : f32, !x
  } } }
})";

Certificate CheckArtifact(const std::string& module, const Artifact& artifact,
                          Semantics semantics = Semantics::kReal) {
  verifier::CheckOptions options{.semantics = semantics};
  const absl::StatusOr<Certificate> certificate = verifier::Check(
      {.module = module, .llvm_ir = artifact.llvm_ir, .plan = artifact.plan, .binary_sha256 = ""},
      options);
  EXPECT_TRUE(certificate.ok()) << certificate.status();
  return certificate.ok() ? *certificate : Certificate();
}

// Runs it on numbers around 0 and compares with the interpreter.
void ExpectComputes(const std::string& module, codegen::Loaded& kernel, const TensorType& type) {
  const auto context = frontend::MakeContext();
  const absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(module, "test.mlir", *context);
  ASSERT_TRUE(spec.ok()) << spec.status();
  std::vector<Tensor> inputs;
  inputs.push_back(codegen::Filled(
      type, [](int64_t i) { return static_cast<double>(i * 7919 % 1999) / 128 - 8; }));
  const absl::StatusOr<std::vector<Tensor>> want = frontend::Interpret(*spec, inputs);
  ASSERT_TRUE(want.ok()) << want.status();
  const std::vector<Tensor> got = kernel.Results(inputs, {type});
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    ASSERT_NEAR(got[0].At(i), (*want)[0].At(i), 2e-6 * std::fabs((*want)[0].At(i)) + 1e-12) << i;
  }
}

TEST(MathlibProgramsTest, ASoftmaxIsComputedAndProved) {
  const std::string module = codegen::SoftmaxModule(16, 64);
  codegen::Loaded kernel(codegen::SoftmaxProgram(16, 64, /*apart=*/false));
  const Artifact& artifact = kernel.artifact();
  EXPECT_THAT(artifact.llvm_ir, HasSubstr("call <8 x float> @quern_exp_f32x8("));
  EXPECT_THAT(artifact.llvm_ir, Not(HasSubstr("@expf")));
  ExpectComputes(module, kernel, {ElementType::kF32, {16, 64}});
  const Certificate certificate = CheckArtifact(module, artifact);
  EXPECT_EQ(certificate.verdict, Verdict::kProved) << certificate.reason;
  Artifact wrong{.plan = artifact.plan};
  wrong.llvm_ir =
      absl::StrReplaceAll(artifact.llvm_ir, {{"@quern_exp_f32x8", "@quern_exp2_f32x8"}});
  EXPECT_EQ(CheckArtifact(module, wrong).verdict, Verdict::kRefuted);
}

TEST(MathlibProgramsTest, ASoftmaxInPartsIsComputed) {
  codegen::Loaded kernel(codegen::SoftmaxProgram(16, 64, /*apart=*/true));
  ExpectComputes(codegen::SoftmaxModule(16, 64), kernel, {ElementType::kF32, {16, 64}});
}

TEST(MathlibProgramsTest, AGateIsComputedAndProvedAlsoBitForBit) {
  codegen::Loaded kernel(kGateProgram);
  ExpectComputes(kGateModule, kernel, {ElementType::kF32, {64}});
  for (Semantics semantics : {Semantics::kReal, Semantics::kOrdered, Semantics::kExact}) {
    const Certificate certificate = CheckArtifact(kGateModule, kernel.artifact(), semantics);
    EXPECT_EQ(certificate.verdict, Verdict::kProved) << certificate.reason;
  }
}

// The body comes from this build, not from the IR: what is proved is what the binary is made of.
TEST(MathlibProgramsTest, ABodyInTheIrIsNeitherProvedNorEmitted) {
  const codegen::Loaded kernel(kGateProgram);
  Artifact wrong{.plan = kernel.artifact().plan};
  wrong.llvm_ir = kernel.artifact().llvm_ir;
  const size_t declare = wrong.llvm_ir.find("declare <8 x float> @quern_tanh_f32x8");
  ASSERT_NE(declare, std::string::npos);
  wrong.llvm_ir.replace(declare, wrong.llvm_ir.find('\n', declare) - declare,
                        "define <8 x float> @quern_tanh_f32x8(<8 x float> %x) {\n"
                        "  ret <8 x float> %x\n}");
  EXPECT_EQ(CheckArtifact(kGateModule, wrong).verdict, Verdict::kUnknown);
  EXPECT_EQ(codegen::Emit(wrong.llvm_ir, wrong.plan).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quern
