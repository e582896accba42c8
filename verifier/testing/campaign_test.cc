// A few random mutants of each kernel; `./dev bench mutations` runs many.
#include "verifier/testing/campaign.h"

#include "gtest/gtest.h"
#include "verifier/machine/testdata.h"
#include "verifier/testing/mutation.h"

namespace quern::verifier {
namespace {

CheckRequest RequestOf(const TestKernel& kernel) {
  return {.module = kernel.module, .llvm_ir = kernel.llvm_ir, .plan = kernel.plan};
}

TEST(CampaignTest, NoMutantThatDiffersIsProved) {
  CheckOptions options;
  options.seconds = 1;
  options.solver_seconds = 0.2;
  CampaignResult result;
  for (const std::string& name : TestKernelNames()) {
    absl::StatusOr<Campaign> campaign =
        Campaign::Create(name, RequestOf(LoadTestKernel(name)), options);
    ASSERT_TRUE(campaign.ok()) << campaign.status();
    for (uint64_t seed = 1; seed <= 6; ++seed) campaign->Run(seed, 50, result);
  }
  for (const std::string& wrong : result.wrong) ADD_FAILURE() << wrong;
  EXPECT_GE(result.mutants, 50);
  EXPECT_GE(result.different * 2, result.mutants);
  EXPECT_GT(result.refuted, result.mutants / 4);
}

TEST(CampaignTest, MutationsComeAgainFromTheirSeed) {
  const std::string ir = LoadTestKernel("matmul").llvm_ir;
  std::mt19937_64 a(3), b(3), c(4);
  EXPECT_EQ(MutateIr(ir, a)->text, MutateIr(ir, b)->text);
  EXPECT_NE(MutateIr(ir, c)->text, MutateIr(ir, b)->text);
}

}  // namespace
}  // namespace quern::verifier
