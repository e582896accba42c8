#include "search/session.h"

#include <chrono>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include "bundle/digest.h"
#include "bundle/status.h"
#include "gmock/gmock.h"
#include "search/nest.h"
#include "search/progress.h"
#include "search/recorded_measurer.h"
#include "search/testing/fixture.h"

namespace quern::search {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// "Compiles" a program to its own text.
class FakeCompiler : public Compiler {
 public:
  absl::StatusOr<Artifact> Compile(mlir::ModuleOp program) override {
    ++calls;
    std::string text = PrintText(program);
    if (refuse_vectors && text.find(" vector {") != std::string::npos) {
      return absl::InvalidArgumentError("no vectors here");
    }
    if (raise_stop && calls > 4) *raise_stop = true;
    return Artifact{.binary = text};
  }
  int calls = 0;
  bool refuse_vectors = false;
  std::atomic<bool>* raise_stop = nullptr;
};

// Times that the text alone determines: every vector and unrolled loop makes it faster.
class FakeMeasurer : public Measurer {
 public:
  absl::StatusOr<Race> Screen(const Artifact& candidate, double) override {
    if (--calls_left < 0) return absl::UnavailableError("device lost");
    if (naive_is_slow && Time(candidate) >= 1e6) {
      return Race{.outcome = Race::Outcome::kTimedOut, .failure = "timed out"};
    }
    if (crash_on_vectors && candidate.binary.find(" vector {") != std::string::npos) {
      return Race{.outcome = Race::Outcome::kFailed, .failure = "crashed"};
    }
    return Race{.outcome = Race::Outcome::kSame, .candidate = Measured(candidate)};
  }
  absl::StatusOr<Race> Compare(const Artifact& incumbent, const Artifact& candidate) override {
    if (--calls_left < 0) return absl::UnavailableError("device lost");
    double before = Time(incumbent), after = Time(candidate);
    Race race{.outcome = after < before * 0.99   ? Race::Outcome::kFaster
                         : after > before * 1.01 ? Race::Outcome::kSlower
                                                 : Race::Outcome::kSame,
              .candidate = Measured(candidate)};
    race.candidate.speedup = {before / after, before / after * 0.99, before / after * 1.01};
    return race;
  }
  absl::StatusOr<std::vector<Race>> Rank(const std::vector<const Artifact*>& finalists) override {
    std::vector<Race> races;
    for (const Artifact* finalist : finalists) {
      QUERN_ASSIGN_OR_RETURN(races.emplace_back(), Compare(*finalists.front(), *finalist));
      if (--ranks_that_fail >= 0) {
        races.back() = {.outcome = Race::Outcome::kFailed, .failure = "crashed at last"};
      }
    }
    return races;
  }
  int64_t calls_left = 1 << 30;
  int ranks_that_fail = 0;
  bool naive_is_slow = false;
  bool crash_on_vectors = false;
  bool noise = false;  // a little more on every call

 private:
  double Time(const Artifact& artifact) {
    double time = 1e6;
    for (std::string_view word : {" vector {", " unrolled {", "math.fma"}) {
      for (size_t at = 0; (at = artifact.binary.find(word, at)) != std::string::npos; ++at) {
        time *= 0.8;
      }
    }
    noise_ += noise ? 1e-4 : 0;
    return time * (1 + noise_);
  }
  Measurement Measured(const Artifact& artifact) {
    double time = Time(artifact);
    return {.machine = "fake",
            .binary_sha256 = Sha256(artifact.binary),
            .warm_ns = {time},
            .warm = {time, time, time}};
  }
  double noise_ = 0;
};

class FakeChecker : public Checker {
 public:
  absl::StatusOr<Certificate> Check(const Artifact& artifact, double seconds) override {
    ++calls;
    limits.push_back(seconds);
    if (slow) {
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(seconds, 10.0)));
      return Certificate{.reason = "out of time"};
    }
    if (broken) return absl::InternalError("checker gone");
    bool naive = artifact.binary.find("vector {") == std::string::npos &&
                 artifact.binary.find("unrolled {") == std::string::npos;
    Certificate certificate{.verdict = naive ? Verdict::kProved : others};
    if (calls <= first_refuted) certificate.verdict = Verdict::kRefuted;
    if (certificate.verdict == Verdict::kRefuted) {
      certificate.counterexamples = {{.message = "wrong at (3, 4)"}};
    }
    if (certificate.verdict == Verdict::kUnknown) certificate.reason = "a leftover";
    return certificate;
  }
  Verdict others = Verdict::kProved;
  int first_refuted = 0, calls = 0;
  bool broken = false;
  bool slow = false;  // no proof within its time
  std::vector<double> limits;
};

