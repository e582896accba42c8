#include "workers/measurer.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "workers/testing/candidates.h"

namespace quern::workers {
namespace {

constexpr int64_t kElements = 1000;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr const char* kDouble = "for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];";

// Does the work `times` times.
std::string Repeated(int times) {
  return "for (int k = 0; k < " + std::to_string(times) +
         "; ++k) { for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i]; asm volatile(\"\" ::: "
         "\"memory\"); }";
}

absl::StatusOr<std::vector<Tensor>> Doubled(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> outputs;
  outputs.push_back(inputs[0].Clone());
  for (int64_t i = 0; i < outputs[0].type().num_elements(); ++i) {
    outputs[0].Set(i, 2 * inputs[0].At(i));
  }
  return outputs;
}

class MeasurerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HaveCompiler()) GTEST_SKIP() << "no C compiler";
    Use({.seed = 7, .min_blocks = 10, .max_blocks = 10, .max_seconds = 20});
  }
  void Use(MeasureOptions options) {
    measurer_ = Measurer::Create(Unary(kElements), std::move(options)).value();
    ASSERT_TRUE(measurer_->SetReference(Doubled, {}).ok());
  }
  static Artifact Compile(const std::string& body, const std::string& globals = "",
                          int64_t workspace_bytes = 0) {
    return CompileCandidate(Unary(kElements), body, globals, workspace_bytes);
  }
  std::string FailureOf(const Artifact& artifact) {
    auto result = measurer_->Screen(artifact, kNever);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return "";
    EXPECT_EQ(result->outcome == Outcome::kFailed, !result->failure_kind.empty());
    return result->failure_kind;
  }

  std::unique_ptr<Measurer> measurer_;
};

TEST_F(MeasurerTest, ScreenTimesACorrectKernel) {
  const Artifact artifact = Compile(kDouble);
  const RaceResult result = measurer_->Screen(artifact, kNever).value();
  EXPECT_EQ(result.outcome, Outcome::kFaster) << result.message;
  EXPECT_FALSE(result.candidate.warm_ns.empty());
  EXPECT_GT(result.candidate.warm.median, 0);
  EXPECT_LE(result.candidate.warm.low, result.candidate.warm.median);
  EXPECT_EQ(result.candidate.seed, 7U);
  EXPECT_EQ(result.candidate.binary_sha256.size(), 64U);
  EXPECT_THAT(result.candidate.machine, testing::HasSubstr("LLC"));
  EXPECT_TRUE(ParseMeasurement(ToJson(result.candidate)).ok());
}

TEST_F(MeasurerTest, ScreenGivesUpEarly) {
  const RaceResult result = measurer_->Screen(Compile(Repeated(1000)), 1).value();
  EXPECT_EQ(result.outcome, Outcome::kSlower);
  EXPECT_EQ(result.candidate.warm_ns.size(), 1U);
}

TEST_F(MeasurerTest, WrongOutputs) {
  EXPECT_EQ(FailureOf(Compile("for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i];")), "wrong output");
  // The tail is forgotten, but written.
  EXPECT_EQ(FailureOf(Compile("for (int64_t i = 0; i < n; ++i) y[i] = i < n - 3 ? 2 * x[i] : 0;")),
            "wrong output");
}

TEST_F(MeasurerTest, NondeterministicOrUninitialised) {
  EXPECT_EQ(FailureOf(Compile("for (int64_t i = 0; i < n - 1; ++i) y[i] = 2 * x[i];")),
            "nondeterministic");
  EXPECT_EQ(FailureOf(Compile("static int calls; if (calls++ == 0) " + std::string(kDouble))),
            "nondeterministic");
  EXPECT_EQ(
      FailureOf(Compile(std::string(kDouble) + "y[5] = ((float*)call->workspace)[3];", "", 128)),
      "nondeterministic");
  EXPECT_EQ(FailureOf(Compile(std::string(kDouble) +
                              "y[5] = (float)(__builtin_ia32_rdtsc() & 0xfffff);")),
            "nondeterministic");
}

TEST_F(MeasurerTest, SkipsWorkOnTimedRuns) {
  EXPECT_EQ(FailureOf(Compile("static int calls; if (++calls > 5) return QUERN_OK;" +
                              std::string(kDouble))),
            "wrong output");
}

TEST_F(MeasurerTest, CachesOutputsByPointer) {
  EXPECT_EQ(FailureOf(Compile(
                "int slot = -1;"
                "for (int s = 0; s < used; ++s) if (keys[s] == x && ++hits[s] > 2) slot = s;"
                "if (slot >= 0) { memcpy(y, values[slot], 4 * n); return QUERN_OK; }" +
                    std::string(kDouble) +
                    "for (int s = 0; s < used; ++s) if (keys[s] == x) return QUERN_OK;"
                    "keys[used] = x; memcpy(values[used++], y, 4 * n);",
                "static const float* keys[4]; static float values[4][1000];"
                "static int used; static int hits[4];")),
            "wrong output");
}

TEST_F(MeasurerTest, SlowsTheClock) {
  // A constructor overwrites the C library's clock_gettime with one that runs at a fraction.
  const Artifact artifact = Compile(
      Repeated(20),
      "static int slow_clock(clockid_t clock, struct timespec* t) {"
      "  uint64_t now = __builtin_ia32_rdtsc() / 32;"
      "  t->tv_sec = now / 1000000000; t->tv_nsec = now % 1000000000; return 0; }"
      "__attribute__((constructor)) static void patch(void) {"
      "  unsigned char* code = dlsym(RTLD_DEFAULT, \"clock_gettime\");"
      "  unsigned char jump[12] = {0x48, 0xb8, [10] = 0xff, 0xe0};"
      "  void* to = slow_clock; memcpy(jump + 2, &to, 8);"
      "  mprotect((void*)((uintptr_t)code & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);"
      "  memcpy(code, jump, sizeof(jump)); }");
  EXPECT_EQ(FailureOf(artifact), "clock");
}

