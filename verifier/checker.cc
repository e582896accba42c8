#include "verifier/checker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "bundle/digest.h"
#include "bundle/status.h"
#include "verifier/machine/emulator.h"
#include "verifier/machine/function.h"
#include "verifier/preconditions.h"
#include "verifier/proof.h"
#include "verifier/refuter.h"
#include "verifier/solver/cvc5_process.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/mathlib_functions.h"
#include "verifier/spec/reader.h"
#include "verifier/spec/scalar.h"
#include "verifier/symbolic/classes.h"
#include "verifier/symbolic/oracle.h"

namespace quern::verifier {

using Clock = std::chrono::steady_clock;

// Of the time; the rest is for a counterexample.
static constexpr double kProofShare = 0.75;

static Clock::duration Seconds(double seconds) {
  static constexpr double kMost = 1e9;  // so that a deadline is a time
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, kMost)));
}

static std::optional<double> ParseNumber(absl::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || std::isnan(number)) return std::nullopt;
  return number;
}

absl::StatusOr<Box> ParseAssumption(std::string_view condition) {
  absl::Status malformed = absl::InvalidArgumentError(
      absl::StrCat("an assumption is like arg4>=0, arg2<=8 or arg0 in [-1,1]; this is '",
                   std::string(condition), "'"));
  std::string text;
  for (const char c : condition) {
    if (c != ' ') text.push_back(c);
  }
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, "arg")) return malformed;
  size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
  Box box;
  if (digits == 0 || !absl::SimpleAtoi(rest.substr(0, digits), &box.argument)) return malformed;
  rest.remove_prefix(digits);
  if (absl::ConsumePrefix(&rest, "in[")) {
    const size_t comma = rest.find(',');
    if (comma == absl::string_view::npos || !absl::ConsumeSuffix(&rest, "]")) return malformed;
    const std::optional<double> low = ParseNumber(rest.substr(0, comma));
    const std::optional<double> high = ParseNumber(rest.substr(comma + 1));
    if (!low.has_value() || !high.has_value()) return malformed;
    box.low = *low;
    box.high = *high;
  } else {
    const bool least = absl::ConsumePrefix(&rest, ">=");
    if (!least && !absl::ConsumePrefix(&rest, "<=")) return malformed;
    const std::optional<double> bound = ParseNumber(rest);
    if (!bound.has_value()) return malformed;
    (least ? box.low : box.high) = *bound;
  }
  if (box.low > box.high) {
    return absl::InvalidArgumentError(
        absl::StrCat("no number satisfies '", std::string(condition),
                     "': bounds that are not named are -1024 and 1024"));
  }
  return box;
}

// The plan's inputs and outputs are the module's arguments and results.
static absl::Status CheckBuffers(const SpecGraph& graph, const LaunchPlan& plan) {
  std::vector<bool> found(graph.results.size(), false);
  for (const BufferPlan& buffer : plan.buffers) {
    const bool input = buffer.role == BufferRole::kInput;
    if (!input && buffer.role != BufferRole::kOutput) continue;
    const std::vector<TensorType>& types = input ? graph.arguments : graph.results;
    if (buffer.position < 0 || buffer.position >= static_cast<int>(types.size()) ||
        types[buffer.position] != buffer.type) {
      return absl::InvalidArgumentError(absl::StrCat(
          "buffer '", buffer.name, "' is no ", input ? "argument" : "result", " of the module"));
    }
    if (!input) found[buffer.position] = true;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) return absl::InvalidArgumentError(absl::StrCat("no buffer is result ", i));
  }
  return absl::OkStatus();
}

static std::vector<std::string> Assumptions(const SpecGraph& graph, const CheckOptions& options,
                                            const std::vector<Box>& derived) {
  std::vector<std::string> assumptions;
  if (options.semantics == Semantics::kReal) {
    const std::vector<RealInterval> boxes = ArgumentBoxes(graph.arguments.size(), options);
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (!IsFloat(graph.arguments[i].element)) continue;
      assumptions.push_back(
          absl::StrFormat("arg%d in [%.17g,%.17g]", i, boxes[i].low, boxes[i].high));
    }
    // No conditions that ParseAssumption reads: a replay derives them again.
    for (const Box& box : derived) {
      assumptions.push_back(
          absl::StrFormat("the program needs, as derived from it, arg%d in [%.17g,%.17g]",
                          box.argument, box.low, box.high));
    }
    assumptions.push_back("no input is NaN");
  }
  assumptions.push_back("bool elements are the bytes 0 and 1");
  assumptions.push_back("buffers do not overlap and have the plan's sizes and alignments");
  assumptions.push_back("tensors are compact and row-major");
  assumptions.push_back("rounding to nearest even, no flushing of subnormal numbers, no traps");
  return assumptions;
}

static std::vector<std::string> Trusted() {
  return {"LLVM's code generator passes, instruction selection and assembler",
          "target options (fp fusion Strict)", "the launcher",
          "the C library's functions, within 4 units in the last place"};
}

// The bodies that replace the kernels' calls after the proof.
static std::vector<std::string> TrustedOfMathlib(const Module& module) {
  std::vector<std::string> trusted;
  for (const mathlib::Contract& contract : mathlib::Contracts()) {
    const auto& called = module.libraries;
    if (std::find(called.begin(), called.end(), contract.symbol) == called.end()) continue;
    trusted.push_back(absl::StrFormat("mathlib's %s, version %d, within %g units in the last place",
                                      std::string(contract.symbol), contract.version,
                                      contract.ulp));
  }
  return trusted;
}