class FakeStore : public KernelStore {
 public:
  absl::StatusOr<std::optional<Bundle>> Lookup() override { return stored; }
  absl::Status Insert(const Bundle& bundle) override {
    if (full) return absl::ResourceExhaustedError("disk full");
    stored = bundle;
    return absl::OkStatus();
  }
  std::optional<Bundle> stored;
  bool full = false;
};

class SessionTest : public ProgramFixture {
 protected:
  SessionTest() {
    Load(MatmulBiasReluSpec(12, 32, 8));
    options_.max_candidates = 15;
    options_.progress = [this](const std::string& line) { lines_.push_back(line); };
  }
  absl::StatusOr<SessionResult> RunSession() {
    return search::Run(spec_,
                       {.compiler = &compiler_,
                        .measurer = measurer_pointer_,
                        .checker = &checker_,
                        .store = &store_},
                       options_);
  }
  FakeCompiler compiler_;
  FakeMeasurer measurer_;
  Measurer* measurer_pointer_ = &measurer_;
  FakeChecker checker_;
  FakeStore store_;
  SessionOptions options_;
  std::vector<std::string> lines_;
};

TEST_F(SessionTest, ReturnsTheFastestProved) {
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->bundle && result->proved);
  EXPECT_FALSE(result->cache_hit);
  EXPECT_EQ(result->counts.enumerated, 15);
  EXPECT_EQ(result->counts.compiled, 15);
  EXPECT_EQ(result->counts.measured, 15);
  EXPECT_EQ(result->log.size(), 15u);
  EXPECT_EQ(result->naive_ns, 1e6);
  EXPECT_LT(result->time_ns, 0.2e6);
  EXPECT_EQ(result->bundle->module, spec_.source);
  EXPECT_EQ(result->bundle->measurements.front().baseline, "naive");
  EXPECT_GT(result->bundle->measurements.front().speedup.low, 1);
  // The trace in the bundle leads to its program.
  Derived derived = Replay(spec_, *naive_, *ParseTrace(result->bundle->trace));
  EXPECT_EQ(derived.dropped, 0);
  EXPECT_EQ(PrintText(*derived.module), result->bundle->program);
  EXPECT_EQ(result->finalists.size(), 1u);
  EXPECT_FALSE(lines_.empty());
}

TEST_F(SessionTest, SecondRunHitsTheStore) {
  ASSERT_TRUE(RunSession().ok());
  int compiled = compiler_.calls;
  absl::StatusOr<SessionResult> again = RunSession();
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->cache_hit && again->proved);
  EXPECT_EQ(compiler_.calls, compiled);
  EXPECT_EQ(again->naive_ns, 1e6);
}

TEST_F(SessionTest, AStoredBundleThatIsNotProvedIsNoHit) {
  store_.stored = Bundle{.certificate = {.verdict = Verdict::kUnknown}};
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->cache_hit);
  EXPECT_TRUE(result->proved);
}

TEST_F(SessionTest, AFullStoreCostsOnlyTheStore) {
  store_.full = true;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->proved);
  EXPECT_THAT(lines_, Contains(HasSubstr("not cached: disk full")));
}

TEST_F(SessionTest, RefutedFinalistsAreCountedAndPassedOver) {
  checker_.first_refuted = 2;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->counts.refuted, 2);
  EXPECT_TRUE(result->proved);
  EXPECT_THAT(result->finalists[0], HasSubstr("refuted: wrong at (3, 4)"));
  EXPECT_THAT(result->finalists[2], HasSubstr("proved"));
}

