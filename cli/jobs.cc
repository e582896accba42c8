// quern jobs: what a coordinator does.
#include <cstdio>
#include <string>

#include "CLI/App.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bundle/status.h"
#include "cli/coordinator_client.h"
#include "cli/subcommand.h"
#include "google/protobuf/util/json_util.h"

namespace quern::cli {

static std::string StateName(v1::JobState state) {
  return std::string(absl::StripPrefix(v1::JobState_Name(state), "JOB_STATE_"));
}

static void PrintJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  google::protobuf::util::MessageToJsonString(message, &text, options).ok();
  std::printf("%s\n", text.c_str());
}

class JobsCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser = app.add_subcommand("jobs", "Jobs of a coordinator");
    parser->require_subcommand(1);
    list_ = parser->add_subcommand("list", "Newest first");
    list_->add_option("--state", states_, "PENDING, RUNNING, ...; several with |");
    list_->add_option("--limit", limit_, "At most so many")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    show_ = parser->add_subcommand("show", "One job");
    watch_ = parser->add_subcommand("watch", "What happens, until the job is finished");
    cancel_ = parser->add_subcommand("cancel", "Stop a job for good");
    pause_ = parser->add_subcommand("pause", "Stop a job for now");
    resume_ = parser->add_subcommand("resume", "Go on with a paused job");
    for (CLI::App* command : {show_, watch_, cancel_, pause_, resume_}) {
      command->add_option("job", job_, "jobs/17, or 17")->required();
    }
    for (CLI::App* command : {list_, show_, watch_, cancel_, pause_, resume_}) {
      command->add_option("--server", server_, "HOST:PORT of quernd")
          ->envname("QUERN_SERVER")
          ->required();
      command->add_flag("--json", json_, "Print JSON, a line for each");
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
    if (list_->parsed()) return List(*client);
    const std::string name = absl::StrCat("jobs/", absl::StripPrefix(job_, "jobs/"));
    if (watch_->parsed()) return Watch(*client, name);
    absl::StatusOr<v1::Job> job;
    if (show_->parsed()) job = client->GetJob(name);
    if (cancel_->parsed()) job = client->CancelJob(name);
    if (pause_->parsed()) job = client->PauseJob(name);
    if (resume_->parsed()) job = client->ResumeJob(name);
    QUERN_RETURN_IF_ERROR(job.status());
    Print(*job);
    return absl::OkStatus();
  }

  absl::Status List(CoordinatorClient& client) {
    QUERN_ASSIGN_OR_RETURN(const std::vector<v1::Job> jobs,
                           client.ListJobs(states_.empty() ? "" : "state=" + states_, limit_));
    for (const v1::Job& job : jobs) Print(job);
    return absl::OkStatus();
  }

  absl::Status Watch(CoordinatorClient& client, const std::string& name) {
    return client.WatchJob(name, [&](const v1::JobEvent& event) {
      if (json_) {
        PrintJson(event);
      } else if (event.state() != v1::JOB_STATE_UNSPECIFIED) {
        std::printf("%s: %s\n", StateName(event.state()).c_str(), event.message().c_str());
      } else {
        std::printf("%s\n", event.message().c_str());
      }
      return std::fflush(stdout) == 0;
    });
  }

  void Print(const v1::Job& job) const {
    if (json_) return PrintJson(job);
    std::string note = job.error();
    if (job.has_result()) note = job.result().proved() ? "proved" : "nothing proved";
    if (!job.waiting_for().empty()) note = job.waiting_for();
    std::printf("%-10s %-10s %.12s  %s  %s\n", job.name().c_str(), StateName(job.state()).c_str(),
                job.spec_sha256().c_str(), job.spec_name().c_str(), note.c_str());
  }

  CLI::App *list_ = nullptr, *show_ = nullptr, *watch_ = nullptr, *cancel_ = nullptr,
           *pause_ = nullptr, *resume_ = nullptr;
  std::string server_, job_, states_;
  int limit_ = 100;
  bool json_ = false;
};

std::unique_ptr<Subcommand> MakeJobsCommand() { return std::make_unique<JobsCommand>(); }

}  // namespace quern::cli