static Reference MakeReference(const SpecGraph& graph) {
  return [&graph](const std::vector<const Tensor*>& inputs) -> Evaluation {
    auto evaluator = std::make_shared<Evaluator>(graph, inputs);
    return [evaluator](int result, const std::vector<int64_t>& index) {
      return evaluator->At(result, index);
    };
  };
}

// First where it is suspected, then anywhere, with half of the steps and of the time each.
static std::optional<Counterexample> FindCounterexample(
    const Module& module, const LaunchPlan& plan, const SpecGraph& graph, const Suspect& suspect,
    const CheckOptions& options, Clock::time_point deadline) {
  const auto search = [&](const Suspect& where, double share) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    return Refute(module, plan, MakeReference(graph), where,
                  {.semantics = options.semantics,
                   .boxes = options.boxes,
                   .budget = options.steps / 2,
                   .seconds = std::max(0.0, left * share)});
  };
  // Not there, or not visible from there alone.
  std::optional<Counterexample> example = search(suspect, 0.5);
  if (!example.has_value() && suspect.kernel >= 0) {
    Suspect anywhere = suspect;
    anywhere.kernel = -1;
    anywhere.block = std::nullopt;
    example = search(anywhere, 1);
  }
  return example;
}

absl::StatusOr<Certificate> Check(const CheckRequest& request, const CheckOptions& given) {
  CheckOptions options = given;
  QUERN_RETURN_IF_ERROR(Validate(request.plan));
  for (const BufferPlan& buffer : request.plan.buffers) {
    if (!IsChecked(buffer.type.element)) {
      return absl::InvalidArgumentError(absl::StrCat("buffer '", buffer.name, "': element type ",
                                                     Name(buffer.type.element),
                                                     " is not supported by the checker"));
    }
  }
  QUERN_ASSIGN_OR_RETURN(SpecGraph graph, ReadSpec(request.module));
  for (const Box& box : options.boxes) {
    if (box.argument < 0 || box.argument >= static_cast<int>(graph.arguments.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("an assumption is about arg", box.argument, ", which the module lacks"));
    }
  }
  for (const RealInterval& box : ArgumentBoxes(graph.arguments.size(), options)) {
    if (!(box.low <= box.high)) {
      return absl::InvalidArgumentError("no input satisfies all assumptions on one argument");
    }
  }
  QUERN_RETURN_IF_ERROR(CheckBuffers(graph, request.plan));
  std::vector<Box> derived;
  if (options.semantics == Semantics::kReal) derived = DerivePreconditions(graph, options);

  Certificate certificate;
  certificate.checker_version = std::string(kCheckerVersion);
  certificate.semantics = options.semantics;
  certificate.level = "LLVM IR at code-generator input";
  certificate.error_ratio = options.error_ratio;
  certificate.assumptions = Assumptions(graph, options, derived);
  options.boxes.insert(options.boxes.end(), derived.begin(), derived.end());
  certificate.trusted = Trusted();
  certificate.digests = {{"module", Sha256(request.module)},
                         {"llvm_ir", Sha256(request.llvm_ir)},
                         {"launch_plan", Sha256(ToJson(request.plan))}};
  if (!request.binary_sha256.empty()) certificate.digests["binary"] = request.binary_sha256;

  const absl::StatusOr<Module> module = ReadModule(request.llvm_ir);
  if (!module.ok()) {
    certificate.reason = std::string(module.status().message());
    return certificate;
  }
  if (absl::Status launch = CheckLaunch(*module, request.plan); !launch.ok()) {
    certificate.reason = std::string(launch.message());
    return certificate;
  }
  for (std::string& one : TrustedOfMathlib(*module)) {
    certificate.trusted.push_back(std::move(one));
  }
  if (options.semantics != Semantics::kReal) {
    for (std::string& one : DefineByMathlib(module->libraries, &graph)) {
      certificate.assumptions.push_back(std::move(one));
    }
  }
  const Clock::time_point start = Clock::now();
  const Clock::time_point proof_end = start + Seconds(options.seconds * kProofShare);
  Cvc5Process solver({.executable = options.solver, .seconds = options.solver_seconds});
  Oracle oracle(&solver, {.deadline = proof_end});
  const ClassLimits limits = {
      .budget = options.steps, .memory_bytes = options.memory_bytes, .deadline = proof_end};
  Proof proof(graph, *module, request.plan, options, limits, &oracle);
  const std::optional<Gap> gap = proof.Run();
  if (!gap.has_value()) {
    certificate.verdict = Verdict::kProved;
    certificate.obligations = proof.obligations();
    for (const Obligation& obligation : certificate.obligations) {
      if (obligation.method != Method::kSolver) continue;
      certificate.trusted.push_back("cvc5, for the obligations whose method is solver");
      break;
    }
    if (options.semantics == Semantics::kReal) certificate.bounds = proof.bounds();
    return certificate;
  }
  certificate.reason = gap->reason;
  if (!gap->suspicious) return certificate;
  std::optional<Counterexample> counterexample = FindCounterexample(
      *module, request.plan, graph, gap->suspect, options, start + Seconds(options.seconds));
  if (counterexample.has_value()) {
    certificate.verdict = Verdict::kRefuted;
    certificate.reason.clear();
    certificate.counterexamples.push_back(*std::move(counterexample));
  }
  return certificate;
}

}  // namespace quern::verifier
