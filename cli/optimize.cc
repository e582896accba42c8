// quern optimize: the main job.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include "CLI/App.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "cache/sqlite_store.h"
#include "cli/adapters.h"
#include "cli/remote_session.h"
#include "cli/subcommand.h"
#include "codegen/target.h"
#include "frontend/context.h"
#include "frontend/work.h"
#include "nlohmann/json.hpp"
#include "search/recorded_measurer.h"
#include "server/cached_kernel.h"
#include "workers/devices/cpu.h"

namespace quern::cli {

static std::atomic<bool> stop_requested{false};

struct OptimizeOptions {
  std::string spec;
  std::string target = "host";
  std::string semantics = "real";
  std::vector<std::string> assume;
  double error_ratio = 2;
  int threads = 1;
  std::string budget = "60s";
  int64_t candidates = -1;
  uint64_t seed = 0;
  bool allow_unproved = false;
  bool no_cache = false;
  std::string out;
  std::string solver = "cvc5";
  std::string record_timings, replay_timings, trace_log;
  std::string server;
  bool json = false;
};

// "90", "90s", "2m", "1h" in seconds.
static absl::StatusOr<double> ParseDuration(const std::string& text) {
  double unit = 1;
  std::string number = text;
  if (!number.empty()) {
    switch (number.back()) {
      case 's':
        number.pop_back();
        break;
      case 'm':
        unit = 60;
        number.pop_back();
        break;
      case 'h':
        unit = 3600;
        number.pop_back();
        break;
      default:
        break;
    }
  }
  double value;
  if (!absl::SimpleAtod(number, &value) || !(value > 0) || value > 1e7) {
    return absl::InvalidArgumentError(
        absl::StrCat("--budget ", text, ": must be a duration such as 60s or 5m"));
  }
  return value * unit;
}

static absl::StatusOr<verifier::CheckOptions> ToCheckOptions(const OptimizeOptions& options,
                                                             size_t arguments) {
  verifier::CheckOptions check{.error_ratio = options.error_ratio, .solver = options.solver};
  for (Semantics semantics : {Semantics::kReal, Semantics::kOrdered, Semantics::kExact}) {
    if (Name(semantics) == options.semantics) check.semantics = semantics;
  }
  for (const std::string& text : options.assume) {
    QUERN_ASSIGN_OR_RETURN(verifier::Box box, verifier::ParseAssumption(text));
    if (box.argument < 0 || static_cast<size_t>(box.argument) >= arguments) {
      return absl::InvalidArgumentError(
          absl::StrCat("--assume '", text, "': the program has ", arguments, " arguments"));
    }
    check.boxes.push_back(box);
  }
  return check;
}

// Inputs that the assumptions allow, within the range that measuring uses anyway.
static std::vector<workers::InputRange> InputRanges(const frontend::Spec& spec,
                                                    const std::vector<verifier::Box>& boxes) {
  std::vector<workers::InputRange> ranges;
  if (boxes.empty()) return ranges;
  ranges.resize(spec.arguments.size());
  for (const verifier::Box& box : boxes) {
    workers::InputRange& range = ranges[box.argument];
    range.low = std::max(box.low, std::min(-1.0, box.high));
    range.high = std::min(box.high, std::max(1.0, box.low));
  }
  return ranges;
}

static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// What one race may take of a budget. The last one is of all finalists and takes four times as
// long.
static double RaceSeconds(double budget) { return std::min(2.0, budget / 50); }

static nlohmann::json JsonInterval(const Interval& interval) {
  return {{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

class OptimizeCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser = app.add_subcommand("optimize", "Search for the fastest kernel and prove it");
    parser->add_option("spec", o_.spec, "StableHLO text, bytecode, or a jax.export artifact")
        ->required();
    parser->add_option("--target", o_.target, "host, x86_64, sm_90a or gfx942")
        ->capture_default_str();
    parser->add_option("--semantics", o_.semantics, "real, ordered or exact")
        ->check(CLI::IsMember({"real", "ordered", "exact"}))
        ->capture_default_str();
    parser->add_option("--assume", o_.assume, "A condition on an argument, e.g. 'arg1>=0'");
    parser
        ->add_option("--error-ratio", o_.error_ratio,
                     "Error bound allowed, over the naive program's")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    parser->add_option("--threads", o_.threads, "Threads of the kernel")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    parser->add_option("--budget", o_.budget, "Time for the search")->capture_default_str();
    parser
        ->add_option("--candidates", o_.candidates,
                     "Search this many candidates, however long it takes")
        ->check(CLI::NonNegativeNumber);
    parser->add_option("--seed", o_.seed, "Seed of the search and of the inputs")
        ->capture_default_str();
    parser->add_flag("--allow-unproved", o_.allow_unproved,
                     "Return the fastest even if it is not proved");
    parser->add_flag("--no-cache", o_.no_cache, "Neither look into the cache nor add to it");
    parser->add_option("--out", o_.out, "Write the bundle into this folder");
    parser->add_option("--solver", o_.solver, "The integer solver's executable")
        ->capture_default_str();
    auto* record = parser->add_option("--record-timings", o_.record_timings,
                                      "Write every measurement to this file; no cache");
    parser
        ->add_option("--replay-timings", o_.replay_timings,
                     "Take the measurements of such a file; no cache")
        ->excludes(record);
    parser->add_option("--log", o_.trace_log,
                       "Write every candidate's trace and outcome, a JSON line each");
    CLI::Option* server =
        parser->add_option("--server", o_.server, "HOST:PORT of a quernd that runs the search");
    for (const char* local :
         {"--record-timings", "--replay-timings", "--log", "--allow-unproved"}) {
      server->excludes(parser->get_option(local));
    }
    parser->add_flag("--json", o_.json, "Print one JSON object");
    return parser;
  }

  ExitCode Run() override {
    absl::StatusOr<ExitCode> code = Optimize();
    return code.ok() ? *code : Report(code.status());
  }

 private:
  absl::StatusOr<ExitCode> Optimize();
  absl::StatusOr<ExitCode> OptimizeRemotely(double budget);
  absl::Status Print(const std::string& spec_sha256, const search::SessionResult& result,
                     const std::string& folder);

  OptimizeOptions o_;
};

absl::StatusOr<ExitCode> OptimizeCommand::Optimize() {
  QUERN_ASSIGN_OR_RETURN(const codegen::Target* target, codegen::FindTarget(o_.target));
  QUERN_ASSIGN_OR_RETURN(const double budget, ParseDuration(o_.budget));
  if (!o_.server.empty()) return OptimizeRemotely(budget);
  std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
  QUERN_ASSIGN_OR_RETURN(frontend::Spec spec, frontend::ReadSpec(o_.spec, *context));
  PrintNotes(spec.notes);
  QUERN_ASSIGN_OR_RETURN(verifier::CheckOptions check, ToCheckOptions(o_, spec.arguments.size()));

  CodegenCompiler compiler;
  LibraryChecker checker(spec.source, check);
  const bool host = target->kind() == BinaryKind::kSharedObject;
  CpuMeasurer cpu(spec, {.threads = o_.threads,
                         .seed = o_.seed,
                         .max_blocks = 60,
                         .max_seconds = RaceSeconds(o_.candidates < 0 ? budget : kUnlimited),
                         .target_half_width = 0.01,
                         .ranges = InputRanges(spec, check.boxes),
                         .flops = frontend::CountWork(spec).flops});
  search::Measurer* measurer = host ? &cpu : nullptr;
  std::unique_ptr<search::Measurer> recorded;
  if (host && !o_.record_timings.empty()) {
    QUERN_ASSIGN_OR_RETURN(recorded, search::RecordingMeasurer::Create(&cpu, o_.record_timings));
    measurer = recorded.get();
  } else if (host && !o_.replay_timings.empty()) {
    QUERN_ASSIGN_OR_RETURN(recorded, search::ReplayingMeasurer::Create(o_.replay_timings));
    measurer = recorded.get();
  }

  std::unique_ptr<cache::SqliteStore> store;
  std::optional<server::CachedKernel> cached;
  // A recording is of a search; a hit would leave nothing to record, and a replay measures nothing
  // that a cache should keep.
  if (!o_.no_cache && o_.record_timings.empty() && o_.replay_timings.empty()) {
    absl::StatusOr<std::string> directory = cache::DefaultDirectory();
    absl::Status status = directory.status();
    if (directory.ok()) {
      absl::StatusOr<std::unique_ptr<cache::SqliteStore>> opened =
          cache::SqliteStore::Open(*directory);
      status = opened.status();
      if (opened.ok()) {
        store = *std::move(opened);
        const std::string machine = host ? workers::DetectCpu().Fingerprint() : "any";
        cached.emplace(spec,
                       server::KeyOf(spec, {.target = target->name(),
                                            .machine = machine,
                                            .threads = o_.threads,
                                            .semantics = check.semantics,
                                            .assumptions = o_.assume,
                                            .error_ratio = o_.error_ratio}),
                       *store, checker);
      }
    }
    if (!status.ok())
      std::fprintf(stderr, "quern: no cache: %s\n", std::string(status.message()).c_str());
  }

  stop_requested = false;
  std::signal(SIGINT, [](int) { stop_requested = true; });
  search::SessionOptions session{
      .target = target->name(),
      .seed = o_.seed,
      .budget_seconds = budget,
      .max_candidates = o_.candidates,
      .threads = o_.threads,
      .allow_unproved = o_.allow_unproved,
      .stop = &stop_requested,
      .progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }};
  QUERN_ASSIGN_OR_RETURN(search::SessionResult result,
                         search::Run(spec,
                                     {.compiler = &compiler,
                                      .measurer = measurer,
                                      .checker = &checker,
                                      .store = cached ? &*cached : nullptr},
                                     session));
  if (store) {
    for (const std::string& warning : store->TakeWarnings())
      std::fprintf(stderr, "quern: cache: %s\n", warning.c_str());
  }
  if (!o_.trace_log.empty()) {
    std::string lines;
    for (const std::string& line : result.log) absl::StrAppend(&lines, line, "\n");
    QUERN_RETURN_IF_ERROR(WriteFile(o_.trace_log, lines));
  }
  std::string folder = cached ? cached->folder() : "";
  if (result.bundle && !o_.out.empty()) {
    QUERN_RETURN_IF_ERROR(WriteBundle(*result.bundle, o_.out));
    folder = o_.out;
  }
  QUERN_RETURN_IF_ERROR(Print(spec.sha256, result, folder));
  return result.proved ? ExitCode::kOk : ExitCode::kNotProved;
}

absl::StatusOr<ExitCode> OptimizeCommand::OptimizeRemotely(double budget) {
  if (o_.candidates == 0) {
    return absl::InvalidArgumentError("--candidates 0: a coordinator searches at least one");
  }
  v1::JobSpec spec;
  QUERN_ASSIGN_OR_RETURN(*spec.mutable_spec(), ReadFile(o_.spec));
  spec.set_spec_name(o_.spec.size() > 256 ? o_.spec.substr(o_.spec.size() - 256) : o_.spec);
  spec.set_target(o_.target);
  spec.set_semantics(o_.semantics == "exact"     ? v1::SEMANTICS_EXACT
                     : o_.semantics == "ordered" ? v1::SEMANTICS_ORDERED
                                                 : v1::SEMANTICS_REAL);
  for (const std::string& text : o_.assume) spec.add_assumptions(text);
  spec.set_error_ratio(o_.error_ratio);
  spec.set_threads(o_.threads);
  spec.set_budget_seconds(budget);
  spec.set_max_candidates(std::max<int64_t>(o_.candidates, 0));
  spec.set_seed(o_.seed);
  spec.set_no_cache(o_.no_cache);
  stop_requested = false;
  std::signal(SIGINT, [](int) { stop_requested = true; });
  QUERN_ASSIGN_OR_RETURN(const search::SessionResult result,
                         RunRemotely(o_.server, spec, stop_requested));
  if (result.bundle && !o_.out.empty()) {
    QUERN_RETURN_IF_ERROR(WriteBundle(*result.bundle, o_.out));
  }
  QUERN_RETURN_IF_ERROR(
      Print(result.bundle ? result.bundle->spec_sha256 : "", result, result.bundle ? o_.out : ""));
  return result.proved ? ExitCode::kOk : ExitCode::kNotProved;
}

absl::Status OptimizeCommand::Print(const std::string& spec_sha256,
                                    const search::SessionResult& result,
                                    const std::string& folder) {
  const Bundle* bundle = result.bundle ? &*result.bundle : nullptr;
  const Certificate certificate = bundle ? bundle->certificate : Certificate{};
  const Measurement measured =
      bundle && !bundle->measurements.empty() ? bundle->measurements.front() : Measurement{};
  const bool timed = !measured.warm_ns.empty();
  const Interval speedup = measured.baseline.empty() ? Interval{1, 1, 1} : measured.speedup;
  if (o_.json) {
    nlohmann::json json = {
        {"spec_sha256", spec_sha256},
        {"target", bundle ? bundle->artifact.plan.target : o_.target},
        {"semantics", o_.semantics},
        {"assumptions", certificate.assumptions},
        {"verdict", bundle ? Name(certificate.verdict) : "unknown"},
        {"level", certificate.level},
        {"timing", timed ? "measured" : "none"},
        {"time_ns", timed ? JsonInterval(measured.warm) : nlohmann::json()},
        {"naive_ns", result.naive_ns > 0 ? nlohmann::json(result.naive_ns) : nlohmann::json()},
        {"naive_longer_than_ns", result.naive_longer_than_ns > 0
                                     ? nlohmann::json(result.naive_longer_than_ns)
                                     : nlohmann::json()},
        {"speedup", result.naive_ns > 0 ? JsonInterval(speedup) : nlohmann::json()},
        {"roofline_fraction", measured.roofline_ns > 0 && timed
                                  ? nlohmann::json(measured.roofline_ns / measured.warm.median)
                                  : nlohmann::json()},
        {"disturbed", measured.disturbed},
        {"candidates",
         {{"enumerated", result.counts.enumerated},
          {"compiled", result.counts.compiled},
          {"measured", result.counts.measured},
          {"failed", result.counts.failed},
          {"refuted", result.counts.refuted},
          {"unknown", result.counts.unknown}}},
        {"unsound_actions", result.counts.unsound_actions},
        {"cache", result.cache_hit ? "hit" : "miss"},
        {"worker", measured.machine},
        {"bundle", folder}};
    if (bundle == nullptr) json["finalists"] = result.finalists;
    std::printf("%s\n", json.dump(1).c_str());
    return absl::OkStatus();
  }
  if (bundle == nullptr) {
    std::printf("nothing proved\n");
    return absl::OkStatus();
  }
  std::printf("%s (%s)%s\n", Name(certificate.verdict).c_str(), Name(certificate.semantics).c_str(),
              result.cache_hit ? ", from the cache" : "");
  if (timed) {
    std::printf("time     %.4g us [%.4g, %.4g]\n", measured.warm.median / 1e3,
                measured.warm.low / 1e3, measured.warm.high / 1e3);
    if (measured.roofline_ns > 0) {
      std::printf("roofline %.0f %% of what this CPU can do\n",
                  100 * measured.roofline_ns / measured.warm.median);
    }
    if (!measured.baseline.empty()) {
      std::printf("speed-up %.3g [%.3g, %.3g] over %s\n", speedup.median, speedup.low, speedup.high,
                  measured.baseline.c_str());
    }
    if (result.naive_longer_than_ns > 0) {
      std::printf("naive    longer than %.3g s a run: given up\n",
                  result.naive_longer_than_ns / 1e9);
    }
  }
  if (!result.cache_hit) {
    std::printf(
        "searched %lld candidates, %lld measured, %lld failed; finalists refuted %lld, unknown "
        "%lld\n",
        static_cast<long long>(result.counts.enumerated),
        static_cast<long long>(result.counts.measured),
        static_cast<long long>(result.counts.failed), static_cast<long long>(result.counts.refuted),
        static_cast<long long>(result.counts.unknown));
  }
  if (!folder.empty()) std::printf("bundle   %s\n", folder.c_str());
  return absl::OkStatus();
}

std::unique_ptr<Subcommand> MakeOptimizeCommand() { return std::make_unique<OptimizeCommand>(); }

}  // namespace quern::cli
