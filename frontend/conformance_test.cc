// The public StableHLO conformance files of the ops and types that quern has.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "frontend/check.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static std::filesystem::path SharedFolder() {
  const char* shared = std::getenv("QUERN_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : QUERN_DEFAULT_SHARED) / "data" /
         "stablehlo";
}

// Runs all files of a folder; a case that quern does not support is counted, not failed.
static CheckReport RunFolder(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(SharedFolder() / name)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  CheckReport total;
  for (const std::filesystem::path& file : files) {
    absl::StatusOr<CheckReport> report = RunChecks(file.string(), TestContext());
    if (!report.ok()) continue;  // checks nothing
    total.passed += report->passed;
    total.failed += report->failed;
    total.unsupported += report->unsupported;
    if (report->failed > 0) {
      for (const std::string& message : report->messages) ADD_FAILURE() << message;
    }
  }
  std::cout << name << ": " << total.passed << " passed, " << total.failed << " failed, "
            << total.unsupported << " unsupported\n";
  return total;
}

TEST(ConformanceTest, TestdataPasses) {
  if (!std::filesystem::exists(SharedFolder())) GTEST_SKIP() << "no " << SharedFolder();
  const CheckReport report = RunFolder("testdata");
  EXPECT_EQ(report.failed, 0);
  EXPECT_GE(report.passed, 120);
}

TEST(ConformanceTest, InterpretPasses) {
  if (!std::filesystem::exists(SharedFolder())) GTEST_SKIP() << "no " << SharedFolder();
  const CheckReport report = RunFolder("interpret");
  EXPECT_EQ(report.failed, 0);
  EXPECT_GE(report.passed, 10);
}

}  // namespace quern::frontend
