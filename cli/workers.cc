// quern workers: who times candidates for a coordinator.
#include <cstdio>
#include <string>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bundle/status.h"
#include "cli/coordinator_client.h"
#include "cli/subcommand.h"

namespace quern::cli {

class WorkersCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser = app.add_subcommand("workers", "Workers of a coordinator");
    parser->require_subcommand(1);
    list_ = parser->add_subcommand("list", "Those that are connected");
    drain_ = parser->add_subcommand("drain", "No more tasks; it ends when its own are done");
    cordon_ = parser->add_subcommand("cordon", "No more tasks");
    uncordon_ = parser->add_subcommand("uncordon", "Tasks again");
    for (CLI::App* command : {drain_, cordon_, uncordon_}) {
      command->add_option("worker", worker_, "Its name")->required();
    }
    for (CLI::App* command : {list_, drain_, cordon_, uncordon_}) {
      command->add_option("--server", server_, "HOST:PORT of quernd")
          ->envname("QUERN_SERVER")
          ->required();
    }
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = Do();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status Do() {
    const std::unique_ptr<CoordinatorClient> client = CoordinatorClient::Create(server_);
    if (list_->parsed()) {
      QUERN_ASSIGN_OR_RETURN(const std::vector<v1::Worker> workers, client->ListWorkers());
      for (const v1::Worker& worker : workers) Print(worker);
      return absl::OkStatus();
    }
    const std::string name = absl::StrCat("workers/", absl::StripPrefix(worker_, "workers/"));
    const absl::StatusOr<v1::Worker> worker = drain_->parsed()
                                                  ? client->DrainWorker(name)
                                                  : client->CordonWorker(name, cordon_->parsed());
    QUERN_RETURN_IF_ERROR(worker.status());
    Print(*worker);
    return absl::OkStatus();
  }

  static void Print(const v1::Worker& worker) {
    std::printf("%s  %s %s  leased %d of %d, done %lld  %s\n", worker.name().c_str(),
                worker.device().name().c_str(), worker.device().cpu().c_str(), worker.leased(),
                worker.credits(), static_cast<long long>(worker.completed()),
                worker.draining()   ? "draining"
                : worker.cordoned() ? "cordoned"
                                    : "ready");
  }

  CLI::App *list_ = nullptr, *drain_ = nullptr, *cordon_ = nullptr, *uncordon_ = nullptr;
  std::string server_, worker_;
};

std::unique_ptr<Subcommand> MakeWorkersCommand() { return std::make_unique<WorkersCommand>(); }

}  // namespace quern::cli
