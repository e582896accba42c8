// Proves that an artifact computes the user's module, or shows that it does not.
#ifndef QUERN_VERIFIER_CHECKER_H_
#define QUERN_VERIFIER_CHECKER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/certificate.h"
#include "bundle/launch_plan.h"

namespace quern::verifier {

// Part of the cache key and of every certificate; raised by any change that can alter a verdict.
inline constexpr std::string_view kCheckerVersion = "7";

// Inputs of `argument` lie in [low, high]; infinities allowed. Applies to `real` only.
struct Box {
  int argument = 0;
  double low = -1024;
  double high = 1024;
};

// Parses a user's condition: "arg4>=0", "arg2<=8", "arg0 in [-1,1]".
absl::StatusOr<Box> ParseAssumption(std::string_view text);

struct CheckOptions {
  Semantics semantics = Semantics::kReal;
  std::vector<Box> boxes;  // arguments not named here: [-1024, 1024]
  double error_ratio = 2;
  // Limits; exceeding one gives `unknown` with the reason.
  double seconds = 60;  // wall clock, a part of it for a counterexample
  // Instructions executed by the machine, lanes and values compared counted, in the proof, and as
  // many in the search for a counterexample: the same verdict everywhere unless time is up first.
  int64_t steps = 2'000'000'000;
  int64_t memory_bytes = 2LL << 30;  // of terms
  // The solver's executable, which is asked where lemmas, splitting and enumeration give up.
  // Without an answer from it: `unknown`.
  std::string solver = "cvc5";
  double solver_seconds = 2;  // per query
};

struct CheckRequest {
  std::string module;   // the user's own bytes: StableHLO text, bytecode or a jax.export artifact
  std::string llvm_ir;  // at code-generator input
  LaunchPlan plan;
  std::string binary_sha256;  // recorded in the certificate, not inspected; may be empty
};

// The verdict is in the certificate; a status is only for a module or a plan that cannot be read
// (kInvalidArgument). IR that cannot be read is `unknown`. Deterministic apart from the wall-clock
// limits.
absl::StatusOr<Certificate> Check(const CheckRequest& request, const CheckOptions& options);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_CHECKER_H_
