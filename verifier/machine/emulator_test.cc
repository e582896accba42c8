#include "verifier/machine/emulator.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;

// Two blocks over an input and an output of 16 floats, a temporary and a scratch of as many.
LaunchPlan Plan() {
  const TensorType type{.element = ElementType::kF32, .shape = {16}};
  LaunchPlan plan;
  plan.kernels.push_back({.symbol = "k", .grid = {2, 1, 1}, .buffers = {0, 1, 2, 3}});
  const char* names[] = {"in", "out", "temporary", "scratch"};
  const BufferRole roles[] = {BufferRole::kInput, BufferRole::kOutput, BufferRole::kTemporary,
                              BufferRole::kScratch};
  for (int i = 0; i < 4; ++i) {
    plan.buffers.push_back({.name = names[i],
                            .role = roles[i],
                            .position = i < 2 ? 0 : -1,
                            .type = type,
                            .bytes = 64,
                            .alignment = 16,
                            .holds = ""});
  }
  return plan;
}

EmulationResult RunKernelBody(const std::string& body, const std::string& rest = "",
                              int64_t budget = 100'000) {
  Tensor input = Tensor::Create({.element = ElementType::kF32, .shape = {16}}).value();
  for (int i = 0; i < 16; ++i) input.Set(i, i + 1);
  absl::StatusOr<EmulationResult> result = Emulate(
      absl::StrCat("define void @k(ptr %in, ptr %out, ptr %t, ptr %s, i64 %bx, i64 %by, i64 %bz)"
                   " {\n",
                   body, "\n}\n", rest),
      Plan(), {&input}, budget);
  EXPECT_TRUE(result.ok()) << body << result.status();
  return result.ok() ? *std::move(result) : EmulationResult();
}

// Writes eight floats of the block's half of the output.
constexpr char kWriteHalf[] = R"(
  %o = shl i64 %bx, 5
  %pi = getelementptr inbounds i8, ptr %in, i64 %o
  %po = getelementptr inbounds i8, ptr %out, i64 %o
  %v = load <8 x float>, ptr %pi, align 16
  store <8 x float> %v, ptr %po, align 16
)";

TEST(EmulatorTest, CopiesTheInput) {
  const EmulationResult result = RunKernelBody(absl::StrCat(kWriteHalf, "ret void"));
  EXPECT_EQ(result.fault.fault.kind, FaultKind::kNone) << result.fault.fault.message;
  for (int i = 0; i < 16; ++i) EXPECT_EQ(result.outputs[0].At(i), i + 1);
  EXPECT_GT(result.instructions, 32);
}

TEST(EmulatorTest, RunsCallsSwitchesAndLocals) {
  const EmulationResult result =
      RunKernelBody(absl::StrCat(kWriteHalf, R"(
  %local = alloca [2 x float], align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %local, ptr align 4 %in, i64 8, i1 false)
  %x = load i64, ptr %local, align 8
  %y = bitcast i64 %x to <2 x float>
  %z = extractelement <2 x float> %y, i64 1
  %w = call float @twice(float %z)
  switch i64 %bx, label %other [ i64 0, label %zero ]
zero:
  store float %w, ptr %po, align 4
  ret void
other:
  %n = load float, ptr @table, align 4
  store float %n, ptr %po, align 4
  ret void)"),
                    "define internal float @twice(float %x) {\n"
                    " %r = fadd float %x, %x\n ret float %r\n}\n"
                    "@table = private constant [1 x float] [float 9.0]\n"
                    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
  EXPECT_EQ(result.fault.fault.kind, FaultKind::kNone) << result.fault.fault.message;
  EXPECT_EQ(result.outputs[0].At(0), 4);
  EXPECT_EQ(result.outputs[0].At(8), 9);
}

struct FaultCase {
  FaultKind kind;
  const char* body;
  const char* message;
};

