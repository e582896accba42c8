#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/machine/function.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;

std::string Kernel(const std::string& body) {
  return "define void @k(ptr %p, i64 %bx, i64 %by, i64 %bz) {\n" + body + "\n}\n";
}

TEST(ReaderTest, ReadsTheTestKernels) {
  for (const std::string& name : TestKernelNames()) {
    const TestKernel kernel = LoadTestKernel(name);
    const absl::StatusOr<Module> module = ReadModule(kernel.llvm_ir);
    ASSERT_TRUE(module.ok()) << name << ": " << module.status();
    for (const KernelPlan& plan : kernel.plan.kernels) {
      const int index = module->Find(plan.symbol);
      ASSERT_GE(index, 0);
      EXPECT_EQ(module->functions[index].num_parameters, plan.buffers.size() + 3);
    }
  }
}

TEST(ReaderTest, ReadsParameterPromises) {
  const Module module = ReadModule(
                            "define void @k(ptr noalias align 32 dereferenceable(64) readonly %a, "
                            "ptr nonnull writeonly %b, i64 noundef %x, i64 %y, i64 %z) "
                            "memory(argmem: readwrite) { ret void }\n"
                            "define void @w(ptr %a, i64 %x, i64 %y, i64 %z) memory(argmem: write) {"
                            " ret void }")
                            .value();
  const Function& k = module.functions[module.Find("k")];
  EXPECT_EQ(k.facts[0].alignment, 32);
  EXPECT_EQ(k.facts[0].dereferenceable, 64);
  EXPECT_TRUE(k.facts[0].noalias);
  EXPECT_FALSE(k.facts[0].writable);
  EXPECT_FALSE(k.facts[1].readable);
  EXPECT_EQ(k.facts[1].dereferenceable, 1);
  EXPECT_TRUE(k.noundef[2]);
  const Function& w = module.functions[module.Find("w")];
  EXPECT_FALSE(w.facts[0].readable);
  EXPECT_TRUE(w.facts[0].writable);
}

TEST(ReaderTest, OrdersParallelMoves) {
  // Fibonacci: both phis change at once, and each reads the other.
  const Module module = ReadModule(Kernel(R"(entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = phi i64 [ 0, %entry ], [ %b, %loop ]
  %b = phi i64 [ 1, %entry ], [ %a, %loop ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 5
  br i1 %more, label %loop, label %exit
exit:
  ret void)"))
                            .value();
  const Function& k = module.functions[0];
  ASSERT_EQ(k.edges.size(), 3u);
  const std::vector<Edge::Move>& moves = k.edges[1].moves;
  ASSERT_EQ(moves.size(), 4u);  // three phis and the cycle's copy
  // Replay them on distinct numbers.
  std::vector<int> values(k.values.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i);
  std::vector<int> before = values;
  for (const Edge::Move& move : moves) values[move.to] = values[move.from];
  const std::vector<Edge::Move>& entry = k.edges[0].moves;
  const int a = entry[1].to;
  const int b = entry[2].to;
  EXPECT_EQ(values[a], before[b]);
  EXPECT_EQ(values[b], before[a]);
}

TEST(ReaderTest, NamesTheInstructionOfText) {
  const Module module = ReadModule(Kernel("  %x = add nsw i64 %bx, 7\n  ret void")).value();
  EXPECT_EQ(module.Text(0, 0), "%x = add nsw i64 %bx, 7");
}

struct Refusal {
  std::string text;
  const char* message;
};

TEST(ReaderTest, RefusesWhatItDoesNotUnderstand) {
  const Refusal refusals[] = {
      {"%x = load float, ptr %p, align 4\n %y = fadd fast float %x, %x\n ret void", "fast-math"},
      {"%x = load float, ptr %p, align 4\n %y = fmul contract float %x, %x\n ret void",
       "fast-math"},
      {"%x = load volatile float, ptr %p, align 4\n ret void", "volatile"},
      {"%x = load atomic i32, ptr %p monotonic, align 4\n ret void", "atomic"},
      {"fence seq_cst\n ret void", "this instruction"},
      {"%x = atomicrmw add ptr %p, i32 1 seq_cst\n ret void", "this instruction"},
      {"%x = load i32, ptr %p, align 4, !range !0\n ret void\n}\n!0 = !{i32 0, i32 9}\n"
       "define void @z() {\n ret void",
       "!range"},
      {"%x = load float, ptr %p, align 4, !nontemporal !0\n ret void\n}\n!0 = !{i32 1}\n"
       "define void @z() {\n ret void",
       "!nontemporal"},
      {"%x = load float, ptr %p, align 4, !noalias !0\n ret void\n}\n"
       "!0 = !{!1}\n!1 = distinct !{!1, !2}\n!2 = distinct !{!2}\n"
       "define void @z() {\n ret void",
       "!noalias"},
      {"%x = ptrtoint ptr %p to i64\n ret void", "conversion"},
      {"%x = load ptr, ptr %p, align 8\n ret void", "memory of type ptr"},
      {"%x = load i1, ptr %p, align 1\n ret void", "memory of type i1"},
      {"%x = load <8 x i1>, ptr %p, align 1\n ret void", "memory of type <8 x i1>"},
      {"%x = add i128 1, 2\n ret void", "type"},
      {"%x = alloca float, i64 %bx\n ret void", "alloca"},
      {"call void asm sideeffect \"nop\", \"\"()\n ret void", "inline assembly"},
      {"call void @k(ptr %p, i64 %bx, i64 %by, i64 %bz)\n ret void", "recursion"},
      {"call void %p()\n ret void", "indirect call"},
      {"call void @llvm.assume(i1 true) [\"align\"(ptr %p, i64 64)]\n ret void", "bundles"},
      {"%x = call float @llvm.fmuladd.f32(float 1.0, float 2.0, float 3.0)\n ret void", "fmuladd"},
      {"%x = call i64 @llvm.x86.rdtsc()\n ret void", "this intrinsic"},
      {"%x = call ptr @malloc(i64 4)\n ret void\n}\ndeclare ptr @malloc(i64)\n"
       "define void @z() {\n ret void",
       "calling @malloc"},
      {"%x = load i32, ptr @g, align 4\n ret void\n}\n@g = global i32 0\n"
       "define void @z() {\n ret void",
       "@g"},
      {"%x = load i32, ptr addrspace(3) @g, align 4\n ret void\n}\n"
       "@g = addrspace(3) constant i32 0\ndefine void @z() {\n ret void",
       "constant"},
  };
  for (const Refusal& refusal : refusals) {
    const absl::StatusOr<Module> module = ReadModule(Kernel(refusal.text));
    EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented)
        << refusal.text << module.status();
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(refusal.message));
  }
}

