// Many random mutants of a kernel through the checker and the concrete machine.
#ifndef QUERN_VERIFIER_TESTING_CAMPAIGN_H_
#define QUERN_VERIFIER_TESTING_CAMPAIGN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/certificate.h"
#include "bundle/launch_plan.h"
#include "verifier/checker.h"
#include "verifier/machine/emulator.h"

namespace quern::verifier {

struct CampaignResult {
  int64_t mutants = 0;    // that are well-formed
  int64_t different = 0;  // from the kernel on one of the first inputs, or faulty
  int64_t proved = 0, refuted = 0, unknown = 0;
  std::vector<std::string> wrong;  // proved, though an input shows a difference: what was changed
};

class Campaign {
 public:
  // The kernel must be proved with these options.
  static absl::StatusOr<Campaign> Create(std::string name, CheckRequest kernel,
                                         CheckOptions options);

  // One mutant, from a seed of its own. A proved one is run on `inputs` inputs.
  void Run(uint64_t seed, int inputs, CampaignResult& result);

 private:
  // What is wrong with the outputs for the input of a seed; empty: they agree within the bounds.
  std::string Difference(const std::string& llvm_ir, uint64_t seed,
                         const std::vector<OutputBound>& bounds);

  std::string name_;
  CheckRequest kernel_;
  CheckOptions options_;
  std::vector<OutputBound> bounds_;                              // of the kernel itself
  std::map<uint64_t, absl::StatusOr<EmulationResult>> outputs_;  // likewise, by the input's seed
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TESTING_CAMPAIGN_H_
