#include "server/checker_process.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "bundle/digest.h"
#include "bundle/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::server {

// Scripts stand in for quern-check; the end-to-end test runs the real one.
class CheckerProcessTest : public testing::Test {
 protected:
  CheckerProcessTest() : folder_(testing::TempDir() + "quern_proofs_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~CheckerProcessTest() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<Certificate> Check(const std::string& script, double seconds = 60) {
    const std::string program = folder_ + "/check";
    EXPECT_TRUE(WriteFile(program, "#!/bin/bash\n" + script).ok());
    chmod(program.c_str(), 0700);
    CheckerProcess checker({.program = program, .folder = folder_, .seconds = seconds},
                           {.module = "module", .assumptions = {"arg0>=0"}}, abandoned_);
    absl::StatusOr<Certificate> certificate = checker.Check(artifact_, 60);
    std::filesystem::remove(program);
    EXPECT_TRUE(std::filesystem::is_empty(folder_)) << "files of a proof are left";
    return certificate;
  }

  // Prints a certificate about what the test asks.
  static std::string Printing(const Certificate& certificate) {
    return "cat <<'END'\n" + ToJson(certificate) + "\nEND\n";
  }
  Certificate Answer(Verdict verdict) const {
    return {.checker_version = "4",
            .verdict = verdict,
            .digests = {{"module", Sha256("module")},
                        {"llvm_ir", Sha256("; ir")},
                        {"launch_plan", Sha256(ToJson(artifact_.plan))}}};
  }

  const std::string folder_;
  const Artifact artifact_{.plan = {.target = "x86_64"}, .llvm_ir = "; ir", .binary = "binary"};
  std::atomic<bool> abandoned_{false};
};

TEST_F(CheckerProcessTest, PassesTheQuestionAndTheAnswer) {
  const auto certificate = Check(
      "[[ $1 == verify && \"$*\" == *'--assume arg0>=0'* ]] || exit 9\n"
      "while [[ $# -gt 0 ]]; do [[ $1 == --spec ]] && spec=$2; shift; done\n"
      "[[ $(cat $spec) == module ]] || exit 8\n" +
      Printing(Answer(Verdict::kProved)));
  ASSERT_TRUE(certificate.ok()) << certificate.status().ToString();
  EXPECT_EQ(certificate->verdict, Verdict::kProved) << certificate->reason;
  EXPECT_EQ(certificate->digests.at("binary"), Sha256("binary"));
}

TEST_F(CheckerProcessTest, OtherVerdictsPass) {
  EXPECT_EQ(Check(Printing(Answer(Verdict::kRefuted)) + "exit 2")->verdict, Verdict::kRefuted);
  EXPECT_EQ(Check(Printing(Answer(Verdict::kUnknown)) + "exit 3")->verdict, Verdict::kUnknown);
}

TEST_F(CheckerProcessTest, ADeadOrConfusedProcessProvesNothing) {
  EXPECT_THAT(Check("kill -9 $$")->reason, testing::HasSubstr("signal 9"));
  EXPECT_THAT(Check("exit 0")->reason, testing::HasSubstr("no certificate"));
  EXPECT_THAT(Check("echo '{}'; exit 0")->reason, testing::HasSubstr("no certificate"));
  const std::string proved = Printing(Answer(Verdict::kProved));
  for (const char* code : {"1", "2", "3", "4"}) {
    EXPECT_EQ(Check(proved + "exit " + code)->verdict, Verdict::kUnknown) << code;
  }
  for (const char* what : {"module", "llvm_ir", "launch_plan"}) {
    Certificate other = Answer(Verdict::kProved);
    other.digests[what] = Sha256("something else");
    const Certificate seen = *Check(Printing(other));
    EXPECT_EQ(seen.verdict, Verdict::kUnknown);
    EXPECT_EQ(seen.reason, std::string("quern-check spoke of another ") + what);
    other.digests.erase(what);
    EXPECT_EQ(Check(Printing(other))->verdict, Verdict::kUnknown);
  }
  Certificate other = Answer(Verdict::kProved);
  other.semantics = Semantics::kExact;
  EXPECT_EQ(Check(Printing(other))->verdict, Verdict::kUnknown);
  other = Answer(Verdict::kProved);
  other.error_ratio = 3;
  EXPECT_EQ(Check(Printing(other))->verdict, Verdict::kUnknown);
}

TEST_F(CheckerProcessTest, EndsWithTheJob) {
  std::thread stop([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    abandoned_ = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status status = Check("sleep 50 & wait").status();
  stop.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status.ToString();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(CheckerProcessTest, SaysThatTheProgramIsMissing) {
  CheckerProcess checker({.program = folder_ + "/none", .folder = folder_}, {}, abandoned_);
  const absl::Status status = checker.Check(artifact_, 60).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status.ToString();
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("/none"));
}

}  // namespace quern::server
