// quern run: a bundle's kernel on inputs.
#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "bundle/bundle.h"
#include "bundle/status.h"
#include "cli/subcommand.h"
#include "cli/tensor_files.h"
#include "workers/measurer.h"

namespace quern::cli {

class RunCommand : public Subcommand {
 public:
  CLI::App* Register(CLI::App& app) override {
    CLI::App* parser = app.add_subcommand("run", "Run the kernel of a bundle");
    parser->add_option("bundle", bundle_, "Bundle directory")->required();
    parser->add_option("--inputs", inputs_,
                       "A .npy file for each argument; drawn from --seed if absent");
    parser->add_option("--seed", seed_, "Seed of drawn inputs")->capture_default_str();
    parser->add_option("--threads", threads_, "Threads")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    parser->add_option("--seconds", seconds_, "Time limit of the kernel")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    parser->add_option("--out", out_, "Write result N to this folder as N.npy");
    return parser;
  }

  ExitCode Run() override {
    const absl::Status status = RunBundle();
    return status.ok() ? ExitCode::kOk : Report(status);
  }

 private:
  absl::Status RunBundle() const {
    QUERN_ASSIGN_OR_RETURN(const Bundle bundle, ReadBundle(bundle_));
    if (bundle.artifact.kind != BinaryKind::kSharedObject) {
      return absl::InvalidArgumentError("the bundle is for " + bundle.artifact.plan.target +
                                        ", not for this CPU");
    }
    const workers::Signature signature = workers::SignatureOf(bundle.artifact.plan);
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> inputs,
                           ReadOrDrawInputs(inputs_, signature.arguments, seed_));
    QUERN_ASSIGN_OR_RETURN(
        std::unique_ptr<workers::Measurer> measurer,
        workers::Measurer::Create(signature, {.threads = threads_, .max_run_seconds = seconds_}));
    QUERN_ASSIGN_OR_RETURN(std::vector<Tensor> results, measurer->Run(bundle.artifact, inputs));
    return PrintOrWrite(results, out_);
  }

  std::string bundle_, out_;
  std::vector<std::string> inputs_;
  uint64_t seed_ = 0;
  int threads_ = 1;
  double seconds_ = 60;
};

std::unique_ptr<Subcommand> MakeRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace quern::cli
