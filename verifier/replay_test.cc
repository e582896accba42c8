#include "verifier/replay.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "verifier/machine/testdata.h"

namespace quern::verifier {
namespace {

using ::testing::HasSubstr;

constexpr char kBinary[] = "not really a shared object";

Bundle ProvedBundle() {
  const TestKernel kernel = LoadTestKernel("add_relu");
  Bundle bundle;
  bundle.module = kernel.module;
  bundle.artifact.plan = kernel.plan;
  bundle.artifact.llvm_ir = kernel.llvm_ir;
  bundle.artifact.binary = kBinary;
  bundle.certificate = Check({.module = kernel.module,
                              .llvm_ir = kernel.llvm_ir,
                              .plan = kernel.plan,
                              .binary_sha256 = Sha256(kBinary)},
                             {.boxes = {{.argument = 0, .low = 0, .high = 8}}})
                           .value();
  EXPECT_EQ(bundle.certificate.verdict, Verdict::kProved) << bundle.certificate.reason;
  return bundle;
}

// The first difference, or "".
std::string Refusal(const Bundle& bundle) {
  const ReplayResult result = Replay(bundle, {.limits = {}, .emitter = ""}).value();
  return result.differences.empty() ? "" : result.differences[0];
}

TEST(ReplayTest, AClaimStands) { EXPECT_EQ(Refusal(ProvedBundle()), ""); }

TEST(ReplayTest, ForgedClaimsDoNot) {
  Bundle bundle = ProvedBundle();
  bundle.certificate.assumptions.pop_back();
  EXPECT_NE(Refusal(bundle), "");
  bundle = ProvedBundle();
  ASSERT_FALSE(bundle.certificate.bounds.empty());
  bundle.certificate.bounds[0].absolute /= 2;
  EXPECT_THAT(Refusal(bundle), HasSubstr("bounds"));
  bundle = ProvedBundle();
  bundle.certificate.trusted.clear();
  EXPECT_THAT(Refusal(bundle), HasSubstr("trusted"));
  bundle = ProvedBundle();
  bundle.certificate.level = "machine code";
  EXPECT_THAT(Refusal(bundle), HasSubstr("level"));
  bundle = ProvedBundle();
  bundle.artifact.binary += "!";
  EXPECT_THAT(Refusal(bundle), HasSubstr("digests"));
  bundle = ProvedBundle();
  bundle.artifact.llvm_ir.replace(bundle.artifact.llvm_ir.find("[ 56,"), 5, "[ 57,");
  EXPECT_THAT(Refusal(bundle), HasSubstr("not proved again"));
}

// An emitter that writes `text`, or what `script` does instead.
std::string StubEmitter(const std::string& name, const std::string& script) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  EXPECT_TRUE(WriteFile(path, "#!/bin/sh\n" + script + "\n").ok());
  chmod(path.c_str(), 0755);
  return path;
}

TEST(ReplayTest, EmitsTheBinaryAgain) {
  const Bundle bundle = ProvedBundle();
  // emit --ir FILE --launch FILE -o FILE
  const std::string same =
      StubEmitter("quern_replay_same", absl::StrCat("printf '%s' '", kBinary, "' > \"$7\""));
  ReplayResult result = Replay(bundle, {.limits = {}, .emitter = same}).value();
  EXPECT_TRUE(result.differences.empty());
  EXPECT_THAT(result.certificate.level, HasSubstr("what the emitter makes"));
  const std::string other = StubEmitter("quern_replay_other", "printf other > \"$7\"");
  result = Replay(bundle, {.limits = {}, .emitter = other}).value();
  ASSERT_FALSE(result.differences.empty());
  EXPECT_THAT(result.differences[0], HasSubstr("the binary is not"));
  const std::string failing = StubEmitter("quern_replay_failing", "exit 1");
  result = Replay(bundle, {.limits = {}, .emitter = failing}).value();
  EXPECT_THAT(result.certificate.level, HasSubstr("the emitter failed"));
  const std::string hanging = StubEmitter("quern_replay_hanging", "exec sleep 60");
  result = Replay(bundle, {.limits = {}, .emitter = hanging, .emitter_seconds = 0.2}).value();
  EXPECT_THAT(result.certificate.level, HasSubstr("the emitter failed"));
  result = Replay(bundle, {.limits = {}, .emitter = "/nonexistent"}).value();
  EXPECT_THAT(result.certificate.level, HasSubstr("no emitter"));
}

}  // namespace
}  // namespace quern::verifier
