#include "server/job_runner.h"

#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "bundle/bundle.h"
#include "bundle/file.h"
#include "bundle/status.h"
#include "codegen/compiler.h"
#include "server/cached_kernel.h"
#include "server/clock.h"
#include "server/remote_measurer.h"

namespace quern::server {

static constexpr char kBundlePrefix[] = "job-";

namespace {

class CodegenCompiler : public search::Compiler {
 public:
  absl::StatusOr<Artifact> Compile(mlir::ModuleOp program) override {
    return codegen::Compile(program);
  }
};

}  // namespace

std::string JobRunner::BundleFolder(int64_t job) const {
  return absl::StrCat(parts_.state, "/bundles/", kBundlePrefix, job);
}

absl::Status JobRunner::RemoveBundlesWithoutJob() {
  const std::string bundles = parts_.state + "/bundles";
  std::error_code error;
  for (std::filesystem::directory_iterator it(bundles, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename();
    absl::string_view number = name;
    int64_t job = 0;
    // A bundle in the making has another name.
    if (!absl::ConsumePrefix(&number, kBundlePrefix) || !absl::SimpleAtoi(number, &job)) continue;
    const absl::Status there = parts_.store.GetJob(job).status();
    if (there.ok()) continue;
    if (!absl::IsNotFound(there)) return there;
    std::filesystem::remove_all(it->path(), error);
  }
  return error ? FileError(error.value(), "clear", bundles) : absl::OkStatus();
}

void JobRunner::Say(int64_t job, const std::string& line) {
  // Progress is for people: a job does not fail for want of it.
  parts_.store.AddEvent(job, line, NowUs()).status().IgnoreError();
  parts_.events.Ring();
}

static v1::JobResult ToProto(const search::SessionResult& result, const frontend::Spec& spec) {
  v1::JobResult proto;
  proto.set_proved(result.proved);
  proto.set_cache_hit(result.cache_hit);
  proto.set_naive_ns(result.naive_ns);
  proto.set_naive_longer_than_ns(result.naive_longer_than_ns);
  proto.set_spec_sha256(spec.sha256);
  proto.set_time_ns(result.time_ns);
  for (const std::string& finalist : result.finalists) proto.add_finalists(finalist);
  v1::Counts* counts = proto.mutable_counts();
  counts->set_enumerated(result.counts.enumerated);
  counts->set_dropped(result.counts.dropped);
  counts->set_compiled(result.counts.compiled);
  counts->set_failed(result.counts.failed);
  counts->set_measured(result.counts.measured);
  counts->set_refuted(result.counts.refuted);
  counts->set_unknown(result.counts.unknown);
  counts->set_unsound_actions(result.counts.unsound_actions);
  return proto;
}

absl::StatusOr<v1::JobResult> JobRunner::Run(int64_t job, const JobPlan& plan,
                                             const std::optional<v1::Device>& device,
                                             const std::atomic<bool>& abandoned) {
  const std::string machine = device ? device->fingerprint() : "any";
  bool alone = false;
  RemoteMeasurer measurer(parts_.board, job, machine, plan, abandoned, [&] {
    const bool served = parts_.workers.Serves(machine);
    if (!served && !alone) Say(job, "no worker with the job's device is connected: waiting");
    alone = !served;
  });
  CodegenCompiler compiler;
  CheckerProcess checker(parts_.checker,
                         {.module = plan.spec.source,
                          .semantics = plan.semantics,
                          .assumptions = plan.assumptions,
                          .error_ratio = plan.error_ratio},
                         abandoned);
  CachedKernel cached(plan.spec,
                      KeyOf(plan.spec, {.target = plan.target->name(),
                                        .machine = machine,
                                        .threads = plan.threads,
                                        .semantics = plan.semantics,
                                        .assumptions = plan.assumptions,
                                        .error_ratio = plan.error_ratio}),
                      parts_.cache, checker);
  search::SessionOptions options{.target = plan.target->name(),
                                 .seed = plan.seed,
                                 .budget_seconds = plan.budget_seconds,
                                 .max_candidates = plan.max_candidates,
                                 .threads = plan.threads,
                                 .stop = &abandoned,
                                 .progress = [&](const std::string& line) { Say(job, line); }};
  QUERN_ASSIGN_OR_RETURN(const search::SessionResult result,
                         search::Run(plan.spec,
                                     {.compiler = &compiler,
                                      .measurer = device ? &measurer : nullptr,
                                      .checker = &checker,
                                      .store = plan.use_cache ? &cached : nullptr},
                                     options));
  if (abandoned) return absl::CancelledError("the job was stopped");
  if (result.proved) QUERN_RETURN_IF_ERROR(WriteBundle(*result.bundle, BundleFolder(job)));
  return ToProto(result, plan.spec);
}

}  // namespace quern::server
