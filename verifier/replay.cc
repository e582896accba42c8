#include "verifier/replay.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/status.h"

namespace quern::verifier {

// A folder that goes away with its contents.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    std::string name =
        (std::filesystem::temp_directory_path(error) / "quern-check-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Whether the command ended by itself with status 0. Its output goes to stderr.
static bool Run(const std::vector<std::string>& words, double seconds) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The binary that the emitter makes of the bundle's IR; nullopt if it makes none.
static absl::StatusOr<std::optional<std::string>> Emit(const Bundle& bundle,
                                                       const ReplayOptions& options) {
  const ScratchFolder folder;
  if (folder.path().empty()) return absl::UnavailableError("cannot make a temporary folder");
  const std::string ir = folder.path() + "/kernel.ll";
  const std::string launch = folder.path() + "/launch.json";
  const std::string binary = folder.path() + "/binary";
  QUERN_RETURN_IF_ERROR(WriteFile(ir, bundle.artifact.llvm_ir));
  QUERN_RETURN_IF_ERROR(WriteFile(launch, ToJson(bundle.artifact.plan)));
  const bool ran = Run({options.emitter, "emit", "--ir", ir, "--launch", launch, "-o", binary},
                       options.emitter_seconds);
  if (!ran) return std::optional<std::string>();
  absl::StatusOr<std::string> bytes = ReadFile(binary);
  if (!bytes.ok()) return std::optional<std::string>();
  return std::optional<std::string>(*std::move(bytes));
}

static void Compare(const std::string& what, bool equal, std::vector<std::string>* differences) {
  if (!equal)
    differences->push_back(what + " of the stored certificate is not what was regenerated");
}

// The parts of a certificate that claim something; texts, so that every field counts.
static std::vector<std::string> Differences(const Certificate& stored, const Certificate& fresh) {
  std::vector<std::string> differences;
  if (fresh.verdict != Verdict::kProved) {
    std::string why = fresh.reason;
    if (!fresh.counterexamples.empty()) why = fresh.counterexamples.front().message;
    differences.push_back(absl::StrCat("not proved again: ", Name(fresh.verdict), ": ", why));
  }
  Compare("the checker version", stored.checker_version == fresh.checker_version, &differences);
  Compare("the verdict", stored.verdict == fresh.verdict, &differences);
  Compare("the level", stored.level == fresh.level, &differences);
  Compare("the list of assumptions", stored.assumptions == fresh.assumptions, &differences);
  Compare("the list of what is trusted", stored.trusted == fresh.trusted, &differences);
  Compare("the set of digests", stored.digests == fresh.digests, &differences);
  // What is left: obligations and bounds.
  Certificate rest = stored;
  rest.level = fresh.level;
  if (differences.empty()) {
    Compare("the list of obligations or bounds", ToJson(rest) == ToJson(fresh), &differences);
  }
  return differences;
}

absl::StatusOr<ReplayResult> Replay(const Bundle& bundle, const ReplayOptions& options) {
  const Certificate& stored = bundle.certificate;
  CheckOptions check = options.limits;
  check.semantics = stored.semantics;
  check.error_ratio = stored.error_ratio;
  check.boxes.clear();
  for (const std::string& assumption : stored.assumptions) {
    // Those that are about the launch are not conditions on an argument; they are compared below.
    absl::StatusOr<Box> box = ParseAssumption(assumption);
    if (box.ok()) check.boxes.push_back(*box);
  }
  ReplayResult result;
  QUERN_ASSIGN_OR_RETURN(result.certificate,
                         Check({.module = bundle.module,
                                .llvm_ir = bundle.artifact.llvm_ir,
                                .plan = bundle.artifact.plan,
                                .binary_sha256 = Sha256(bundle.artifact.binary)},
                               check));
  std::string about_binary = "; the binary was not emitted again: no emitter";
  if (!options.emitter.empty() && access(options.emitter.c_str(), X_OK) == 0) {
    QUERN_ASSIGN_OR_RETURN(const std::optional<std::string> binary, Emit(bundle, options));
    if (!binary.has_value()) {
      about_binary = "; the binary was not emitted again: the emitter failed";
    } else if (*binary == bundle.artifact.binary) {
      about_binary = "; the binary is what the emitter makes of it";
    } else {
      about_binary = "";
      result.differences.push_back("the binary is not what the emitter makes of the LLVM IR");
    }
  }
  for (std::string& difference : Differences(stored, result.certificate)) {
    result.differences.push_back(std::move(difference));
  }
  result.certificate.level += about_binary;
  return result;
}

}  // namespace quern::verifier
