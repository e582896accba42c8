#include "server/checker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/status.h"

namespace quern::server {

namespace {

// A folder that goes with the object.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) : path_(parent + "/proof-XXXXXX") {
    made_ = mkdtemp(path_.data()) != nullptr;
  }
  ~Scratch() {
    std::error_code error;
    if (made_) std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  bool made() const { return made_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool made_;
};

}  // namespace

static absl::StatusOr<pid_t> Spawn(std::vector<std::string> words, const std::string& output) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // it and its solver are killed together
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  return absl::UnavailableError(absl::StrCat("cannot run ", words[0], ": ", std::strerror(error)));
}

// Its status as of waitpid; nothing if it had to be killed.
static std::optional<int> WaitFor(pid_t pid, double seconds, const std::atomic<bool>& abandoned) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (abandoned || std::chrono::steady_clock::now() > end) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return status;
}

static Certificate Unknown(const CheckerQuestion& question, const std::string& reason) {
  return {.verdict = Verdict::kUnknown, .semantics = question.semantics, .reason = reason};
}

// Why the certificate is not an answer to the question; empty if it is one.
static std::string Mismatch(const Certificate& certificate, const CheckerQuestion& question,
                            const Artifact& artifact, int exit_code) {
  const std::map<std::string, std::string> given = {{"module", Sha256(question.module)},
                                                    {"llvm_ir", Sha256(artifact.llvm_ir)},
                                                    {"launch_plan", Sha256(ToJson(artifact.plan))}};
  for (const auto& [what, digest] : given) {
    const auto said = certificate.digests.find(what);
    if (said == certificate.digests.end() || said->second != digest) {
      return absl::StrCat("quern-check spoke of another ", what);
    }
  }
  if (certificate.semantics != question.semantics ||
      certificate.error_ratio != question.error_ratio) {
    return "quern-check spoke of another question";
  }
  if ((certificate.verdict == Verdict::kProved) != (exit_code == 0)) {
    return "quern-check contradicted itself";
  }
  return "";
}

absl::StatusOr<Certificate> CheckerProcess::Check(const Artifact& artifact, double seconds) {
  constexpr double kGraceSeconds = 30;
  seconds = std::min(seconds, settings_.seconds);
  const Scratch scratch(settings_.folder);
  if (!scratch.made()) return FileError(errno, "create a folder", settings_.folder);
  const std::string spec = scratch.File("spec"), ir = scratch.File("kernel.ll"),
                    launch = scratch.File("launch.json"), output = scratch.File("certificate.json");
  QUERN_RETURN_IF_ERROR(WriteFile(spec, question_.module));
  QUERN_RETURN_IF_ERROR(WriteFile(ir, artifact.llvm_ir));
  QUERN_RETURN_IF_ERROR(WriteFile(launch, ToJson(artifact.plan)));
  std::vector<std::string> words = {
      settings_.program, "verify", "--json", "--spec", spec, "--ir", ir, "--launch", launch,
      "--semantics", Name(question_.semantics),
      // All digits: the answer has to name the same number.
      "--error-ratio", absl::StrFormat("%.17g", question_.error_ratio), "--memory-mb",
      absl::StrCat(settings_.memory_mb), "--seconds", absl::StrCat(seconds)};
  for (const std::string& assumption : question_.assumptions) {
    words.insert(words.end(), {"--assume", assumption});
  }
  QUERN_ASSIGN_OR_RETURN(const pid_t pid, Spawn(std::move(words), output));
  const std::optional<int> status = WaitFor(pid, seconds + kGraceSeconds, abandoned_);
  if (abandoned_) return absl::CancelledError("the job was stopped");
  if (!status) return Unknown(question_, "quern-check took too long and was killed");
  if (WIFSIGNALED(*status)) {
    return Unknown(question_, absl::StrCat("quern-check ended by signal ", WTERMSIG(*status)));
  }
  const int code = WEXITSTATUS(*status);
  const absl::StatusOr<std::string> text = ReadFile(output);
  absl::StatusOr<Certificate> certificate =
      text.ok() ? ParseCertificate(*text) : absl::StatusOr<Certificate>(text.status());
  if (!certificate.ok()) {
    return Unknown(question_, absl::StrCat("quern-check gave no certificate, exit code ", code));
  }
  const std::string mismatch = Mismatch(*certificate, question_, artifact, code);
  if (!mismatch.empty()) return Unknown(question_, mismatch);
  certificate->digests["binary"] = Sha256(artifact.binary);
  return certificate;
}

}  // namespace quern::server
