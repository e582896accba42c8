// What the checker does with the solver, and without one that can be relied on.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/checker.h"
#include "verifier/coverage.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Certificate CheckWith(const std::string& kernel_name, const std::string& solver,
                      double solver_seconds = 10) {
  const TestKernel kernel = LoadTestKernel(kernel_name);
  return Check({.module = kernel.module,
                .llvm_ir = kernel.llvm_ir,
                .plan = kernel.plan,
                .binary_sha256 = ""},
               {.solver = solver, .solver_seconds = solver_seconds})
      .value();
}

// A program in place of the solver.
class Stub {
 public:
  explicit Stub(const std::string& script)
      : path_(absl::StrCat(testing::TempDir(), "/checker_solver_", getpid())) {
    std::ofstream(path_) << "#!/bin/sh\n" << script << "\n";
    chmod(path_.c_str(), 0755);
  }
  ~Stub() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Answers every question in the right syntax.
std::string Answering(const std::string& word) {
  return "while read line; do case \"$line\" in '(echo '*) line=${line#*\\\"}; echo " + word +
         "; echo \"${line%%\\\"*}\";; esac; done";
}

int64_t BySolver(const Certificate& certificate) {
  int64_t count = 0;
  for (const Obligation& obligation : certificate.obligations) {
    count += obligation.method == Method::kSolver ? 1 : 0;
  }
  return count;
}

TEST(SolverTest, DecidesWhatLemmasAndSplittingLeaveOpen) {
  const Certificate certificate = CheckWith("strided_add", "cvc5");
  ASSERT_EQ(certificate.verdict, Verdict::kProved) << certificate.reason;
  std::string kinds;
  for (const Obligation& obligation : certificate.obligations) {
    if (obligation.method == Method::kSolver) absl::StrAppend(&kinds, " ", obligation.kind);
  }
  EXPECT_THAT(kinds, HasSubstr("in-bounds"));
  EXPECT_THAT(kinds, HasSubstr("branch"));
  EXPECT_THAT(certificate.trusted, Contains(HasSubstr("cvc5")));
}

TEST(SolverTest, WithoutAnAnswerNothingIsProved) {
  const std::pair<std::string, std::string> solvers[] = {
      {"/nonexistent/cvc5", "the process ended"},
      {"", "the process ended"},
      {Stub("").path(), "the process ended"},  // gone when it is started
  };
  for (const auto& [solver, reason] : solvers) {
    const Certificate certificate = CheckWith("strided_add", solver);
    EXPECT_EQ(certificate.verdict, Verdict::kUnknown) << solver;
    EXPECT_THAT(certificate.reason, HasSubstr("too many classes"));
    EXPECT_THAT(certificate.reason, HasSubstr(reason));
  }
  const std::pair<std::string, std::string> scripts[] = {
      {"kill -SEGV $$", "the process ended"},
      {"exit 0", "the process ended"},
      {"yes unsat", "too long"},
      {"echo unsat", "the process ended"},
      {"exec sleep 60", "no answer in time"},
      {Answering("unknown"), "gave up"},
      {Answering("unsatisfiable"), "said 'unsatisfiable'"},
      {Answering("unsat; echo unsat"), "said 'unsat"},
  };
  for (const auto& [script, reason] : scripts) {
    const Stub stub(script);
    const auto start = std::chrono::steady_clock::now();
    const Certificate certificate = CheckWith("strided_add", stub.path(), 0.2);
    EXPECT_EQ(certificate.verdict, Verdict::kUnknown) << script;
    EXPECT_THAT(certificate.reason, HasSubstr(reason)) << script;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << script;
  }
}

// What says lemma or enumeration does not rest on the solver.
TEST(SolverTest, ALiarChangesNoVerdictOfOtherMethods) {
  const Stub liar(Answering("unsat"));
  for (const std::string& name : TestKernelNames()) {
    if (name == "strided_add") continue;
    const Certificate certificate = CheckWith(name, liar.path());
    EXPECT_EQ(certificate.verdict, Verdict::kProved) << name;
    EXPECT_EQ(BySolver(certificate), 0) << name;
    EXPECT_EQ(ToJson(certificate), ToJson(CheckWith(name, "/nonexistent/cvc5"))) << name;
  }
}

// Half a billion elements: too many for a bit each.
TEST(SolverTest, CoverageOfWhatIsTooLargeToEnumerate) {
  TestKernel kernel = LoadTestKernel("strided_add");
  const std::string big = "tensor<536870912xf32>";
  kernel.module =
      absl::StrCat("func.func @main(%a: ", big, ", %b: ", big, ") -> ", big,
                   " {\n  %c = stablehlo.add %a, %b : ", big, "\n  return %c : ", big, "\n}\n");
  for (BufferPlan& buffer : kernel.plan.buffers) {
    buffer.type.shape = {536870912};
    buffer.bytes = int64_t{536870912} * 4;
  }
  kernel.plan.kernels[0].grid = {8192, 8192, 1};
  const std::string from =
      "  %walk = mul nuw nsw i64 %bx, 3001\n  %vector = urem i64 %walk, 8191\n";
  const size_t at = kernel.llvm_ir.find(from);
  ASSERT_NE(at, std::string::npos);
  const std::string inside = "icmp ult i64 %vector, 8191";
  kernel.llvm_ir.replace(kernel.llvm_ir.find(inside), inside.size(),
                         "icmp ult i64 %vector, 67108864");
  const auto check = [&](const std::string& step, const std::string& solver) {
    std::string ir = kernel.llvm_ir;
    ir.replace(at, from.size(),
               absl::StrCat("  %row = mul nuw nsw i64 %by, ", step,
                            "\n  %vector = add nuw nsw i64 %row, %bx\n"));
    return Check({.module = kernel.module, .llvm_ir = ir, .plan = kernel.plan, .binary_sha256 = ""},
                 {.solver = solver, .solver_seconds = 10})
        .value();
  };
  const Certificate proved = check("8192", "cvc5");
  ASSERT_EQ(proved.verdict, Verdict::kProved) << proved.reason;
  EXPECT_EQ(proved.obligations.back().kind, "coverage");
  EXPECT_EQ(proved.obligations.back().method, Method::kSolver);
  EXPECT_EQ(proved.obligations.back().count, 536870912);
  EXPECT_EQ(check("8192", "/nonexistent/cvc5").verdict, Verdict::kUnknown);
  const Certificate overlapping = check("8191", "cvc5");
  EXPECT_EQ(overlapping.verdict, Verdict::kUnknown);
  EXPECT_THAT(overlapping.reason, HasSubstr("does not tell"));
}

}  // namespace
}  // namespace quern::verifier
