// Real models: each is read, cut into specs, and the specs run; or it is refused for a reason
// listed here, which is about the model and not about quern.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bundle/npy.h"
#include "bundle/testing/shared_data.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "frontend/partition.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gtest/gtest.h"

namespace quern::frontend {

static std::filesystem::path Models() { return SharedData() / "models"; }

// The models as text, bytecode and jax.export artifacts, in a fixed order.
static std::vector<std::filesystem::path> Files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Models())) {
    const std::string extension = entry.path().extension();
    if (extension == ".mlir" || extension == ".bc" || extension == ".bin")
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Models for several devices, and those whose shapes are known at run time only.
static bool IsOutside(const absl::Status& status) {
  for (const char* known : {"for several devices", "of several devices", "it joins several devices",
                            "its shape is known at run time only"}) {
    if (absl::StrContains(status.message(), known)) return true;
  }
  return false;
}

// @main, or each public function by itself.
static std::vector<std::string> Entries(const absl::Status& status) {
  std::vector<std::string> names;
  const std::string message(status.message());
  if (!absl::StrContains(message, "several are public")) return names;
  size_t at = message.find("several are public");
  while ((at = message.find('@', at)) != std::string::npos) {
    size_t end = std::min(message.find(", ", at), message.find(": ", at));
    const std::string name = message.substr(at + 1, end - at - 1);
    if (name != "main") names.push_back(name);
    at = end;
  }
  return names;
}

// How the specs of models fared.
struct Count {
  int read = 0, outside = 0, parts = 0, opaque = 0, run = 0;
  std::set<std::string> ran;             // digests
  std::map<std::string, int> too_large;  // by file
};

// What a spec may cost to run here; QUERN_MODEL_FLOPS raises it.
static double MaxFlops() {
  static constexpr double kDefault = 3e7;
  const char* given = std::getenv("QUERN_MODEL_FLOPS");
  return given != nullptr ? std::atof(given) : kDefault;
}

static void RunPart(const Part& part, const std::string& file, std::mt19937& random, Count& count) {
  if (!count.ran.insert(part.sha256).second) {
    ++count.run;
    return;
  }
  if (part.work.flops > MaxFlops() || part.work.bytes > MaxFlops()) {
    ++count.too_large[file];
    return;
  }
  std::vector<Tensor> inputs;
  for (const TensorType& type : part.spec.arguments)
    inputs.push_back(RandomTensor(type, IsFloat(type.element) ? -2 : 0, 2, random));
  absl::StatusOr<std::vector<Tensor>> results =
      Interpret(part.spec, inputs, /*max_iterations=*/1000);
  if (absl::IsResourceExhausted(results.status())) {
    ++count.too_large[file];  // a loop over what random inputs never end
    return;
  }
  ASSERT_TRUE(results.ok()) << file << ": " << part.ops << ": " << results.status();
  ASSERT_EQ(results->size(), part.results.size());
  ++count.run;
}

static void RunModel(const Spec& model, const std::string& file, std::mt19937& random,
                     Count& count) {
  const absl::StatusOr<Partition> partition = PartitionModel(model);
  ASSERT_TRUE(partition.ok()) << file << ": " << partition.status();
  ++count.read;
  for (const Part& part : partition->parts) {
    ++count.parts;
    if (part.opaque.empty()) {
      RunPart(part, file, random, count);
    } else {
      ++count.opaque;
    }
  }
}

TEST(ModelsTest, AreReadCutAndRunInParts) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no " << Models();
  Count count;
  std::mt19937 random(5);
  int files = 0;
  for (const std::filesystem::path& path : Files()) {
    ++files;
    const std::string file = path.lexically_relative(Models()).string();
    std::unique_ptr<mlir::MLIRContext> context = MakeContext();
    absl::StatusOr<Spec> model = ReadModel(path.string(), *context);
    if (model.ok()) {
      RunModel(*model, file, random, count);
      continue;
    }
    const std::vector<std::string> entries = Entries(model.status());
    for (const std::string& entry : entries) {
      absl::StatusOr<Spec> function = ReadModel(path.string(), *context, entry);
      EXPECT_TRUE(function.ok()) << function.status();
      if (function.ok()) RunModel(*function, file + " @" + entry, random, count);
    }
    count.outside += IsOutside(model.status());
    EXPECT_TRUE(!entries.empty() || IsOutside(model.status())) << model.status();
  }
  std::cout << files << " files: " << count.read << " models read and cut into " << count.parts
            << " specs, of which " << count.opaque << " call libraries and " << count.run
            << " ran; " << count.outside << " are for several devices or of dynamic shape\n";
  for (const auto& [file, parts] : count.too_large)
    std::cout << "  " << parts << " specs not run, for their size: " << file << "\n";
  EXPECT_GE(count.read, 300);
}

// The models of JAX's own tests that come with what they compute.
TEST(ModelsTest, GiveWhatJaxGave) {
  const std::filesystem::path folder = Models() / "jax-back-compat";
  if (!std::filesystem::exists(folder / "io")) GTEST_SKIP() << "no " << folder;
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "mlir")) {
    const std::string name = entry.path().filename().string();
    const std::string base = name.substr(0, name.find(".mlir"));
    if (!std::filesystem::exists(folder / "io" / (base + ".out0.npy"))) continue;
    std::unique_ptr<mlir::MLIRContext> context = MakeContext();
    absl::StatusOr<Spec> model = ReadModel(entry.path().string(), *context);
    if (!model.ok()) {
      EXPECT_TRUE(IsOutside(model.status())) << model.status();
      continue;
    }
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < model->arguments.size(); ++i) {
      const auto path = folder / "io" / absl::StrCat(base, ".in", i, ".npy");
      absl::StatusOr<Tensor> input = ReadNpy(path.string(), model->arguments[i]);
      ASSERT_TRUE(input.ok()) << input.status();
      inputs.push_back(*std::move(input));
    }
    absl::StatusOr<std::vector<Tensor>> results = Interpret(*model, inputs);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < results->size(); ++i) {
      const auto path = folder / "io" / absl::StrCat(base, ".out", i, ".npy");
      absl::StatusOr<Tensor> expected = ReadNpy(path.string(), model->results[i]);
      ASSERT_TRUE(expected.ok()) << expected.status();
      EXPECT_TRUE(SameElements(Elements((*results)[i]), Elements(*expected))) << name;
    }
    ++models;
  }
  std::cout << models << " artifacts give JAX's own results\n";
  EXPECT_GE(models, 10);
}

}  // namespace quern::frontend
