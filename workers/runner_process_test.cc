#include "workers/runner_process.h"

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workers/testing/candidates.h"

namespace quern::workers {
namespace {

constexpr int64_t kElements = 1000;
constexpr double kSeconds = 1;
constexpr const char* kDouble = "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];";

int OpenDescriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

class RunnerProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HaveCompiler()) GTEST_SKIP() << "no C compiler";
    descriptors_ = OpenDescriptors();
  }

  // Nothing of a runner survives its handle.
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_EQ(OpenDescriptors(), descriptors_);
  }

  static std::unique_ptr<RunnerProcess> Start(const Artifact& artifact,
                                              RunnerOptions options = {}) {
    options.memory_bytes = int64_t{256} << 20;
    auto process = RunnerProcess::Start(artifact, options);
    EXPECT_TRUE(process.ok()) << process.status();
    if (!process.ok()) return nullptr;
    std::vector<Tensor> inputs;
    for (const TensorType& type : (*process)->memory().signature().arguments) {
      inputs.push_back(Tensor::Create(type).value());
      for (int64_t i = 0; i < type.num_elements(); ++i)
        inputs.back().Set(i, static_cast<double>(i));
    }
    for (int set = 0; set < options.num_sets; ++set) (*process)->memory().WriteInputs(set, inputs);
    return *std::move(process);
  }

  // What becomes of a candidate that is run twice.
  static Failure FailureOf(const Artifact& artifact, const RunnerOptions& options = {}) {
    auto process = Start(artifact, options);
    if (process == nullptr) return {};
    if (process->Prepare(0, kSeconds) && process->Run(1, 0, kSeconds)) process->Run(1, 0, kSeconds);
    return process->failure();
  }

  static Fault FaultOf(const std::string& body, const std::string& globals = "") {
    return FailureOf(CompileCandidate(Unary(kElements), body, globals)).fault;
  }

 private:
  int descriptors_ = 0;
};

TEST_F(RunnerProcessTest, RunsAndTimesABatch) {
  auto process = Start(CompileCandidate(Unary(kElements), kDouble));
  ASSERT_NE(process, nullptr);
  const std::optional<Batch> batch = process->Run(10000, 0, kSeconds);
  ASSERT_TRUE(batch) << process->failure().message;
  EXPECT_GT(batch->ns, 0);
  EXPECT_GT(batch->tsc, 0U);
  EXPECT_LE(batch->ns, batch->elapsed_ns);
  const std::vector<Tensor> outputs = process->memory().ReadOutputs().value();
  ASSERT_EQ(outputs.size(), 1U);
  for (int64_t i = 0; i < kElements; ++i) ASSERT_EQ(outputs[0].At(i), 2.0 * static_cast<double>(i));
}

TEST_F(RunnerProcessTest, RotatesTheSetsOfInputs) {
  auto process = Start(CompileCandidate(Unary(kElements), kDouble), {.num_sets = 2});
  ASSERT_NE(process, nullptr);
  std::vector<Tensor> ones;
  ones.push_back(Tensor::Create(Unary(kElements).arguments[0]).value());
  for (int64_t i = 0; i < kElements; ++i) ones[0].Set(i, 1);
  process->memory().WriteInputs(1, ones);
  ASSERT_TRUE(process->Run(2, 0, kSeconds));
  EXPECT_EQ(process->memory().ReadOutputs().value()[0].At(7), 2);
  ASSERT_TRUE(process->Run(3, 0, kSeconds));
  EXPECT_EQ(process->memory().ReadOutputs().value()[0].At(7), 14);
}

