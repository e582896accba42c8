// The whole checker on correct kernels and on mutants of them.
#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"
#include "verifier/testdata/mutants.h"

namespace quern::verifier {
namespace {

Certificate CheckKernel(const TestKernel& kernel, const CheckOptions& options = {}) {
  const absl::StatusOr<Certificate> certificate = Check({.module = kernel.module,
                                                         .llvm_ir = kernel.llvm_ir,
                                                         .plan = kernel.plan,
                                                         .binary_sha256 = ""},
                                                        options);
  EXPECT_TRUE(certificate.ok()) << certificate.status();
  return certificate.ok() ? *certificate : Certificate();
}

TEST(MutantsTest, CorrectKernelsAreProved) {
  for (const std::string& name : TestKernelNames()) {
    const Certificate certificate = CheckKernel(LoadTestKernel(name));
    EXPECT_EQ(certificate.verdict, Verdict::kProved)
        << name << ": " << certificate.reason
        << (certificate.counterexamples.empty() ? "" : certificate.counterexamples[0].message);
  }
}

TEST(MutantsTest, NoneIsProvedAndMostAreRefuted) {
  int refuted = 0;
  for (const Mutant& mutant : Mutants()) {
    const Certificate certificate = CheckKernel(Apply(mutant));
    EXPECT_NE(certificate.verdict, Verdict::kProved) << mutant.name;
    if (certificate.verdict == Verdict::kUnknown) {
      EXPECT_FALSE(certificate.reason.empty()) << mutant.name;
      continue;
    }
    ++refuted;
    ASSERT_FALSE(certificate.counterexamples.empty()) << mutant.name;
    EXPECT_TRUE(certificate.counterexamples[0].replayed) << mutant.name;
    EXPECT_TRUE(mutant.refutable) << mutant.name << certificate.counterexamples[0].message;
  }
  EXPECT_GE(refuted * 10, static_cast<int>(Mutants().size()) * 8);
}

// (b + 1) - 1 is b over the reals: only its rounding tells, which a reader of the temporary must
// not forget, and bit by bit it is another number.
TEST(MutantsTest, ARoundedTemporaryIsNotThePlainArgument) {
  for (const Mutant& mutant : Mutants()) {
    if (!std::string(mutant.name).starts_with("rounded temporary")) continue;
    const Certificate real = CheckKernel(Apply(mutant));
    EXPECT_EQ(real.verdict, Verdict::kUnknown);
    EXPECT_THAT(real.reason, testing::HasSubstr("error-bound"));
    const Certificate exact = CheckKernel(Apply(mutant), {.semantics = Semantics::kExact});
    ASSERT_EQ(exact.verdict, Verdict::kRefuted) << exact.reason;
    EXPECT_EQ(exact.counterexamples[0].kind, "value");
    EXPECT_EQ(CheckKernel(LoadTestKernel("pack_add"), {.semantics = Semantics::kExact}).verdict,
              Verdict::kProved);
    return;
  }
  FAIL() << "the mutant is gone";
}

// The kernel rounds otherwise than the spec, so that a mutant is told from it by how far it is off.
TEST(MutantsTest, WhatIsFurtherOffThanRoundingIsRefuted) {
  const TestKernel kernel = LoadTestKernel("cube");
  EXPECT_EQ(CheckKernel(kernel).verdict, Verdict::kProved);
  EXPECT_EQ(CheckKernel(kernel, {.semantics = Semantics::kExact}).verdict, Verdict::kRefuted);
  const auto with = [&kernel](const std::string& divisor) {
    TestKernel mutant = kernel;
    const std::string three = "3.000000e+00";
    mutant.llvm_ir.replace(mutant.llvm_ir.find(three), three.size(), divisor);
    return CheckKernel(mutant);
  };
  const Certificate far = with("0x4008002000000000");  // 3 + 2^-12
  ASSERT_EQ(far.verdict, Verdict::kRefuted) << far.reason;
  EXPECT_EQ(far.counterexamples[0].kind, "value");
  EXPECT_TRUE(far.counterexamples[0].replayed);
  EXPECT_LE(std::abs(far.counterexamples[0].expected), 1.0 / 3 + 1e-6);  // inputs close to 0
  // The next number: within the errors that are allowed, so that nothing shows it.
  EXPECT_EQ(with("0x4008000020000000").verdict, Verdict::kUnknown);
}

TEST(MutantsTest, WhatOnlyMovesOrWrapsIsExact) {
  for (const char* name : {"pad", "concat", "gather", "window", "narrow", "dot_i8"}) {
    const Certificate exact = CheckKernel(LoadTestKernel(name), {.semantics = Semantics::kExact});
    EXPECT_EQ(exact.verdict, Verdict::kProved) << name << ": " << exact.reason;
  }
}

// LLVM's conversion has no value for a NaN, which is among the inputs unless they lie in boxes.
TEST(MutantsTest, ConversionsThatMayNotFitAreNotExact) {
  TestKernel kernel = LoadTestKernel("gather");
  kernel.module = R"(func.func @main(%x: tensor<8xf32>) -> tensor<8xi32> {
    %y = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi32>
    return %y : tensor<8xi32>
  })";
  kernel.llvm_ir = R"(define void @convert(ptr %x, ptr %y, i64 %bx, i64 %by, i64 %bz) {
    %from = getelementptr inbounds float, ptr %x, i64 %bx
    %value = load float, ptr %from, align 4
    %integer = fptosi float %value to i32
    %to = getelementptr inbounds i32, ptr %y, i64 %bx
    store i32 %integer, ptr %to, align 4
    ret void
  })";
  std::vector<BufferPlan> buffers = {kernel.plan.buffers[0], kernel.plan.buffers[2]};
  buffers[0].type = {.element = ElementType::kF32, .shape = {8}};
  buffers[1].type = {.element = ElementType::kI32, .shape = {8}};
  for (BufferPlan& buffer : buffers) buffer.bytes = 32;
  kernel.plan.buffers = buffers;
  kernel.plan.kernels[0].symbol = "convert";
  kernel.plan.kernels[0].grid = {8, 1, 1};
  kernel.plan.kernels[0].buffers = {0, 1};
  EXPECT_EQ(CheckKernel(kernel).verdict, Verdict::kProved);
  EXPECT_NE(CheckKernel(kernel, {.boxes = {{.argument = 0, .high = 1e10}}}).verdict,
            Verdict::kProved);
  const Certificate exact = CheckKernel(kernel, {.semantics = Semantics::kExact});
  EXPECT_EQ(exact.verdict, Verdict::kUnknown);
  EXPECT_THAT(exact.reason, testing::HasSubstr("not fptosi.sat"));
  kernel.llvm_ir.replace(kernel.llvm_ir.find("fptosi float %value to i32"), 26,
                         "call i32 @llvm.fptosi.sat.i32.f32(float %value)");
  kernel.llvm_ir += "\ndeclare i32 @llvm.fptosi.sat.i32.f32(float)\n";
  for (Semantics semantics : {Semantics::kReal, Semantics::kExact}) {
    EXPECT_EQ(CheckKernel(kernel, {.semantics = semantics}).verdict, Verdict::kProved);
  }
}

}  // namespace
}  // namespace quern::verifier