TEST(EmulatorTest, FindsFaults) {
  const FaultCase cases[] = {
      {FaultKind::kOutOfBounds,
       "%p = getelementptr i8, ptr %in, i64 61\n %x = load i32, ptr %p, align 1\n ret void",
       "at byte 61 of 'in'"},
      {FaultKind::kOutOfBounds,
       "%p = getelementptr i8, ptr %in, i64 -4\n %x = load i32, ptr %p, align 1\n ret void",
       "at byte -4"},
      {FaultKind::kOutOfBounds, "store i8 0, ptr null, align 1\n ret void", "null"},
      {FaultKind::kMisaligned, "%x = load float, ptr %in, align 32\n ret void", "alignment 32"},
      {FaultKind::kMisaligned,
       "%p = getelementptr i8, ptr %in, i64 2\n %x = load float, ptr %p, align 4\n ret void",
       "alignment 4"},
      {FaultKind::kPermission, "store float 0.0, ptr %in, align 4\n ret void", "read only"},
      {FaultKind::kUninitialised, "%x = load float, ptr %t, align 4\n ret void", "'temporary'"},
      {FaultKind::kUninitialised, "%x = load float, ptr %s, align 4\n ret void", "'scratch'"},
      {FaultKind::kUninitialised, "%x = load float, ptr %out, align 4\n ret void", "'out'"},
      {FaultKind::kPoison, "store float poison, ptr %out, align 4\n ret void", "a store"},
      {FaultKind::kPoison,
       "%c = add nuw i64 %bx, -1\n %d = add nuw i64 %c, 1\n %e = icmp eq i64 %d, 7\n"
       " br i1 %e, label %a, label %b\na:\n ret void\nb:\n ret void",
       "a branch"},
      {FaultKind::kPoison,
       "%o = add nsw i64 %bx, 9223372036854775807\n %n = sub i64 %o, 9223372036854775807\n"
       " %p = getelementptr i8, ptr %out, i64 %n\n"
       " store i8 1, ptr %p, align 1\n ret void",
       "an address"},
      {FaultKind::kPoison,
       "%p = getelementptr inbounds i8, ptr %in, i64 80\n"
       " %q = getelementptr i8, ptr %p, i64 -80\n %x = load i8, ptr %q, align 1\n ret void",
       "an address"},
      {FaultKind::kPoison,
       "%o = or disjoint i64 %bx, 1\n %p = getelementptr i8, ptr %out, i64 %o\n"
       " store i8 1, ptr %p, align 1\n ret void",
       "an address"},
      {FaultKind::kDivide, "%x = udiv i64 5, %bx\n ret void", "by zero"},
      {FaultKind::kAssume, "%c = icmp ugt i64 %bx, 0\n call void @llvm.assume(i1 %c)\n ret void",
       "assumption"},
      {FaultKind::kUnreachable, "unreachable", "unreachable"},
      {FaultKind::kRace, "store float 0.0, ptr %out, align 4\n ret void", "another block writes"},
      {FaultKind::kRace,
       "%o = shl i64 %bx, 2\n %p = getelementptr i8, ptr %t, i64 %o\n"
       " store float 0.0, ptr %p, align 4\n %x = load float, ptr %t, align 4\n ret void",
       "another block writes"},
      {FaultKind::kCoverage,
       "%o = shl i64 %bx, 5\n %p = getelementptr i8, ptr %out, i64 %o\n"
       " store <7 x float> zeroinitializer, ptr %p, align 4\n ret void",
       "byte 28"},
      {FaultKind::kBudget, "br label %l\nl:\n br label %l", "instructions"},
      {FaultKind::kUnsupported,
       "%x = freeze float poison\n store float %x, ptr %out, align 4\n ret void", "freez"},
      {FaultKind::kUnsupported,
       "%c = icmp ult ptr %in, %out\n br i1 %c, label %a, label %a\na:\n ret void", "addresses"},
  };
  for (const FaultCase& fault : cases) {
    const EmulationResult result = RunKernelBody(fault.body);
    EXPECT_EQ(Name(result.fault.fault.kind), Name(fault.kind)) << fault.body;
    EXPECT_THAT(result.fault.fault.message, HasSubstr(fault.message)) << fault.body;
  }
}

TEST(EmulatorTest, SaysWhichInstructionAndBlock) {
  const EmulationResult result = RunKernelBody("  %x = udiv i64 5, %bx\n  ret void");
  EXPECT_EQ(result.fault.fault.instruction, "%x = udiv i64 5, %bx");
  EXPECT_EQ(result.fault.fault.function, "k");
  EXPECT_EQ(result.fault.block, (BlockIndex{0, 0, 0}));
}

TEST(EmulatorTest, ScratchDoesNotOutliveABlock) {
  const EmulationResult result = RunKernelBody(R"(
  %first = icmp eq i64 %bx, 0
  br i1 %first, label %a, label %b
a:
  store float 1.0, ptr %s, align 4
  ret void
b:
  %x = load float, ptr %s, align 4
  ret void)");
  EXPECT_EQ(result.fault.fault.kind, FaultKind::kUninitialised);
  EXPECT_EQ(result.fault.block, (BlockIndex{1, 0, 0}));
}

TEST(EmulatorTest, RunsABlockAlone) {
  const Module module =
      ReadModule(absl::StrCat("define void @k(ptr %in, ptr %out, ptr %t, ptr %s, i64 %bx, "
                              "i64 %by, i64 %bz) {",
                              kWriteHalf, "ret void\n}"))
          .value();
  const LaunchPlan plan = Plan();
  ASSERT_TRUE(CheckLaunch(module, plan).ok());
  Emulator emulator(module, plan);
  const Tensor input = Tensor::Create(plan.buffers[0].type).value();
  emulator.SetInput(0, &input);
  int64_t budget = 1000;
  EXPECT_EQ(emulator.RunBlock(0, {1, 0, 0}, &budget).fault.kind, FaultKind::kNone);
  EXPECT_FALSE(emulator.initialised(1).Any(0, 32));
  EXPECT_TRUE(emulator.initialised(1).All(32, 64));
  // The same block again is not a race with itself.
  EXPECT_EQ(emulator.RunBlock(0, {1, 0, 0}, &budget).fault.kind, FaultKind::kNone);
}

TEST(EmulatorTest, RefusesKernelsThatDoNotFitThePlan) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"define void @other() { ret void }", "does not define @k"},
      {"define void @k(ptr %a, i64 %x, i64 %y, i64 %z) { ret void }", "4 buffers"},
      {"define void @k(ptr %a, ptr %b, ptr %c, i64 %d, i64 %x, i64 %y, i64 %z) { ret void }",
       "parameter 3 is i64"},
      {"define void @k(ptr align 64 %a, ptr %b, ptr %c, ptr %d, i64 %x, i64 %y, i64 %z) "
       "{ ret void }",
       "promises alignment 64"},
      {"define void @k(ptr dereferenceable(65) %a, ptr %b, ptr %c, ptr %d, i64 %x, i64 %y, "
       "i64 %z) { ret void }",
       "65 bytes"},
  };
  for (const auto& c : cases) {
    const absl::Status status = CheckLaunch(ReadModule(c.text).value(), Plan());
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << c.text;
  }
}

}  // namespace
}  // namespace quern::verifier
