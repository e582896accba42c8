// Proves a bundle again from its own files, and emits its binary again.
#ifndef QUERN_VERIFIER_REPLAY_H_
#define QUERN_VERIFIER_REPLAY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/bundle.h"
#include "bundle/certificate.h"
#include "verifier/checker.h"

namespace quern::verifier {

struct ReplayOptions {
  CheckOptions limits;  // semantics, boxes and error ratio are the stored certificate's
  // Run as `EMITTER emit --ir FILE --launch FILE -o FILE`; empty or absent: the binary is not
  // compared, and the level of the new certificate says so.
  std::string emitter;
  double emitter_seconds = 120;
};

struct ReplayResult {
  Certificate certificate;               // regenerated; its level tells about the binary
  std::vector<std::string> differences;  // from the stored claim; empty: the claim stands
};

// An error of Check, or kUnavailable if files for the emitter cannot be written. That the claim
// does not stand is not an error.
absl::StatusOr<ReplayResult> Replay(const Bundle& bundle, const ReplayOptions& options);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REPLAY_H_
