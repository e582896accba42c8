// quern partition: a model as the specs it is made of.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "bundle/file.h"
#include "bundle/npy.h"
#include "bundle/status.h"
#include "cli/subcommand.h"
#include "frontend/context.h"
#include "frontend/partition.h"
#include "frontend/wiring.h"
#include "nlohmann/json.hpp"
#include "search/naive.h"
#include "workers/devices/cpu.h"
#include "workers/devices/cpu_peak.h"

namespace quern::cli {

using frontend::Part;

// A part, and what it means for a search.
struct Row {
  const Part* part = nullptr;
  std::string refusal;  // why it has no program yet; empty: it has
  double flops_per_byte = 0;
  double roofline_ns = 0;
  double share = 0;  // of the roofline time of all groups
};

class PartitionCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser = app.add_subcommand("partition", "Cut a model into specs to optimise");
    parser->add_option("model", model_, "StableHLO text, bytecode, or a jax.export artifact")
        ->required();
    parser->add_option("--entry", entry_, "The function, if several are public");
    parser->add_option("--out", out_,
                       "Write each spec, large constants, and partition.json, which says how they "
                       "make the model, to this folder");
    parser->add_option("--flops", peak_.flops_per_second,
                       "Peak operations a second of the roofline; measured on this CPU if absent");
    parser->add_option("--bandwidth", peak_.bytes_per_second,
                       "Peak bytes a second; measured likewise");
    parser->add_flag("--json", json_, "Print one object");
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = Partition();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status Partition() {
    std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
    QUERN_ASSIGN_OR_RETURN(const frontend::Spec model,
                           frontend::ReadModel(model_, *context, entry_));
    PrintNotes(model.notes);
    QUERN_ASSIGN_OR_RETURN(const frontend::Partition partition, frontend::PartitionModel(model));
    MeasurePeak();
    const std::vector<Row> rows = MakeRows(partition);
    QUERN_ASSIGN_OR_RETURN(const frontend::Wiring wiring, frontend::WiringOf(model, partition));
    nlohmann::json report = Json(model, rows);
    AddSteps(partition, wiring, &report);
    if (!out_.empty()) QUERN_RETURN_IF_ERROR(Write(rows, wiring, report));
    if (json_) {
      std::printf("%s\n", report.dump(1).c_str());
    } else {
      PrintTable(rows);
    }
    return absl::OkStatus();
  }

  void MeasurePeak() {
    if (peak_.flops_per_second > 0 && peak_.bytes_per_second > 0) return;
    static constexpr int64_t kBeyondCaches = int64_t{256} << 20;
    const workers::CpuPeak measured =
        workers::MeasureCpuPeak(workers::DetectCpu().usable, kBeyondCaches);
    if (!(peak_.flops_per_second > 0)) peak_.flops_per_second = measured.flops_per_second;
    if (!(peak_.bytes_per_second > 0)) peak_.bytes_per_second = measured.bytes_per_second;
  }