TEST_F(MeasurerTest, FailuresOfTheProcessAreTold) {
  EXPECT_EQ(FailureOf(Compile("*(volatile int*)8 = 1;")), "crashed");
  EXPECT_EQ(FailureOf(Compile("fork();")), "forbidden system call");
  EXPECT_EQ(FailureOf(Compile("return QUERN_BAD_TENSOR;")), "bad call");
  const RaceResult hung =
      measurer_->Screen(Compile("for (;;) asm volatile(\"\");"), /*give_up_above_ns=*/1000).value();
  EXPECT_EQ(hung.failure_kind, "timed out");
}

TEST_F(MeasurerTest, RaceSeesTwiceTheWork) {
  const Artifact slow = Compile(Repeated(40));
  const Artifact fast = Compile(Repeated(20));
  const RaceResult win = measurer_->Race(slow, fast).value();
  EXPECT_EQ(win.outcome, Outcome::kFaster) << win.message;
  EXPECT_EQ(win.candidate.baseline, "incumbent");
  EXPECT_GE(win.candidate.warm_ns.size(), 10U);
  EXPECT_EQ(win.candidate.warm_ns.size(), win.incumbent.warm_ns.size());
  EXPECT_TRUE(ParseMeasurement(ToJson(win.candidate)).ok());
  EXPECT_EQ(measurer_->Race(fast, slow).value().outcome, Outcome::kSlower);
}

TEST_F(MeasurerTest, RaceOfEqualsIsClose) {
  const Artifact artifact = Compile(Repeated(20));
  const RaceResult result = measurer_->Race(artifact, artifact).value();
  EXPECT_NE(result.outcome, Outcome::kFailed) << result.message;
  EXPECT_NEAR(result.candidate.speedup.median, 1, 0.25);  // whatever else runs on the machine
}

TEST_F(MeasurerTest, AFailingCandidateDropsOut) {
  const Artifact good = Compile(Repeated(20));
  const Artifact late = Compile("static int calls; if (++calls > 10) abort();" + Repeated(5));
  const Artifact better = Compile(Repeated(5));
  const std::vector<RaceResult> results =
      measurer_->Finalists(good, "naive", {&late, &better}).value();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].outcome, Outcome::kFailed);
  EXPECT_EQ(results[0].failure_kind, "crashed");
  EXPECT_EQ(results[1].outcome, Outcome::kFaster);
  EXPECT_EQ(results[1].candidate.baseline, "naive");
}

TEST_F(MeasurerTest, AFailingIncumbentIsAnError) {
  const auto result = measurer_->Race(Compile("abort();"), Compile(kDouble));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
}

TEST_F(MeasurerTest, ColdSamplesAreApart) {
  Use({.min_blocks = 6, .max_blocks = 6, .max_seconds = 20, .cold = true});
  const Artifact artifact = Compile(kDouble);
  const RaceResult result = measurer_->Race(artifact, artifact).value();
  EXPECT_FALSE(result.candidate.cold_ns.empty());
  EXPECT_FALSE(result.incumbent.cold_ns.empty());
}

TEST_F(MeasurerTest, TwoThreads) {
  if (measurer_->cpu().usable.size() < 2) GTEST_SKIP() << "one CPU";
  Use({.threads = 2, .min_blocks = 6, .max_blocks = 6, .max_seconds = 20});
  const Artifact artifact = Compile(
      "if (call->parallel_for == NULL) return QUERN_BAD_CALL;"
      "call->parallel_for(call->pool, n, block, (void*)call);",
      "static void block(void* c, int64_t i) { const quern_call* call = c;"
      "  ((float*)call->outputs[0].data)[i] = 2 * ((float*)call->inputs[0].data)[i]; }");
  const RaceResult result = measurer_->Screen(artifact, kNever).value();
  EXPECT_EQ(result.outcome, Outcome::kFaster) << result.failure_kind << result.message;
  EXPECT_EQ(result.candidate.threads, 2);
}

TEST_F(MeasurerTest, RunReturnsOutputs) {
  const std::vector<Tensor>& inputs = measurer_->inputs(0);
  const std::vector<Tensor> outputs = measurer_->Run(Compile(kDouble), inputs).value();
  EXPECT_FALSE(FirstChangedBit(Doubled(inputs).value(), outputs));
  EXPECT_EQ(measurer_->Run(Compile("abort();"), inputs).status().code(),
            absl::StatusCode::kAborted);
}

TEST_F(MeasurerTest, Misuse) {
  EXPECT_EQ(Measurer::Create(Unary(1), {.threads = 1 << 20}).status().code(),
            absl::StatusCode::kInvalidArgument);
  auto fresh = Measurer::Create(Unary(kElements), {}).value();
  const Artifact artifact = Compile(kDouble);
  EXPECT_EQ(fresh->Screen(artifact, kNever).status().code(), absl::StatusCode::kFailedPrecondition);
  const Artifact other = CompileCandidate(Unary(8), kDouble);
  EXPECT_EQ(measurer_->Screen(other, kNever).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quern::workers
