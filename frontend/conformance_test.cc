// The public StableHLO conformance files.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>

#include "bundle/testing/shared_data.h"
#include "frontend/check.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static std::filesystem::path SharedFolder() { return SharedData() / "stablehlo"; }

// What kept cases from running: a message without its place and its numbers.
static std::string Reason(const std::string& message) {
  const size_t error = message.find("error: ");
  std::string reason = error == std::string::npos ? message : message.substr(error + 7);
  reason = reason.substr(0, reason.find('\n'));
  reason = std::regex_replace(reason, std::regex("tensor<[0-9x]*"), "tensor<");
  return reason.substr(0, 100);
}

struct Folder {
  CheckReport total;
  std::map<std::string, int> reasons;  // of unsupported cases
};

// Runs all files of a folder; a case that quern does not support is counted, not failed.
static Folder RunFolder(const std::string& name) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SharedFolder() / name)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Folder folder;
  CheckReport& total = folder.total;
  for (const std::filesystem::path& file : files) {
    absl::StatusOr<CheckReport> report = RunChecks(file.string(), TestContext());
    if (!report.ok()) continue;  // checks nothing
    total.passed += report->passed;
    total.failed += report->failed;
    total.unsupported += report->unsupported;
    for (const std::string& message : report->messages) {
      if (message.find("check failed") != std::string::npos) {
        ADD_FAILURE() << message;
      } else {
        ++folder.reasons[Reason(message)];
      }
    }
  }
  std::cout << name << ": " << total.passed << " passed, " << total.failed << " failed, "
            << total.unsupported << " unsupported\n";
  for (const auto& [reason, count] : folder.reasons)
    std::cout << "  " << count << " " << reason << "\n";
  return folder;
}

static bool IsOutside(const std::string& reason) {
  for (const char* known :
       {"it joins several devices", "its shape is known at run time only", "it orders side effects",
        "tokens and futures", "quantized types are not supported", "'i2' is not supported",
        "'ui2' is not supported", "test tools of StableHLO"}) {
    if (reason.find(known) != std::string::npos) return true;
  }
  return false;
}

TEST(ConformanceTest, TestdataPasses) {
  if (!std::filesystem::exists(SharedFolder())) GTEST_SKIP() << "no " << SharedFolder();
  const Folder folder = RunFolder("testdata");
  EXPECT_EQ(folder.total.failed, 0);
  EXPECT_GE(folder.total.passed, 424);
}

TEST(ConformanceTest, InterpretPasses) {
  if (!std::filesystem::exists(SharedFolder())) GTEST_SKIP() << "no " << SharedFolder();
  const Folder folder = RunFolder("interpret");
  EXPECT_EQ(folder.total.failed, 0);
  EXPECT_GE(folder.total.passed, 209);
  // What is left belongs to tier 3: several devices, run-time shapes, tokens, quantized and 2-bit
  // types, and upstream's test tools.
  for (const auto& [reason, count] : folder.reasons) EXPECT_TRUE(IsOutside(reason)) << reason;
}

}  // namespace quern::frontend
