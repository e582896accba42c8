// Real artifacts: bytecode is the same program as its text, or both are refused.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "bundle/testing/shared_data.h"
#include "frontend/context.h"
#include "frontend/source.h"
#include "frontend/spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using testing::HasSubstr;

static std::filesystem::path Models() { return SharedData() / "models"; }

static std::vector<std::filesystem::path> Files(const std::string& folder,
                                                const std::string& suffix) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(Models() / folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(Models() / folder)) {
    if (absl::EndsWith(entry.path().string(), suffix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

static absl::StatusOr<Spec> Read(const std::filesystem::path& path, mlir::MLIRContext& context) {
  return ReadSpec(path.string(), context);
}

// What is wrong, without the file and the place.
static std::string Reason(const absl::Status& status) {
  std::string text(status.message());
  return text.substr(std::min(text.size(), text.find("error: ")));
}

// Reads each file and its text twin: two specs with one digest, or two errors.
static void CompareWithText(const std::string& folder) {
  int equal = 0;
  std::map<std::string, int> refused;
  for (const std::filesystem::path& file : Files(folder, ".mlir.bc")) {
    std::unique_ptr<mlir::MLIRContext> context = MakeContext();
    std::filesystem::path twin = file;
    twin.replace_extension();
    if (!std::filesystem::exists(twin)) continue;
    absl::StatusOr<Spec> bytecode = Read(file, *context), text = Read(twin, *context);
    EXPECT_EQ(bytecode.ok(), text.ok()) << file << "\n"
                                        << bytecode.status() << "\n"
                                        << text.status();
    const std::string refusal(bytecode.status().message());
    if (absl::StrContains(refusal, "unsupported op ") && !absl::StrContains(refusal, "custom_call"))
      EXPECT_THAT(Reason(bytecode.status()), testing::ContainsRegex("op [a-z_.]+: ")) << refusal;
    if (bytecode.ok() && text.ok()) {
      EXPECT_EQ(bytecode->canonical, text->canonical) << file;
      ++equal;
    } else {
      EXPECT_THAT(Reason(bytecode.status()), HasSubstr("error: ")) << bytecode.status();
      ++refused[Reason(bytecode.status())];
    }
  }
  std::cout << folder << ": " << equal << " equal their text\n";
  for (const auto& [reason, count] : refused)
    std::cout << "  " << count << " refused: " << reason << "\n";
}

TEST(BytecodeTest, JaxArtifactsEqualTheirText) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no data";
  CompareWithText("jax-back-compat/mlir");
}

TEST(BytecodeTest, ModelsEqualTheirText) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no data";
  CompareWithText("stablehlo-exports");
}

TEST(BytecodeTest, JaxExportEqualsItsModule) {
  if (!std::filesystem::exists(Models())) GTEST_SKIP() << "no data";
  int equal = 0, devices = 0;
  for (const std::filesystem::path& file : Files("jax-back-compat/exported", ".jax_export.bin")) {
    std::unique_ptr<mlir::MLIRContext> context = MakeContext();
    const std::string module =
        absl::StrReplaceAll(file.string(), {{".jax_export.bin", ".mlir.bc"}});
    absl::StatusOr<Spec> artifact = Read(file, *context), inner = Read(module, *context);
    EXPECT_EQ(artifact.ok(), inner.ok()) << file << artifact.status() << inner.status();
    if (artifact.ok() && inner.ok()) {
      EXPECT_EQ(artifact->sha256, inner->sha256);
      ++equal;
    } else {
      EXPECT_THAT(std::string(artifact.status().message()), HasSubstr("several devices")) << file;
      ++devices;
    }
  }
  std::cout << "jax.export: " << equal << " equal their module, " << devices
            << " are for several devices\n";
  EXPECT_EQ(equal + devices, 16);
}

TEST(BytecodeTest, FutureVersionIsRefused) {
  const std::filesystem::path vhlo = Models().parent_path() / "stablehlo/vhlo";
  if (!std::filesystem::exists(vhlo)) GTEST_SKIP() << "no data";
  std::unique_ptr<mlir::MLIRContext> context = MakeContext();
  EXPECT_THAT(std::string(Read(vhlo / "invalid_vhlo_future.mlir", *context).status().message()),
              HasSubstr("unsupported op vhlo.func_v1"));
  // The same in bytecode: an op of a version that does not exist.
  std::string bytes = *ReadText((vhlo / "vhlo_emit_version_api.1_1_0.mlir.bc").string());
  ASSERT_TRUE(ParseSpec(bytes, "f.bc", *context).ok());
  const size_t at = bytes.find("add_v1");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 5] = '9';
  EXPECT_THAT(
      std::string(ParseSpec(bytes, "f.bc", *context).status().message()),
      HasSubstr("error: unsupported op vhlo.add_v9 of StableHLO 1.1; quern reads versions up "
                "to 1.20, so write the file for one of those"));
}

// The text of a large module: megabytes a second are printed. The bound is loose, as tests run
// without optimisation too.
TEST(BytecodeTest, LargeText) {
  const std::filesystem::path file = Models() / "stablehlo-exports/alphafold.mlir.bc";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no data";
  std::unique_ptr<mlir::MLIRContext> context = MakeContext();
  const auto start = std::chrono::steady_clock::now();
  auto module = ParseModule(*ReadText(file.string()), "f.bc", *context);
  const std::chrono::duration<double> read = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(module.ok()) << module.status();
  std::string text;
  llvm::raw_string_ostream out(text);
  (*module)->print(out);
  const auto begin = std::chrono::steady_clock::now();
  auto again = ParseModule(text, "f.mlir", *context);
  const std::chrono::duration<double> parse = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(again.ok()) << again.status();
  const double rate = static_cast<double>(text.size()) / 1e6 / parse.count();
  std::cout << "bytecode " << read.count() << " s; text " << text.size() << " bytes "
            << parse.count() << " s, " << rate << " MB/s\n";
  EXPECT_GT(rate, 0.5);
}

}  // namespace quern::frontend
