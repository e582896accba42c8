// What a search session asks for, answered by the parts of quern.
#ifndef QUERN_CLI_ADAPTERS_H_
#define QUERN_CLI_ADAPTERS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "frontend/spec.h"
#include "search/session.h"
#include "verifier/checker.h"
#include "workers/measurer.h"

namespace quern::cli {

class CodegenCompiler : public search::Compiler {
 public:
  absl::StatusOr<Artifact> Compile(mlir::ModuleOp program) override;
};

// Times on this machine's CPU. Outputs are compared with the interpreter's.
class CpuMeasurer : public search::Measurer {
 public:
  CpuMeasurer(const frontend::Spec& spec, workers::MeasureOptions options);
  absl::StatusOr<search::Race> Screen(const Artifact& candidate, double give_up_above_ns) override;
  absl::StatusOr<search::Race> Compare(const Artifact& incumbent,
                                       const Artifact& candidate) override;
  absl::StatusOr<std::vector<search::Race>> Rank(
      const std::vector<const Artifact*>& finalists) override;

 private:
  absl::Status Start(const LaunchPlan& plan);

  const frontend::Spec& spec_;
  workers::MeasureOptions options_;
  workers::Tolerance tolerance_;
  std::unique_ptr<workers::Measurer> measurer_;
};

class LibraryChecker : public search::Checker {
 public:
  LibraryChecker(std::string module, verifier::CheckOptions options)
      : module_(std::move(module)), options_(std::move(options)) {}
  absl::StatusOr<Certificate> Check(const Artifact& artifact, double seconds) override;

 private:
  std::string module_;
  verifier::CheckOptions options_;
};

}  // namespace quern::cli

#endif  // QUERN_CLI_ADAPTERS_H_
