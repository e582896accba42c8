// Loops that carry what they fold: executed once for all iterations, and only if they fold.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSums = R"(
func.func @main(%x: tensor<8xCOUNTxf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<8xCOUNTxf32>, tensor<f32>) -> tensor<8xf32>
  return %sum : tensor<8xf32>
})";

struct Sums {
  std::string before;  // what is done to %kept, a local variable
  std::string body;    // makes %next of %x, the accumulator %acc and the count %k
  std::string after;   // makes %out of %next
};

// A row's sum.
Certificate CheckSums(int64_t count, const Sums& sums, CheckOptions options = {}) {
  const std::string number = absl::StrCat(count);
  const std::string ir = absl::StrCat(
      "define void @sums(ptr %a, ptr %y, i64 %bx, i64 %by, i64 %bz) {\n"
      "entry:\n  %kept = alloca [64 x float], align 64\n  ",
      sums.before, "\n  %first = mul nuw nsw i64 %bx, ", number,
      "\n  br label %round\n"
      "round:\n  %k = phi i64 [ 0, %entry ], [ %more, %round ]\n"
      "  %acc = phi float [ 0.0, %entry ], [ %next, %round ]\n"
      "  %at = add nuw nsw i64 %first, %k\n  %from = getelementptr inbounds float, ptr %a, i64 "
      "%at\n"
      "  %x = load float, ptr %from, align 4\n  ",
      sums.body, "\n  %more = add nuw nsw i64 %k, 1\n  %done = icmp eq i64 %more, ", number,
      "\n  br i1 %done, label %exit, label %round\n"
      "exit:\n  ",
      sums.after,
      "\n  %to = getelementptr inbounds float, ptr %y, i64 %bx\n"
      "  store float %out, ptr %to, align 4\n  ret void\n}\n"
      "declare float @llvm.fma.f32(float, float, float)\n");
  LaunchPlan plan = {.target = "x86_64", .cpu = "haswell"};
  const auto buffer = [](std::string name, BufferRole role, std::vector<int64_t> shape) {
    const TensorType type = {ElementType::kF32, std::move(shape)};
    return BufferPlan{.name = std::move(name),
                      .role = role,
                      .position = 0,
                      .type = type,
                      .layout = {},
                      .bytes = 4 * type.num_elements(),
                      .alignment = 64,
                      .holds = ""};
  };
  plan.buffers = {buffer("a", BufferRole::kInput, {8, count}),
                  buffer("y", BufferRole::kOutput, {8})};
  plan.kernels = {{.symbol = "sums", .grid = {8, 1, 1}, .threads = {1, 1, 1}, .buffers = {0, 1}}};
  return Check({.module = absl::StrReplaceAll(kSums, {{"COUNT", number}}),
                .llvm_ir = ir,
                .plan = plan,
                .binary_sha256 = ""},
               options)
      .value();
}

constexpr const char* kAdd = "%next = fadd float %acc, %x";
constexpr const char* kKeep = "%out = freeze float %next";

TEST(FoldsTest, ALongSumTakesNoMoreStepsThanAShortOne) {
  for (const int64_t count : {16, 1 << 16}) {
    for (const Semantics semantics : {Semantics::kReal, Semantics::kExact}) {
      const Certificate certificate =
          CheckSums(count, {"", kAdd, kKeep}, {.semantics = semantics, .steps = 100});
      EXPECT_EQ(certificate.verdict, Verdict::kProved) << count << certificate.reason;
    }
  }
}

