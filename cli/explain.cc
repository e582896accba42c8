// quern explain: what a bundle is, how it was found, and what was proved, assumed and trusted.
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "CLI/App.hpp"
#include "bundle/bundle.h"
#include "cli/subcommand.h"

namespace quern::cli {

static void PrintList(const char* title, const std::vector<std::string>& lines) {
  std::printf("%s\n", title);
  for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
}

static void PrintProof(const Certificate& certificate) {
  std::printf("verdict: %s (%s), at %s\n", Name(certificate.verdict).c_str(),
              Name(certificate.semantics).c_str(), certificate.level.c_str());
  if (!certificate.reason.empty()) std::printf("reason: %s\n", certificate.reason.c_str());
  for (const OutputBound& bound : certificate.bounds) {
    if (std::isinf(bound.absolute)) {
      std::printf("result %d: bit for bit the program's where it may not be finite\n",
                  bound.result);
      continue;
    }
    std::printf("result %d: |error| <= %.3g; the naive program's bound is %.3g\n", bound.result,
                bound.absolute, bound.naive);
  }
  std::map<std::string, std::map<Method, int64_t>> kinds;
  Method weakest = Method::kLemma;
  for (const Obligation& obligation : certificate.obligations) {
    kinds[obligation.kind][obligation.method] += obligation.count;
    weakest = std::max(weakest, obligation.method);
  }
  std::printf("obligations, by how they were discharged (weakest: %s)\n", Name(weakest).c_str());
  for (const auto& [kind, methods] : kinds) {
    std::printf("  %-16s", kind.c_str());
    for (const auto& [method, count] : methods) {
      std::printf(" %s %lld", Name(method).c_str(), static_cast<long long>(count));
    }
    std::printf("\n");
  }
  PrintList("assumed", certificate.assumptions);
  PrintList("trusted", certificate.trusted);
}

class ExplainCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("explain", "Show how a kernel was found and what is proved of it");
    parser->add_option("bundle", bundle_, "Bundle directory")->required();
    parser->add_flag("--program", program_, "Print the program and the user's module too");
    return parser;
  }

  ExitCode Run() override {
    absl::StatusOr<Bundle> bundle = ReadBundle(bundle_);
    if (!bundle.ok()) return Report(bundle.status());
    std::printf("spec %s for %s (%s)\n", bundle->spec_sha256.c_str(),
                bundle->artifact.plan.target.c_str(), bundle->artifact.plan.cpu.c_str());
    for (const Measurement& measurement : bundle->measurements) {
      std::printf("measured %.4g us [%.4g, %.4g], %zu blocks, %d thread(s)",
                  measurement.warm.median / 1e3, measurement.warm.low / 1e3,
                  measurement.warm.high / 1e3, measurement.warm_ns.size(), measurement.threads);
      if (!measurement.baseline.empty()) {
        std::printf("; %.3gx [%.3g, %.3g] over %s", measurement.speedup.median,
                    measurement.speedup.low, measurement.speedup.high,
                    measurement.baseline.c_str());
      }
      std::printf("\n  on %s\n", measurement.machine.c_str());
    }
    for (const KernelPlan& kernel : bundle->artifact.plan.kernels) {
      std::printf("kernel %s, %lld x %lld x %lld blocks\n", kernel.symbol.c_str(),
                  static_cast<long long>(kernel.grid[0]), static_cast<long long>(kernel.grid[1]),
                  static_cast<long long>(kernel.grid[2]));
    }
    std::printf("derived from the naive program by\n%s",
                bundle->trace.empty() ? "  nothing\n" : bundle->trace.c_str());
    PrintProof(bundle->certificate);
    if (program_) std::printf("%s\n%s\n", bundle->module.c_str(), bundle->program.c_str());
    return ExitCode::kOk;
  }

 private:
  std::string bundle_;
  bool program_ = false;
};

std::unique_ptr<Subcommand> MakeExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace quern::cli
