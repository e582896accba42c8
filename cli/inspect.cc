// quern inspect: what a model is made of, for a person.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bundle/status.h"
#include "cli/subcommand.h"
#include "frontend/context.h"
#include "frontend/work.h"
#include "nlohmann/json.hpp"

namespace quern::cli {

using frontend::OpWork;
using frontend::Spec;

static std::string Describe(const Spec& model, size_t argument) {
  std::string text = model.arguments[argument].ToString();
  const frontend::ArgumentUse& use = model.uses[argument];
  if (use.constant) absl::StrAppend(&text, ", constant");
  if (use.shares >= 0) {
    absl::StrAppend(&text, ", donated to result ", use.shares);
  } else if (use.donated) {
    absl::StrAppend(&text, ", donated");
  }
  return text;
}

static double Intensity(double flops, double bytes) { return flops / std::max(bytes, 1.0); }

class InspectCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser =
        app.add_subcommand("inspect", "Show what a model is made of: ops, shapes, work");
    parser->add_option("model", model_, "StableHLO text, bytecode, or a jax.export artifact")
        ->required();
    parser->add_option("--entry", entry_, "The function, if several are public");
    parser->add_flag("--json", json_, "Print one object");
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = Inspect();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status Inspect() const {
    std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
    QUERN_ASSIGN_OR_RETURN(const Spec model, frontend::ReadModel(model_, *context, entry_));
    const std::vector<OpWork> ops = frontend::CountOps(model);
    if (json_) {
      std::printf("%s\n", Json(model, ops).dump(1).c_str());
    } else {
      Print(model, ops);
    }
    return absl::OkStatus();
  }

  static nlohmann::json Json(const Spec& model, const std::vector<OpWork>& ops) {
    const frontend::Work work = frontend::CountWork(model);
    nlohmann::json arguments = nlohmann::json::array(), results = nlohmann::json::array(),
                   list = nlohmann::json::array();
    for (size_t i = 0; i < model.arguments.size(); ++i) {
      arguments.push_back({{"type", model.arguments[i].ToString()},
                           {"constant", model.uses[i].constant},
                           {"donated", model.uses[i].donated},
                           {"shares", model.uses[i].shares}});
    }
    for (const TensorType& type : model.results) results.push_back(type.ToString());
    for (const OpWork& op : ops) {
      list.push_back({{"op", op.op},
                      {"count", op.count},
                      {"in_bodies", op.in_bodies},
                      {"largest", op.largest},
                      {"flops", op.flops},
                      {"bytes", op.bytes},
                      {"flops_per_byte", Intensity(op.flops, op.bytes)}});
    }
    return {{"model_sha256", model.sha256}, {"arguments", arguments},
            {"results", results},           {"flops", work.flops},
            {"bytes", work.bytes},          {"flops_per_byte", Intensity(work.flops, work.bytes)},
            {"notes", model.notes},         {"ops", list}};
  }

  static void Print(const Spec& model, const std::vector<OpWork>& ops) {
    static constexpr size_t kShown = 24;
    const frontend::Work work = frontend::CountWork(model);
    std::printf("model    %s\n", model.sha256.c_str());
    std::printf("takes    %zu tensors\n", model.arguments.size());
    for (size_t i = 0; i < std::min(model.arguments.size(), kShown); ++i)
      std::printf("  %zu: %s\n", i, Describe(model, i).c_str());
    if (model.arguments.size() > kShown)
      std::printf("  and %zu more (--json lists them)\n", model.arguments.size() - kShown);
    std::printf("gives    %zu tensors\n", model.results.size());
    for (size_t i = 0; i < std::min(model.results.size(), kShown); ++i)
      std::printf("  %zu: %s\n", i, model.results[i].ToString().c_str());
    if (model.results.size() > kShown)
      std::printf("  and %zu more (--json lists them)\n", model.results.size() - kShown);
    std::printf(
        "work     %.4g GFLOP on %.4g MB of arguments and results: %.3g flop/byte; loops of unknown "
        "length and branches count once\n",
        work.flops / 1e9, work.bytes / 1e6, Intensity(work.flops, work.bytes));
    std::printf("%-24s %7s %9s %10s %7s %10s %10s  %s\n", "op", "count", "in bodies", "MFLOP",
                "share", "MB", "flop/byte", "largest");
    for (const OpWork& op : ops) {
      std::printf("%-24s %7lld %9lld %10.4g %6.1f%% %10.4g %10.3g  %s\n", op.op.c_str(),
                  static_cast<long long>(op.count), static_cast<long long>(op.in_bodies),
                  op.flops / 1e6, 100 * op.flops / std::max(work.flops, 1.0), op.bytes / 1e6,
                  Intensity(op.flops, op.bytes), op.largest.c_str());
    }
    std::printf("MB are those of operands and results of each op by itself\n");
    PrintNotes(model.notes);
  }

  std::string model_, entry_;
  bool json_ = false;
};

std::unique_ptr<Subcommand> MakeInspectCommand() { return std::make_unique<InspectCommand>(); }

}  // namespace quern::cli
