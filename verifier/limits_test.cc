// That checking ends: by a number of steps, the same everywhere, or by the clock.
#include <chrono>
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"
#include "verifier/machine/testdata.h"
#include "verifier/refuter.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// One block that goes round `count` times, each time with what the last one left.
TestKernel Loop(const std::string& count) {
  TestKernel kernel = LoadTestKernel("add_relu");
  kernel.plan.kernels[0].grid = {1, 1, 1};
  kernel.llvm_ir =
      "define void @add_relu(ptr %a, ptr %b, ptr %c, i64 %bx, i64 %by, i64 %bz) {\n"
      "entry:\n  br label %round\n"
      "round:\n  %i = phi i64 [ 0, %entry ], [ %next, %round ]\n"
      "  %x = phi float [ 0.0, %entry ], [ %sum, %round ]\n"
      "  %sum = fadd float %x, 1.0\n  %next = add nuw nsw i64 %i, 1\n"
      "  %done = icmp eq i64 %next, " +
      count +
      "\n  br i1 %done, label %exit, label %round\n"
      "exit:\n  store float %sum, ptr %c\n  ret void\n}\n";
  return kernel;
}

Certificate CheckKernel(const TestKernel& kernel, const CheckOptions& options) {
  return Check({.module = kernel.module,
                .llvm_ir = kernel.llvm_ir,
                .plan = kernel.plan,
                .binary_sha256 = ""},
               options)
      .value();
}

TEST(LimitsTest, StepsDecideAlike) {
  // Nothing else can end it: there is time for a day.
  const CheckOptions options = {.seconds = 86400, .steps = 1'000'000};
  const Certificate first = CheckKernel(Loop("1099511627776"), options);
  EXPECT_EQ(first.verdict, Verdict::kUnknown);
  EXPECT_THAT(first.reason, HasSubstr("too many instructions"));
  EXPECT_EQ(ToJson(first), ToJson(CheckKernel(Loop("1099511627776"), options)));
  const TestKernel matmul = LoadTestKernel("matmul");
  EXPECT_EQ(CheckKernel(matmul, options).verdict, Verdict::kProved);
  for (const int64_t steps : {0, 100, 1000}) {
    const Certificate certificate = CheckKernel(matmul, {.seconds = 86400, .steps = steps});
    EXPECT_EQ(certificate.verdict, Verdict::kUnknown);
    EXPECT_THAT(certificate.reason, HasSubstr("too many instructions"));
  }
}

TEST(LimitsTest, TheClockIsLookedAtInsideAClassAndInTheRefuter) {
  const Clock::time_point start = Clock::now();
  const Certificate certificate =
      CheckKernel(Loop("1099511627776"), {.seconds = 0.4, .steps = INT64_MAX});
  EXPECT_EQ(certificate.verdict, Verdict::kUnknown);
  EXPECT_THAT(certificate.reason, HasSubstr("out of time"));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(LimitsTest, TheRefuterAloneEnds) {
  const TestKernel kernel = Loop("1099511627776");
  const Module module = ReadModule(kernel.llvm_ir).value();
  const Reference reference = [](const std::vector<const Tensor*>&) -> Evaluation {
    return [](int, const std::vector<int64_t>&) { return absl::StatusOr<double>(0); };
  };
  const Clock::time_point start = Clock::now();
  EXPECT_FALSE(Refute(module, kernel.plan, reference, {}, {.budget = INT64_MAX, .seconds = 0.2})
                   .has_value());
  EXPECT_GT(Clock::now() - start, std::chrono::milliseconds(150));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  EXPECT_FALSE(Refute(module, kernel.plan, reference, {}, {.memory_bytes = 1000, .seconds = 3600})
                   .has_value());
}

TEST(LimitsTest, NoTimeAtAll) {
  const Certificate certificate = CheckKernel(LoadTestKernel("row_sum"), {.seconds = 0});
  EXPECT_EQ(certificate.verdict, Verdict::kUnknown);
  EXPECT_THAT(certificate.reason, HasSubstr("out of time"));
}

}  // namespace
}  // namespace quern::verifier