TEST_F(SessionTest, UnknownLeavesTheNaiveProgram) {
  checker_.others = Verdict::kUnknown;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_GT(result->counts.unknown, 0);
  ASSERT_TRUE(result->bundle && result->proved);
  EXPECT_EQ(result->bundle->trace, "");
  EXPECT_EQ(result->time_ns, result->naive_ns);
  EXPECT_THAT(result->finalists.front(), HasSubstr("unknown: a leftover"));
}

TEST_F(SessionTest, ProofsShareTheBudget) {
  checker_.slow = true;
  options_.max_candidates = -1;
  options_.budget_seconds = 1;
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<SessionResult> result = RunSession();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->proved);
  EXPECT_LT(seconds, 8);
  ASSERT_GT(checker_.limits.size(), 2u);
  // The first has most of the finalists' time, the naive program, the last, its own.
  EXPECT_NEAR(checker_.limits[0], 1, 0.2);
  EXPECT_LE(checker_.limits[1], checker_.limits[0]);
  EXPECT_EQ(checker_.limits.back(), 2);
  EXPECT_THAT(result->finalists, Contains(HasSubstr("the time for proofs is up")));
}

TEST_F(SessionTest, CountedCandidatesAreProvedHoweverLongItTakes) {
  ASSERT_TRUE(RunSession().ok());
  EXPECT_THAT(checker_.limits, Contains(std::numeric_limits<double>::infinity()));
}

TEST_F(SessionTest, AllowUnprovedReturnsTheFastestMarked) {
  checker_.others = Verdict::kUnknown;
  options_.allow_unproved = true;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->bundle);
  EXPECT_FALSE(result->proved);
  EXPECT_LT(result->time_ns, result->naive_ns);
  EXPECT_FALSE(store_.stored);  // only proved kernels are remembered
}

TEST_F(SessionTest, NothingProved) {
  checker_.first_refuted = 1000;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->bundle);
  EXPECT_FALSE(result->proved);
}

TEST_F(SessionTest, ABrokenCheckerIsAnError) {
  checker_.broken = true;
  EXPECT_EQ(RunSession().status().message(), "checker gone");
}

TEST_F(SessionTest, CrashingCandidatesAreCounted) {
  measurer_.crash_on_vectors = true;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_GT(result->counts.failed, 0);
  EXPECT_EQ(result->counts.failed + result->counts.measured, result->counts.compiled);
  EXPECT_THAT(result->log, Contains(HasSubstr("crashed")));
}

TEST_F(SessionTest, AFinalistThatFailsInTheFinalsIsDropped) {
  measurer_.ranks_that_fail = 2;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->counts.failed, 2);
  EXPECT_THAT(result->finalists[1], HasSubstr("crashed at last"));
  EXPECT_TRUE(result->proved);
}

TEST_F(SessionTest, ANaiveProgramThatIsTooSlowToTimeIsOnlyABound) {
  measurer_.naive_is_slow = true;
  options_.budget_seconds = 1;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->naive_ns, 0);
  EXPECT_EQ(result->naive_longer_than_ns, 0.02e9);
  ASSERT_TRUE(result->bundle && result->proved);
  EXPECT_GT(result->time_ns, 0);
  EXPECT_NE(result->bundle->trace, "");
  EXPECT_EQ(result->bundle->measurements.size(), 1u);
  EXPECT_EQ(result->bundle->measurements.front().baseline, "");
  // A finalist that is not below the bound is no win.
  store_.stored.reset();
  options_.budget_seconds = 1e-6;
  result = RunSession();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->bundle && result->proved);
  EXPECT_EQ(result->bundle->trace, "");
  EXPECT_TRUE(result->bundle->measurements.empty());
}

TEST_F(SessionTest, ProgramsThatDoNotCompileAreDropped) {
  compiler_.refuse_vectors = true;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_LT(result->counts.compiled, result->counts.enumerated);
  EXPECT_THAT(result->log, Contains(HasSubstr("no vectors here")));
}

