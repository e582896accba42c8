// The texts of real models: each is read to a spec, or refused for a reason listed here.
#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "bundle/testing/shared_data.h"
#include "frontend/spec.h"
#include "frontend/testing/programs.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static std::filesystem::path ModelsFolder() { return SharedData() / "models"; }

// What stands after "error: ", cut off where it is long.
static std::string Reason(const absl::Status& status) {
  std::string message(status.message());
  const size_t at = message.find("error: ");
  if (at != std::string::npos) message = message.substr(at + 7);
  return message.substr(0, 100);
}

TEST(ModelsTest, TextsOfModelsAreRead) {
  if (!std::filesystem::exists(ModelsFolder())) GTEST_SKIP() << "no " << ModelsFolder();
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ModelsFolder())) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::map<std::string, int> reasons, read, all;
  std::map<std::string, std::vector<std::string>> refused;
  for (const std::filesystem::path& file : files) {
    const std::string folder = file.lexically_relative(ModelsFolder()).begin()->string();
    ++all[folder];
    absl::StatusOr<Spec> spec = ReadSpec(file.string(), TestContext());
    if (spec.ok()) {
      ++read[folder];
    } else {
      ++reasons[Reason(spec.status())];
      refused[folder].push_back(Reason(spec.status()));
      if (folder != "jax-back-compat")
        std::cout << file.filename() << ": " << spec.status() << "\n";
    }
  }
  for (const auto& [folder, count] : all)
    std::cout << folder << ": " << read[folder] << " of " << count << " read\n";
  for (const auto& [reason, count] : reasons) std::cout << count << " x " << reason << "\n";
  EXPECT_EQ(read["lean4-mlir"], all["lean4-mlir"]);
  // Others are refused for weights that were left out, or for attributes of another project.
  for (const char* folder : {"TensorRT-Incubator", "stablehlo-exports", "stablehlo-gpu"}) {
    for (const std::string& reason : refused[folder]) {
      EXPECT_TRUE(reason.starts_with("the constant's data is elided or external") ||
                  reason.starts_with("#\"plan\""))
          << folder << ": " << reason;
    }
  }
}

}  // namespace quern::frontend
