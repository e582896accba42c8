// What the checker found out about an artifact.
#ifndef QUERN_BUNDLE_CERTIFICATE_H_
#define QUERN_BUNDLE_CERTIFICATE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace quern {

enum class Verdict { kProved, kRefuted, kUnknown };
enum class Semantics { kReal, kOrdered, kExact };

std::string Name(Verdict verdict);      // "proved"
std::string Name(Semantics semantics);  // "real"

// How an obligation was discharged, strongest first.
enum class Method { kLemma, kEnumeration, kSolver };
std::string Name(Method method);

struct Obligation {
  std::string
      kind;  // "in-bounds", "no-wrap", "coverage", "initialised", "value", "error-bound", ...
  std::string site;       // kernel, class of blocks and instruction
  std::string statement;  // a sentence or an SMT-LIB formula
  Method method = Method::kLemma;
  int64_t count = 1;  // obligations of this kind and method that this line stands for
};

// Both infinite: some element may be infinite, NaN or out of range; such are the program's bit for
// bit.
struct OutputBound {
  int result = 0;
  double absolute = 0;  // |computed - real value| at most this, for inputs in the box
  double naive = 0;     // the same bound for the naive program in the declared types
};

// Why a kernel is not equal to its spec, on an input that shows it.
struct Counterexample {
  std::string kind;     // the obligation it breaks
  std::string message;  // one sentence a person can act on: block, index, first wrong term
  std::string kernel;
  std::vector<int64_t> block;  // x, y, z
  std::vector<int64_t> index;  // of the wrong output element; empty for memory errors
  double expected = 0;
  double actual = 0;
  uint64_t input_seed = 0;  // inputs of the replay are derived from it
  bool replayed = false;    // reproduced by the concrete machine
};

struct Certificate {
  int version = 1;
  std::string checker_version;
  Verdict verdict = Verdict::kUnknown;
  Semantics semantics = Semantics::kReal;
  std::string level;                     // "LLVM IR at code-generator input"
  std::vector<std::string> assumptions;  // boxes, no overlap, strides, rounding mode, ...
  std::vector<std::string> trusted;      // below the level of proof
  std::vector<Obligation> obligations;
  std::vector<OutputBound> bounds;              // `real` only
  std::string reason;                           // of kUnknown: the obligation that was left
  std::vector<Counterexample> counterexamples;  // of kRefuted
  double error_ratio = 2;
  // SHA-256 of what was proved: "module", "llvm_ir", "launch_plan", "binary".
  std::map<std::string, std::string> digests;
};

std::string ToJson(const Certificate& certificate);
// Rejects unknown keys and versions: a certificate is read strictly or not at all.
absl::StatusOr<Certificate> ParseCertificate(std::string_view json);

}  // namespace quern

#endif  // QUERN_BUNDLE_CERTIFICATE_H_
