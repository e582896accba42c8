#include "verifier/solver/cvc5_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::verifier {
namespace {

IntegerQuery Query(std::vector<std::string> assertions) {
  return {.variables = {{"x", -10, 10}, {"y", 0, 5}}, .assertions = std::move(assertions)};
}

// A program that behaves badly in place of the solver.
class Stub {
 public:
  explicit Stub(const std::string& script)
      : path_(testing::TempDir() + "/solver_stub_" + std::to_string(getpid()) + "_" +
              std::to_string(++count_)) {
    std::ofstream(path_) << "#!/bin/sh\n" << script << "\n";
    chmod(path_.c_str(), 0755);
  }
  ~Stub() { unlink(path_.c_str()); }
  SolverAnswer Ask(double seconds = 0.3) const {
    Cvc5Process solver({.executable = path_, .seconds = seconds});
    return solver.Ask(Query({"(< x x)"}));
  }

 private:
  static int count_;
  std::string path_;
};
int Stub::count_ = 0;

TEST(Cvc5ProcessTest, AnswersManyQuestions) {
  Cvc5Process solver({.seconds = 10});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(solver.Ask(Query({"(> x 10)"})).verdict, SolverVerdict::kUnsat);
    SolverAnswer answer = solver.Ask(Query({"(= (+ x y) (- 9))", "(= y 1)"}));
    EXPECT_EQ(answer.verdict, SolverVerdict::kSat) << answer.detail;
    EXPECT_THAT(answer.model, testing::ElementsAre(testing::Pair("x", -10), testing::Pair("y", 1)));
    EXPECT_EQ(solver.Ask(Query({"(= (mod x 2) 2)"})).verdict, SolverVerdict::kUnsat);
  }
}

TEST(Cvc5ProcessTest, AnUnreadableQueryIsAnErrorAndTheNextIsAnswered) {
  Cvc5Process solver({.seconds = 10});
  EXPECT_EQ(solver.Ask(Query({"(nonsense"})).verdict == SolverVerdict::kUnsat, false);
  EXPECT_EQ(solver.Ask(Query({"(undeclared x)"})).verdict, SolverVerdict::kError);
  EXPECT_EQ(solver.Ask(Query({"(> x 10)"})).verdict, SolverVerdict::kUnsat);
}

TEST(Cvc5ProcessTest, AnAbsentSolverIsAnError) {
  Cvc5Process solver({.executable = "/nonexistent/cvc5"});
  EXPECT_EQ(solver.Ask(Query({"true"})).verdict, SolverVerdict::kError);
}

TEST(Cvc5ProcessTest, ACrashIsAnError) {
  EXPECT_EQ(Stub("kill -SEGV $$").Ask().verdict, SolverVerdict::kError);
}

TEST(Cvc5ProcessTest, AHangIsCutOff) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Stub("sleep 60").Ask().verdict, SolverVerdict::kUnknown);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Cvc5ProcessTest, GarbageIsAnError) {
  EXPECT_EQ(Stub("yes unsat").Ask().verdict, SolverVerdict::kError);
  EXPECT_EQ(Stub("echo perhaps; echo quern-1; sleep 5").Ask().verdict, SolverVerdict::kError);
}

TEST(Cvc5ProcessTest, ASolverThatKnowsNothingProvesNothing) {
  EXPECT_EQ(Stub("echo unknown; echo quern-1; sleep 5").Ask().verdict, SolverVerdict::kUnknown);
}

TEST(ToSmtLibTest, WritesNegativeAndExtremeNumbers) {
  EXPECT_EQ(
      ToSmtLib({.variables = {{"x", INT64_MIN, -1}}, .assertions = {"(> x 0)"}}),
      "(declare-const x Int)\n(assert (<= (- 9223372036854775808) x (- 1)))\n(assert (> x 0))\n");
}

}  // namespace
}  // namespace quern::verifier
