// Random mutants of the kernels of verifier/testdata through the checker: counts the verdicts, and
// fails where a mutant is proved that an input tells from its kernel.
//
// usage: mutate_ir SEED FIRST COUNT INPUTS, from the root of the source tree. Mutants are numbered;
// the same number and seed give the same mutant.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "verifier/machine/testdata.h"
#include "verifier/testing/campaign.h"

using quern::verifier::Campaign;

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: mutate_ir SEED FIRST COUNT INPUTS\n");
    return 1;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 10);
  const int64_t first = std::strtoll(argv[2], nullptr, 10);
  const int64_t count = std::strtoll(argv[3], nullptr, 10);
  const int inputs = static_cast<int>(std::strtol(argv[4], nullptr, 10));
  quern::verifier::CheckOptions options;
  options.seconds = 1;
  options.solver_seconds = 0.2;
  options.steps = 50'000'000;
  std::vector<Campaign> campaigns;
  for (const std::string& name : quern::verifier::TestKernelNames()) {
    const quern::verifier::TestKernel kernel = quern::verifier::LoadTestKernel(name);
    absl::StatusOr<Campaign> campaign = Campaign::Create(
        name, {.module = kernel.module, .llvm_ir = kernel.llvm_ir, .plan = kernel.plan}, options);
    if (!campaign.ok()) {
      std::fprintf(stderr, "%s\n", std::string(campaign.status().message()).c_str());
      return 1;
    }
    campaigns.push_back(*std::move(campaign));
  }
  quern::verifier::CampaignResult result;
  for (int64_t i = first; i < first + count; ++i) {
    campaigns[i % campaigns.size()].Run(seed * 1'000'003 + static_cast<uint64_t>(i), inputs,
                                        result);
  }
  for (const std::string& wrong : result.wrong) std::fprintf(stderr, "%s\n", wrong.c_str());
  std::printf(
      "{\"tried\": %lld, \"mutants\": %lld, \"different\": %lld, \"proved\": %lld, \"refuted\": "
      "%lld, \"unknown\": %lld, \"proved_wrong\": %zu}\n",
      static_cast<long long>(count), static_cast<long long>(result.mutants),
      static_cast<long long>(result.different), static_cast<long long>(result.proved),
      static_cast<long long>(result.refuted), static_cast<long long>(result.unknown),
      result.wrong.size());
  return result.wrong.empty() ? 0 : 2;
}
