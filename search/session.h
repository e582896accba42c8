// Runs one search: Spec in, proved Bundle out, through interfaces declared here.
#ifndef QUERN_SEARCH_SESSION_H_
#define QUERN_SEARCH_SESSION_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "bundle/bundle.h"
#include "bundle/certificate.h"
#include "bundle/measurement.h"
#include "frontend/spec.h"
#include "mlir/IR/BuiltinOps.h"

namespace quern::search {

// Turns a program into code. kInvalidArgument for a program it cannot lower: the candidate is
// dropped.
class Compiler {
 public:
  virtual ~Compiler() = default;
  virtual absl::StatusOr<Artifact> Compile(mlir::ModuleOp program) = 0;
};

struct Race {
  // kTimedOut: given up after longer than what it was given to beat; there is no time of it.
  enum class Outcome { kFaster, kSlower, kSame, kTimedOut, kFailed };
  Outcome outcome = Outcome::kFailed;
  std::string failure;    // of kTimedOut and kFailed: "crashed", "wrong output", ...
  Measurement candidate;  // its speedup is against the incumbent

  bool failed() const { return outcome == Outcome::kFailed || outcome == Outcome::kTimedOut; }
};

// Runs code on the device. A status means that the device failed, not the candidate.
class Measurer {
 public:
  virtual ~Measurer() = default;
  // A few blocks of the candidate alone; stops early once it is surely slower than
  // `give_up_above_ns`.
  virtual absl::StatusOr<Race> Screen(const Artifact& candidate, double give_up_above_ns) = 0;
  // Blocks of both, interleaved; kFaster only with a confidence interval above 1.
  virtual absl::StatusOr<Race> Compare(const Artifact& incumbent, const Artifact& candidate) = 0;
  // All in the same minutes, interleaved; an answer each, against the first, whose own is kSame.
  virtual absl::StatusOr<std::vector<Race>> Rank(const std::vector<const Artifact*>& finalists) = 0;
};

// Proves code equal to the user's module.
class Checker {
 public:
  virtual ~Checker() = default;
  // `unknown` after about `seconds`, or after the checker's own limit if that is less.
  virtual absl::StatusOr<Certificate> Check(const Artifact& artifact, double seconds) = 0;
};

// Remembers proved kernels. The key is the caller's.
class KernelStore {
 public:
  virtual ~KernelStore() = default;
  virtual absl::StatusOr<std::optional<Bundle>> Lookup() = 0;
  virtual absl::Status Insert(const Bundle& bundle) = 0;
};

// The naive program's time in the run that made the bundle, in ns; 0 if it was not timed. Needs
// `measurements` as a session leaves them: the winner's, then the naive program's if it is another.
double NaiveNs(const Bundle& bundle);

struct Interfaces {
  Compiler* compiler = nullptr;
  Measurer* measurer =
      nullptr;  // null: no device; candidates are not timed and the naive program is proved
  Checker* checker = nullptr;
  KernelStore* store = nullptr;  // null: no cache
};

struct SessionOptions {
  std::string target = "x86_64";
  uint64_t seed = 0;
  double budget_seconds = 60;
  int64_t max_candidates = -1;  // -1: no limit; with a limit the clock does not end the search
  int threads = 1;
  bool allow_unproved = false;
  const std::atomic<bool>* stop = nullptr;           // set by Ctrl-C: finish with the best so far
  std::function<void(const std::string&)> progress;  // one line at a time; may be empty
};

struct Counts {
  int64_t enumerated = 0;  // programs made by the strategy
  int64_t dropped = 0;     // actions whose site was gone
  int64_t compiled = 0;
  int64_t failed = 0;  // crashed, timed out or gave wrong outputs
  int64_t measured = 0;
  int64_t refuted = 0;  // finalists
  int64_t unknown = 0;
  int64_t unsound_actions = 0;  // in the winner's trace: from rules that are unsound on purpose
};

struct SessionResult {
  std::optional<Bundle> bundle;  // absent: nothing proved
  bool cache_hit = false;
  bool proved = false;
  double time_ns = 0;               // 0 without a device
  double naive_ns = 0;              // 0 without a device, or if only a bound is known
  double naive_longer_than_ns = 0;  // then the bound: the naive program was given up after it
  Counts counts;
  std::vector<std::string>
      log;  // JSON lines: every candidate's trace and outcome; no clock in it but recorded times
  std::vector<std::string> finalists;  // why each lost or won, one line each
};

// Cache first; then naive program, strategy, screening, races, and the proof of finalists fastest
// first. The naive program is always a finalist. Errors are of the spec or the environment.
absl::StatusOr<SessionResult> Run(const frontend::Spec& spec, const Interfaces& interfaces,
                                  const SessionOptions& options);

}  // namespace quern::search

#endif  // QUERN_SEARCH_SESSION_H_
