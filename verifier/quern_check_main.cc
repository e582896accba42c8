// quern-check: the trusted checker as a process of its own.
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "CLI/Config.hpp"
#include "CLI/Formatter.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/bundle.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "verifier/checker.h"
#include "verifier/replay.h"

namespace quern::verifier {

// Design section 7.
enum ExitCode { kProved = 0, kInput = 1, kRefuted = 2, kNothingProved = 3, kEnvironment = 4 };

struct Arguments {
  std::string spec;
  std::string ir;
  std::string launch;
  std::string semantics = "real";
  std::vector<std::string> assumptions;
  std::string bundle;
  std::string emitter;
  int64_t memory_mb = 8192;
  bool json = false;
  CheckOptions check;
};

static int Report(const absl::Status& status) {
  std::cerr << "quern-check: " << status.message() << "\n";
  const bool environment =
      absl::IsUnavailable(status) || absl::IsResourceExhausted(status) || absl::IsInternal(status);
  return environment ? kEnvironment : kInput;
}

static int ExitOf(const Certificate& certificate) {
  switch (certificate.verdict) {
    case Verdict::kProved:
      return kProved;
    case Verdict::kRefuted:
      return kRefuted;
    case Verdict::kUnknown:
      return kNothingProved;
  }
  return kEnvironment;
}

static void Print(const Certificate& certificate, bool json) {
  if (json) {
    std::cout << ToJson(certificate) << std::flush;
    return;
  }
  std::cout << Name(certificate.verdict) << " (" << Name(certificate.semantics) << ", "
            << certificate.level << ")\n";
  if (!certificate.reason.empty()) std::cout << "  reason: " << certificate.reason << "\n";
  for (const Counterexample& example : certificate.counterexamples) {
    std::cout << "  counterexample (" << example.kind << ", input seed " << example.input_seed
              << "): " << example.message << "\n";
  }
  if (certificate.verdict != Verdict::kProved) return;
  for (const std::string& assumption : certificate.assumptions) {
    std::cout << "  assuming: " << assumption << "\n";
  }
  int64_t count = 0;
  for (const Obligation& obligation : certificate.obligations) count += obligation.count;
  std::cout << "  obligations: " << count << "\n";
  for (const OutputBound& bound : certificate.bounds) {
    std::cout << "  result " << bound.result << ": ";
    if (std::isinf(bound.absolute)) {
      std::cout << "bit for bit the program's where it may not be finite\n";
      continue;
    }
    std::cout << "error at most " << bound.absolute << " (naive: " << bound.naive << ")\n";
  }
}

static absl::StatusOr<Certificate> Verify(Arguments arguments) {
  CheckRequest request;
  QUERN_ASSIGN_OR_RETURN(request.module, ReadFile(arguments.spec));
  QUERN_ASSIGN_OR_RETURN(request.llvm_ir, ReadFile(arguments.ir));
  QUERN_ASSIGN_OR_RETURN(const std::string launch, ReadFile(arguments.launch));
  absl::StatusOr<LaunchPlan> plan = ParseLaunchPlan(launch);
  if (!plan.ok()) {
    return absl::Status(plan.status().code(),
                        absl::StrCat(arguments.launch, ": ", plan.status().message()));
  }
  request.plan = *std::move(plan);
  for (Semantics semantics : {Semantics::kReal, Semantics::kOrdered, Semantics::kExact}) {
    if (Name(semantics) == arguments.semantics) arguments.check.semantics = semantics;
  }
  for (const std::string& text : arguments.assumptions) {
    QUERN_ASSIGN_OR_RETURN(Box box, ParseAssumption(text));
    arguments.check.boxes.push_back(box);
  }
  return Check(request, arguments.check);
}

static int RunVerify(const Arguments& arguments) {
  const absl::StatusOr<Certificate> certificate = Verify(arguments);
  if (!certificate.ok()) return Report(certificate.status());
  Print(*certificate, arguments.json);
  return ExitOf(*certificate);
}

// `quern` beside this executable.
static std::string DefaultEmitter() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : (self.parent_path() / "quern").string();
}

static int RunReplay(const Arguments& arguments) {
  const absl::StatusOr<Bundle> bundle = ReadBundle(arguments.bundle);
  if (absl::IsDataLoss(bundle.status())) {
    std::cerr << "quern-check: " << bundle.status().message() << "\n";
    return kRefuted;
  }
  if (!bundle.ok()) return Report(bundle.status());
  const absl::StatusOr<ReplayResult> result = Replay(
      *bundle, {.limits = arguments.check,
                .emitter = arguments.emitter.empty() ? DefaultEmitter() : arguments.emitter});
  if (!result.ok()) return Report(result.status());
  Print(result->certificate, arguments.json);
  for (const std::string& difference : result->differences) {
    std::cerr << "quern-check: refused: " << difference << "\n";
  }
  if (result->differences.empty()) return kProved;
  return result->certificate.verdict == Verdict::kUnknown ? kNothingProved : kRefuted;
}

static void AddLimits(CLI::App* command, Arguments* arguments) {
  command->add_option("--solver", arguments->check.solver, "The integer solver's executable")
      ->capture_default_str();
  command->add_option("--seconds", arguments->check.seconds, "Time limit")->capture_default_str();
  command->add_option("--memory-mb", arguments->memory_mb, "Address space limit")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print the certificate");
}

static void LimitMemory(int64_t megabytes) {
#if __has_feature(address_sanitizer)
  return;  // its shadow alone takes terabytes of addresses
#endif
  const rlim_t bytes = static_cast<rlim_t>(megabytes) << 20;
  const rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
  setrlimit(RLIMIT_AS, &limit);
}

static int Main(int argc, char** argv) {
  CLI::App app("Proves kernels equal to tensor programs, or shows that they are not.");
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* verify = app.add_subcommand("verify", "Check LLVM IR against a StableHLO module");
  verify->add_option("--spec", arguments.spec, "StableHLO text")->required();
  verify->add_option("--ir", arguments.ir, "LLVM IR text at code-generator input")->required();
  verify->add_option("--launch", arguments.launch, "Launch plan, JSON")->required();
  verify->add_option("--semantics", arguments.semantics, "real, ordered or exact")
      ->check(CLI::IsMember({"real", "ordered", "exact"}))
      ->capture_default_str();
  verify->add_option("--assume", arguments.assumptions, "A condition, such as 'arg4>=0'");
  verify->add_option("--error-ratio", arguments.check.error_ratio, "Over the naive bound")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddLimits(verify, &arguments);
  CLI::App* replay = app.add_subcommand("replay", "Check the claims of a bundle again");
  replay->add_option("bundle", arguments.bundle, "The bundle's folder")->required();
  replay->add_option("--emitter", arguments.emitter, "Makes the binary again (default: quern)");
  AddLimits(replay, &arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kProved : kInput;
  }
  LimitMemory(arguments.memory_mb);
  try {
    return verify->parsed() ? RunVerify(arguments) : RunReplay(arguments);
  } catch (const std::bad_alloc&) {
    std::cerr << "quern-check: unknown: out of memory (--memory-mb)\n";
    return kNothingProved;
  }
}

}  // namespace quern::verifier

int main(int argc, char** argv) { return quern::verifier::Main(argc, argv); }