TEST_F(RunnerProcessTest, CalibratesEvictsAndAnswers) {
  auto process = Start(CompileCandidate(Unary(kElements), kDouble), {.evict_bytes = 1 << 20});
  ASSERT_NE(process, nullptr);
  EXPECT_TRUE(process->Evict());
  EXPECT_GT(process->MeasureRoundTrip().value_or(0), 0);
  const std::optional<Batch> calibration = process->Calibrate();
  ASSERT_TRUE(calibration);
  EXPECT_GT(calibration->ns, 500'000);
}

TEST_F(RunnerProcessTest, ParallelForRunsEveryBlockOnce) {
  const RunnerOptions two{.cpus = {0, 0}};  // two threads; it is about order, not about speed
  const Artifact once =
      CompileCandidate(Unary(kElements),
                       "for (int64_t i = 0; i < n; ++i) y[i] = x[i];"
                       "call->parallel_for(call->pool, n, block, (void*)call);",
                       "static void block(void* c, int64_t i) {"
                       "  const quern_call* call = c; ((float*)call->outputs[0].data)[i] += 1; }");
  auto process = Start(once, two);
  ASSERT_NE(process, nullptr);
  ASSERT_TRUE(process->Run(200, 0, 10)) << process->failure().message;
  const std::vector<Tensor> outputs = process->memory().ReadOutputs().value();
  for (int64_t i = 0; i < kElements; ++i) ASSERT_EQ(outputs[0].At(i), i + 1);
}

TEST_F(RunnerProcessTest, Crash) {
  EXPECT_EQ(FaultOf("*(volatile int*)8 = 1;"), Fault::kCrashed);
  EXPECT_EQ(FaultOf("abort();"), Fault::kCrashed);
  EXPECT_EQ(FaultOf("__builtin_trap();"), Fault::kCrashed);
  EXPECT_EQ(FaultOf("y[0] = recurse(1);",
                    "int recurse(int i) { volatile char a[4096]; a[i & 7] = i;"
                    "  return recurse(i + 1) + a[3]; }"),
            Fault::kCrashed);
}

TEST_F(RunnerProcessTest, EndsTheProcess) { EXPECT_EQ(FaultOf("_exit(0);"), Fault::kCrashed); }

TEST_F(RunnerProcessTest, Hang) {
  EXPECT_EQ(FaultOf("for (;;) asm volatile(\"\");"), Fault::kTimedOut);
}

TEST_F(RunnerProcessTest, HangInAConstructor) {
  const Artifact artifact = CompileCandidate(
      Unary(kElements), kDouble,
      "__attribute__((constructor)) void hang(void) { for (;;) asm volatile(\"\"); }");
  EXPECT_EQ(FailureOf(artifact, {.start_timeout_seconds = 1}).fault, Fault::kTimedOut);
}

TEST_F(RunnerProcessTest, AllocatesWithoutBound) {
  EXPECT_EQ(FaultOf("for (;;) { volatile char* p = malloc(1 << 16); for (int i = 0; i < 1 << 16; i "
                    "+= 4096) p[i] = 1; }"),
            Fault::kOutOfMemory);
}

TEST_F(RunnerProcessTest, WritesOutOfBounds) {
  EXPECT_EQ(FaultOf("y[n] = 1;"), Fault::kOutOfBounds);  // red zone
  EXPECT_EQ(FaultOf("y[-1] = 1;"), Fault::kOutOfBounds);
  EXPECT_EQ(FaultOf("y[n + 1024] = 1;"), Fault::kOutOfBounds);  // guard page
}

TEST_F(RunnerProcessTest, ReadsBehindAnInput) {
  EXPECT_EQ(FaultOf("y[0] = ((volatile float*)x)[n + 16];"), Fault::kOutOfBounds);
}

TEST_F(RunnerProcessTest, WritesBehindTheWorkspace) {
  const Artifact artifact = CompileCandidate(
      Unary(kElements), "((char*)call->workspace)[call->workspace_bytes] = 1;", "", 128);
  const Failure failure = FailureOf(artifact);
  EXPECT_EQ(failure.fault, Fault::kOutOfBounds);
  EXPECT_THAT(failure.message, testing::HasSubstr("the workspace, 0 bytes behind its end"));
}

TEST_F(RunnerProcessTest, WritesAnInput) {
  EXPECT_EQ(FaultOf("((float*)x)[3] = 0;"), Fault::kInputWritten);
  // The memory is sealed: it cannot be made writable either.
  EXPECT_EQ(FaultOf("void* page = (void*)((uintptr_t)x & ~4095ul);"
                    "if (mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0) ((float*)x)[3] = 0;"),
            Fault::kInputWritten);
}

TEST_F(RunnerProcessTest, ForbiddenCalls) {
  for (const char* body :
       {"fork();", "socket(AF_INET, SOCK_STREAM, 0);", "open(\"/etc/passwd\", O_RDONLY);",
        "open(\"/tmp/quern-test\", O_CREAT | O_WRONLY, 0600);", "write(1, \"x\", 1);",
        "puts(\"hello\"), fflush(stdout);", "close(3);", "kill(getppid(), 9);", "sleep(1);",
        "execl(\"/bin/true\", \"true\", (char*)0);",
        "mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"}) {
    EXPECT_EQ(FaultOf(body), Fault::kForbiddenCall) << body;
  }
}

TEST_F(RunnerProcessTest, ForbiddenCallsWhileLoading) {
  for (const char* body : {"fork();", "open(\"/tmp/quern-test\", O_CREAT | O_RDWR, 0600);",
                           "socket(AF_UNIX, SOCK_STREAM, 0);"}) {
    const Artifact artifact = CompileCandidate(
        Unary(kElements), kDouble,
        std::string("__attribute__((constructor)) void start(void) { ") + body + " }");
    EXPECT_EQ(FailureOf(artifact).fault, Fault::kForbiddenCall) << body;
  }
}

TEST_F(RunnerProcessTest, ChangesTheFloatingPointState) {
  EXPECT_EQ(FaultOf("_mm_setcsr(_mm_getcsr() | 0x8040);"), Fault::kFpState);
}

TEST_F(RunnerProcessTest, SpeaksToTheParent) {
  EXPECT_EQ(FaultOf("write(3, \"done\", 4);"), Fault::kProtocol);
  EXPECT_EQ(FaultOf("char reply[" + std::to_string(sizeof(Reply)) +
                    "] = {5}; write(3, reply, sizeof(reply));"),
            Fault::kProtocol);
}

TEST_F(RunnerProcessTest, RefusesTheCall) {
  const Failure failure = FailureOf(CompileCandidate(Unary(kElements), "return QUERN_OVERLAP;"));
  EXPECT_EQ(failure.fault, Fault::kBadCall);
  EXPECT_THAT(failure.message, testing::HasSubstr("QUERN_OVERLAP"));
}

TEST_F(RunnerProcessTest, BadObjects) {
  Artifact artifact = CompileCandidate(Unary(kElements), kDouble, "", 128);
  artifact.plan.buffers.pop_back();
  EXPECT_THAT(FailureOf(artifact).message, testing::HasSubstr("workspace of 128 bytes"));
  artifact.binary = "not an object";
  EXPECT_EQ(FailureOf(artifact).fault, Fault::kBadObject);
  artifact = CompileCandidate(Unary(kElements), "missing();", "void missing(void);");
  EXPECT_EQ(FailureOf(artifact).fault, Fault::kBadObject);
}

TEST_F(RunnerProcessTest, FailuresAreKept) {
  auto process = Start(CompileCandidate(Unary(kElements), "abort();"));
  ASSERT_NE(process, nullptr);
  EXPECT_FALSE(process->Run(1, 0, kSeconds));
  EXPECT_FALSE(process->Run(1, 0, kSeconds));
  EXPECT_FALSE(process->Calibrate());
  EXPECT_EQ(process->failure().kind(), "crashed");
}

TEST_F(RunnerProcessTest, UnsupportedArguments) {
  Artifact artifact = CompileCandidate(Unary(kElements), kDouble);
  artifact.plan.buffers[0].type.shape.assign(kMaxRank + 1, 1);
  EXPECT_EQ(RunnerProcess::Start(artifact, {}).status().code(), absl::StatusCode::kInvalidArgument);
  artifact.kind = BinaryKind::kPtx;
  EXPECT_EQ(RunnerProcess::Start(artifact, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quern::workers