TEST_F(SessionTest, ALostDeviceIsAnError) {
  for (int calls : {0, 1, 7, 20}) {
    measurer_.calls_left = calls;
    store_.stored.reset();
    EXPECT_EQ(RunSession().status().code(), absl::StatusCode::kUnavailable) << calls;
  }
}

TEST_F(SessionTest, WithoutADeviceTheNaiveProgramIsProved) {
  measurer_pointer_ = nullptr;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->proved);
  EXPECT_EQ(result->counts.enumerated, 0);
  EXPECT_EQ(result->time_ns, 0);
  EXPECT_TRUE(result->bundle->measurements.empty());
}

TEST_F(SessionTest, StopReturnsTheBestSoFar) {
  std::atomic<bool> stop = false;
  options_.max_candidates = -1;
  options_.budget_seconds = 1000;
  options_.stop = &stop;
  compiler_.raise_stop = &stop;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->counts.enumerated, 4);
  EXPECT_TRUE(result->proved);
  EXPECT_LT(result->time_ns, result->naive_ns);
}

TEST_F(SessionTest, NoBudgetIsTheNaiveProgram) {
  options_.max_candidates = 0;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->proved);
  EXPECT_EQ(result->bundle->trace, "");
}

TEST_F(SessionTest, NoProgramIsTriedTwice) {
  options_.max_candidates = 40;
  absl::StatusOr<SessionResult> result = RunSession();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(compiler_.calls, result->counts.enumerated + 1);
  std::set<std::string> distinct(result->log.begin(), result->log.end());
  EXPECT_EQ(distinct.size(), result->log.size());
}

TEST_F(SessionTest, RecordedTimingsMakeTheSameLog) {
  std::string path = ::testing::TempDir() + "/timings.jsonl";
  measurer_.noise = true;
  options_.max_candidates = 30;
  auto recording = RecordingMeasurer::Create(&measurer_, path);
  ASSERT_TRUE(recording.ok()) << recording.status();
  measurer_pointer_ = recording->get();
  absl::StatusOr<SessionResult> first = RunSession();
  ASSERT_TRUE(first.ok()) << first.status();
  for (int i = 0; i < 2; ++i) {
    store_.stored.reset();
    auto replaying = ReplayingMeasurer::Create(path);
    ASSERT_TRUE(replaying.ok()) << replaying.status();
    measurer_pointer_ = replaying->get();
    absl::StatusOr<SessionResult> again = RunSession();
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->log, first->log);
    EXPECT_EQ(again->finalists, first->finalists);
    EXPECT_EQ(again->bundle->trace, first->bundle->trace);
  }
  // Another seed asks for other programs.
  store_.stored.reset();
  options_.seed = 9;
  auto replaying = ReplayingMeasurer::Create(path);
  measurer_pointer_ = replaying->get();
  EXPECT_EQ(RunSession().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(SessionTest, DamagedTimingsAreRefused) {
  std::string path = ::testing::TempDir() + "/damaged.jsonl";
  for (const char* text :
       {"{", "[]", "{}", R"({"key":"k","failure":"","outcome":"best","measurement":{}})",
        R"({"key":"k","failure":"","outcome":"same","measurement":{}})"}) {
    std::ofstream(path) << text << "\n";
    EXPECT_EQ(ReplayingMeasurer::Create(path).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_EQ(ReplayingMeasurer::Create(path + ".absent").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(RecordingMeasurer::Create(&measurer_, "/no/such/folder/x").ok());
}

TEST(ProgressTest, Lines) {
  std::vector<std::string> lines;
  Progress progress([&](const std::string& line) { lines.push_back(line); }, -1);
  for (int i = 0; i < 1000; ++i) progress.Candidates(12, 2.1e6, 29.8e6);
  ASSERT_LE(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("12/∞ cand "));
  EXPECT_THAT(lines[0], HasSubstr(" s best 2.1 ms 14.2x naive"));
  EXPECT_EQ(FormatNanoseconds(12), "12 ns");
  EXPECT_EQ(FormatNanoseconds(1.5e9), "1.5 s");
}

}  // namespace
}  // namespace quern::search