// A kernel that calls a declared function of one argument.
std::string Calling(const std::string& type, const std::string& name,
                    const std::string& attributes = "") {
  const std::string plain =
      type.substr(type.find(") ") == std::string::npos ? 0 : type.find(") ") + 2);
  return "declare " + type + " @" + name + "(" + plain + ") " + attributes + "\ndefine void @k(" +
         plain + " %x) {\n  %y = call " + plain + " @" + name + "(" + plain + " %x)\n  ret void\n}";
}

TEST(ReaderTest, CallsOfMathlibHaveVectorForms) {
  for (const auto& [type, name] :
       {std::pair("<8 x float>", "quern_exp_f32x8"), {"float", "quern_exp_f32"}}) {
    const absl::StatusOr<Module> module = ReadModule(Calling(type, name));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(module->libraries, std::vector<std::string>{"quern_exp_f32"});
  }
}

TEST(ReaderTest, RefusesPromisesOfFunctions) {
  const Refusal refusals[] = {
      {"define void @k() \"unsafe-fp-math\"=\"true\" { ret void }", "unsafe-fp-math"},
      {"define void @k() \"denormal-fp-math\"=\"preserve-sign,preserve-sign\" { ret void }",
       "denormal-fp-math"},
      {"define void @k() strictfp { ret void }", "strictfp"},
      {"define void @k() noreturn { ret void }", "noreturn"},
      {"define void @k(i64 range(i64 0, 4) %x) { ret void }", "range"},
      {"define void @k(ptr byval(i32) %x) { ret void }", "byval"},
      {"define void @f(ptr noalias %p) { ret void }\n"
       "define void @k(ptr %p) { call void @f(ptr %p)\n ret void }",
       "noalias"},
      {"define void @f(ptr %p) memory(none) { ret void }\n"
       "define void @k(ptr %p) { call void @f(ptr %p)\n ret void }",
       "memory"},
      {"define void @k(...) { ret void }", "variable number"},
      {"define ptr @memcpy(ptr %a, ptr %b, i64 %n) { ret ptr %a }", "library's @memcpy"},
      {"define internal float @expf(float %x) { ret float %x }", "library's @expf"},
      {"define float @quern_exp_f32(float %x) { ret float %x }", "library's @quern_exp_f32"},
      {"define <8 x float> @quern_exp_f32x8(<8 x float> %x) { ret <8 x float> %x }",
       "library's @quern_exp_f32x8"},
      {Calling("<8 x float>", "quern_exp_f32"), "calling @quern_exp_f32"},
      {Calling("<4 x float>", "quern_exp_f32x8"), "calling @quern_exp_f32x8"},
      {Calling("float", "quern_exp_f32x8"), "calling @quern_exp_f32x8"},
      {Calling("double", "quern_exp_f32"), "calling @quern_exp_f32"},
      {Calling("float", "quern_pow_f32"), "calling @quern_pow_f32"},
      {Calling("<8 x float>", "expf"), "calling @expf"},
      {Calling("double", "expf"), "calling @expf"},
      {Calling("nofpclass(pinf) float", "expf"), "nofpclass"},
      {Calling("float", "expf", "noreturn"), "noreturn"},
      {"@__truncsfbf2 = constant i32 0", "library's @__truncsfbf2"},
      {"define void @quern_run() { ret void }", "quern_run"},
      {"define weak void @k() { ret void }", "may be replaced"},
      {"define available_externally void @k() { ret void }", "may be replaced"},
      {"module asm \"nop\"", "module-level assembly"},
      {"target datalayout = \"E\"", "data layout"},
      {"@a = alias i32, ptr @g\n@g = constant i32 0", "alias"},
  };
  for (const Refusal& refusal : refusals) {
    const absl::StatusOr<Module> module = ReadModule(refusal.text);
    EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented)
        << refusal.text << module.status();
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(refusal.message));
  }
}

TEST(ReaderTest, SaysWhereTextIsMalformed) {
  EXPECT_THAT(std::string(ReadModule("define void @k() {\n  garbage\n}").status().message()),
              HasSubstr("line 2"));
  EXPECT_EQ(ReadModule(std::string(100, '\1')).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(ReadModule("@g = constant " + std::string(100000, '[')).status().message()),
      HasSubstr("nests too deep"));
  EXPECT_TRUE(ReadModule("").ok());
}

}  // namespace
}  // namespace quern::verifier