  std::vector<Row> MakeRows(const frontend::Partition& partition) const {
    std::vector<Row> rows;
    double total = 0;
    for (const Part& part : partition.parts) {
      Row row = {.part = &part,
                 .refusal = part.opaque,
                 .flops_per_byte = part.work.flops / std::max(part.work.bytes, 1.0)};
      if (part.opaque.empty()) {
        const auto program = search::NaiveProgram(part.spec, "x86_64");
        if (!program.ok()) row.refusal = std::string(program.status().message());
      }
      row.roofline_ns = peak_.RooflineNs(part.work.flops, part.work.bytes);
      total += row.roofline_ns * static_cast<double>(part.count);
      rows.push_back(std::move(row));
    }
    for (Row& row : rows) {
      if (total > 0) row.share = row.roofline_ns * static_cast<double>(row.part->count) / total;
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.share != b.share ? a.share > b.share : a.part < b.part;
    });
    return rows;
  }

  static std::vector<std::string> Names(const std::vector<TensorType>& types) {
    std::vector<std::string> names;
    for (const TensorType& type : types) names.push_back(type.ToString());
    return names;
  }

  nlohmann::json Json(const frontend::Spec& model, const std::vector<Row>& rows) const {
    nlohmann::json specs = nlohmann::json::array();
    for (const Row& row : rows) {
      const Part& part = *row.part;
      specs.push_back({{"spec_sha256", part.sha256},
                       {"count", part.count},
                       {"in_bodies", part.in_bodies},
                       {"ops", part.ops},
                       {"arguments", Names(part.arguments)},
                       {"results", Names(part.results)},
                       {"flops", part.work.flops},
                       {"bytes", part.work.bytes},
                       {"flops_per_byte", row.flops_per_byte},
                       {"roofline_ns", row.roofline_ns},
                       {"share", row.share},
                       {"program", row.refusal.empty()},
                       {"why_not", row.refusal}});
    }
    return {{"model_sha256", model.sha256},
            {"peak_flops_per_second", peak_.flops_per_second},
            {"peak_bytes_per_second", peak_.bytes_per_second},
            {"specs", specs}};
  }

  // How the specs make the model: which runs when, and on which values.
  static void AddSteps(const frontend::Partition& partition, const frontend::Wiring& wiring,
                       nlohmann::json* report) {
    nlohmann::json steps = nlohmann::json::array();
    for (const frontend::Wiring::Step& step : wiring.steps) {
      steps.push_back({{"spec_sha256", partition.parts[step.part].sha256},
                       {"arguments", step.arguments},
                       {"results", step.results}});
    }
    (*report)["steps"] = std::move(steps);
    (*report)["results"] = wiring.results;
  }

  absl::Status Write(const std::vector<Row>& rows, const frontend::Wiring& wiring,
                     const nlohmann::json& report) const {
    std::error_code error;
    std::filesystem::create_directories(out_, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrCat("cannot make the folder ", out_, ": ", error.message()));
    }
    for (const Row& row : rows) {
      QUERN_RETURN_IF_ERROR(
          WriteFile(absl::StrCat(out_, "/", row.part->sha256, ".mlir"), row.part->text));
    }
    for (size_t i = 0; i < wiring.constants.size(); ++i) {
      QUERN_RETURN_IF_ERROR(
          WriteNpy(absl::StrCat(out_, "/constant_", i, ".npy"), wiring.constants[i]));
    }
    return WriteFile(out_ + "/partition.json", report.dump(1) + "\n");
  }

  static void PrintTable(const std::vector<Row>& rows) {
    std::printf("%-12s %6s %10s %10s %10s %7s  %s\n", "spec", "count", "MFLOP", "MB", "flop/byte",
                "share", "ops");
    int64_t groups = 0;
    for (const Row& row : rows) {
      const Part& part = *row.part;
      groups += part.count;
      std::printf("%-12.12s %6lld %10.4g %10.4g %10.3g %6.1f%%  %.120s%s\n", part.sha256.c_str(),
                  static_cast<long long>(part.count), part.work.flops / 1e6, part.work.bytes / 1e6,
                  row.flops_per_byte, 100 * row.share, part.ops.c_str(),
                  row.refusal.empty() ? "" : " [no program]");
    }
    std::printf(
        "%lld groups, %zu specs; shares are of the roofline's time, loops of unknown length once\n",
        static_cast<long long>(groups), rows.size());
    for (const Row& row : rows) {
      if (!row.refusal.empty()) {
        std::fprintf(stderr, "no program: %s\n", row.refusal.c_str());
      }
    }
  }

  std::string model_, entry_, out_;
  workers::CpuPeak peak_;
  bool json_ = false;
};

std::unique_ptr<Subcommand> MakePartitionCommand() { return std::make_unique<PartitionCommand>(); }

}  // namespace quern::cli