TEST(FoldsTest, WhatIsNoFoldIsExecuted) {
  // Unknown in so few steps, as each iteration is looked at.
  const char* rescaled = "%same = fmul float %acc, 1.0\n  %next = fadd float %same, %x";
  const Certificate certificate = CheckSums(1 << 16, {"", rescaled, kKeep}, {.steps = 10'000});
  EXPECT_EQ(certificate.verdict, Verdict::kUnknown);
  EXPECT_THAT(certificate.reason, HasSubstr("too many instructions"));
  EXPECT_EQ(CheckSums(64, {"", rescaled, kKeep}, {.error_ratio = 4}).verdict, Verdict::kProved);
}

TEST(FoldsTest, AnIterationMayDependOnTheLast) {
  for (const char* wrong : {
           "%twice = fadd float %acc, %acc\n  %next = fadd float %twice, %x",
           "%product = fmul float %acc, %x\n  %next = fadd float %product, %x",
           "%next = fsub float %x, %acc",
           "%same = fcmp oeq float %acc, 0.0\n  %one = select i1 %same, float %x, float 1.0\n"
           "  %next = fadd float %acc, %one",
           "%next = call float @llvm.fma.f32(float %acc, float %x, float %x)",
       }) {
    EXPECT_EQ(CheckSums(64, {"", wrong, kKeep}).verdict, Verdict::kRefuted) << wrong;
  }
}

TEST(FoldsTest, WhatIsCarriedDoesNotOutliveItsIteration) {
  const std::string keep = absl::StrCat(
      "%slot = getelementptr inbounds float, ptr %kept, i64 %k\n"
      "  store float %acc, ptr %slot, align 4\n  ",
      kAdd);
  const auto read = [](const char* a, const char* b) {
    return absl::StrCat(
        "%p = getelementptr inbounds float, ptr %kept, i64 ", a,
        "\n  %q = getelementptr inbounds float, ptr %kept, i64 ", b,
        "\n  %early = load float, ptr %p, align 4\n  %late = load float, ptr %q, align 4\n"
        "  %difference = fsub float %late, %early\n  %out = fadd float %next, %difference");
  };
  // As if all iterations were given one number, the difference would vanish.
  EXPECT_EQ(CheckSums(64, {"", keep, read("3", "5")}).verdict, Verdict::kRefuted);
  EXPECT_EQ(CheckSums(64, {"", keep, read("3", "3")}).verdict, Verdict::kProved);
}

// The sum waits in memory: loaded into %old, and `update` makes %new, which is stored.
Sums InMemory(const std::string& update, const std::string& more = "") {
  return {.before =
              "%one = getelementptr inbounds float, ptr %kept, i64 1\n"
              "  store float 0.0, ptr %kept, align 4\n  store float 0.0, ptr %one, align 4",
          .body = absl::StrCat("%old = load float, ptr %kept, align 4\n  ", update,
                               "\n  store float %new, ptr %kept, align 4\n  ", more, "\n  ", kAdd),
          .after = "%out = load float, ptr %kept, align 4"};
}

constexpr const char* kUpdate = "%new = fadd float %old, %x";

TEST(FoldsTest, ALongSumInMemoryTakesNoMoreSteps) {
  for (const int64_t count : {16, 1 << 16}) {
    for (const Semantics semantics : {Semantics::kReal, Semantics::kExact}) {
      const Certificate certificate =
          CheckSums(count, InMemory(kUpdate), {.semantics = semantics, .steps = 300});
      EXPECT_EQ(certificate.verdict, Verdict::kProved) << count << certificate.reason;
    }
  }
}

TEST(FoldsTest, WhatWaitsInMemoryMayDependOnTheLastIteration) {
  for (const Sums& wrong : {
           InMemory("%twice = fadd float %old, %old\n  %new = fadd float %twice, %x"),
           InMemory("%new = fsub float %x, %old"),
           // Two sums that change places: each adds what the other one holds.
           InMemory("%other = load float, ptr %one, align 4\n  %new = fadd float %other, %x",
                    "store float %old, ptr %one, align 4"),
           // The sum so far, of another place.
           InMemory(kUpdate,
                    "%sofar = load float, ptr %kept, align 4\n"
                    "  %sum = fadd float %sofar, 0.0\n"
                    "  store float %sum, ptr %one, align 4\n"
                    "  %again = fadd float %old, %sum\n"
                    "  store float %again, ptr %kept, align 4"),
       }) {
    EXPECT_EQ(CheckSums(64, wrong).verdict, Verdict::kRefuted) << wrong.body;
  }
}

// Each iteration leaves its sum in a place of its own.
TEST(FoldsTest, WhatWaitsInMemoryDoesNotOutliveItsIteration) {
  const auto sums = [](const char* a, const char* b) {
    Sums sums = InMemory(kUpdate,
                         "%own = add nuw nsw i64 %k, 2\n"
                         "  %slot = getelementptr inbounds float, ptr %kept, i64 %own\n"
                         "  store float %new, ptr %slot, align 4");
    sums.after = absl::StrCat("%p = getelementptr inbounds float, ptr %kept, i64 ", a,
                              "\n  %q = getelementptr inbounds float, ptr %kept, i64 ", b,
                              "\n  %early = load float, ptr %p, align 4\n"
                              "  %late = load float, ptr %q, align 4\n"
                              "  %difference = fsub float %late, %early\n"
                              "  %out = fadd float %next, %difference");
    return sums;
  };
  EXPECT_EQ(CheckSums(32, sums("5", "7")).verdict, Verdict::kRefuted);
  EXPECT_EQ(CheckSums(32, sums("5", "5")).verdict, Verdict::kProved);
}

}  // namespace
}  // namespace quern::verifier
