// Kernels that crash, hang, eat memory or lie: to `quern run`, and as candidates of a search.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bundle/bundle.h"
#include "bundle/digest.h"
#include "bundle/file.h"
#include "cli/adapters.h"
#include "codegen/compiler.h"
#include "frontend/context.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "search/session.h"
#include "workers/testing/candidates.h"

namespace quern {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kElements = 1000;
constexpr const char* kSpec = R"(
func.func public @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = stablehlo.add %x, %x : tensor<1000xf32>
  return %0 : tensor<1000xf32>
})";

struct Hostile {
  std::string body;
  std::string failure;  // what it is called
};

const std::vector<Hostile>& HostileKernels() {
  static const std::vector<Hostile> kernels = {
      {"*(volatile int*)8 = 1;", "crashed"},
      {"for (;;) asm volatile(\"\");", "timed out"},
      {"for (;;) { volatile char* p = malloc(1 << 20); for (int i = 0; i < 1 << 20; i += 4096) "
       "p[i] "
       "= 1; }",
       "out of memory"},
      {"for (int64_t i = 0; i <= n; ++i) y[i] = 2;", "out of bounds"},
      {"fork();", "forbidden system call"},
      {"return QUERN_BAD_TENSOR;", "bad call"},
  };
  return kernels;
}

class HostileKernelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!workers::HaveCompiler()) GTEST_SKIP() << "no C compiler";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Artifact Compile(const std::string& body) {
    return workers::CompileCandidate(workers::Unary(kElements), body);
  }

  // A bundle that nothing is wrong with but its kernel.
  std::string WriteBundleOf(const Artifact& artifact) {
    const std::string path = folder_ + "/bundle";
    Bundle bundle{.module = kSpec,
                  .canonical = kSpec,
                  .spec_sha256 = Sha256(kSpec),
                  .artifact = artifact,
                  .certificate = {.verdict = Verdict::kUnknown, .reason = "by hand"}};
    const absl::Status status = WriteBundle(bundle, path);
    EXPECT_TRUE(status.ok()) << status;
    return path;
  }

  struct Finished {
    int exit_code = -1;
    std::string output;
    std::string errors;
  };
  // Runs quern, which is in the build's bin/.
  Finished Quern(const std::string& arguments) const {
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string binary = self.parent_path().parent_path() / "bin" / "quern";
    const std::string out = folder_ + "/out", errors = folder_ + "/errors";
    const int status = std::system(  // NOLINT(bugprone-command-processor): names of our own
        (binary + " " + arguments + " >" + out + " 2>" + errors).c_str());
    return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .output = ReadFile(out).value(),
            .errors = ReadFile(errors).value()};
  }

  const std::string folder_ = testing::TempDir() + "quern_hostile_" + std::to_string(getpid());
};

TEST_F(HostileKernelTest, RunSaysWhatHappened) {
  for (const Hostile& kernel : HostileKernels()) {
    SCOPED_TRACE(kernel.failure);
    const std::string bundle = WriteBundleOf(Compile(kernel.body));
    const Finished finished = Quern("run " + bundle + " --seconds 2");
    EXPECT_EQ(finished.exit_code, 4);
    EXPECT_EQ(finished.output, "");
    EXPECT_THAT(finished.errors, StartsWith("quern: the kernel failed: " + kernel.failure + ": "));
    EXPECT_EQ(std::count(finished.errors.begin(), finished.errors.end(), '\n'), 1)
        << finished.errors;
  }
}

TEST_F(HostileKernelTest, RunOfAGoodKernel) {
  const std::string bundle =
      WriteBundleOf(Compile("for (int64_t i = 0; i < n; ++i) y[i] = x[i] - x[i] + 3;"));
  const Finished finished = Quern("run " + bundle + " --seconds 2");
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.output, StartsWith("result 0: f32[1000] 3 3 3"));
}

// Its first artifact, the naive program's, is honest; the others do something else.
class HostileCompiler : public search::Compiler {
 public:
  explicit HostileCompiler(std::vector<Artifact> hostile) : hostile_(std::move(hostile)) {}
  absl::StatusOr<Artifact> Compile(mlir::ModuleOp program) override {
    absl::StatusOr<Artifact> artifact = codegen::Compile(program);
    if (artifact.ok() && calls_ > 0) {
      artifact->binary = hostile_[(calls_ - 1) % hostile_.size()].binary;
    }
    ++calls_;
    return artifact;
  }

 private:
  std::vector<Artifact> hostile_;
  size_t calls_ = 0;
};

TEST_F(HostileKernelTest, ASearchDropsThemAndReturnsTheNaiveProgram) {
  std::vector<Hostile> kernels = HostileKernels();
  kernels.push_back({"for (int64_t i = 0; i < n; ++i) y[i] = 3 * x[i];", "wrong output"});
  std::unique_ptr<mlir::MLIRContext> context = frontend::MakeContext();
  const frontend::Spec spec = frontend::ParseSpec(kSpec, "spec.mlir", *context).value();
  for (const Hostile& kernel : kernels) {
    SCOPED_TRACE(kernel.failure);
    HostileCompiler compiler({Compile(kernel.body)});
    cli::CpuMeasurer measurer(spec, {.max_blocks = 10, .max_seconds = 2});
    cli::LibraryChecker checker(spec.source, {});
    const absl::StatusOr<search::SessionResult> result =
        search::Run(spec, {.compiler = &compiler, .measurer = &measurer, .checker = &checker},
                    {.max_candidates = 1});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->proved);
    EXPECT_EQ(result->counts.enumerated, 1);
    EXPECT_EQ(result->counts.measured, 0);
    ASSERT_TRUE(result->bundle);
    EXPECT_EQ(result->bundle->trace, "");
    ASSERT_EQ(result->log.size(), 1);
    EXPECT_THAT(result->log[0], HasSubstr(kernel.failure));
  }
}

}  // namespace
}  // namespace quern
