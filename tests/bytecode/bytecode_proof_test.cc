// Kernels of programs that come as bytecode: the checker reads the user's own bytes, and bytes that
// say something else are not proved.
#include <filesystem>
#include <string>

#include "bundle/digest.h"
#include "bundle/file.h"
#include "bundle/testing/shared_data.h"
#include "codegen/compiler.h"
#include "frontend/context.h"
#include "frontend/spec.h"
#include "gtest/gtest.h"
#include "search/naive.h"
#include "verifier/checker.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"

namespace quern {
namespace {

constexpr char kFile[] = "models/jax-back-compat/mlir/annotate_data_placement.0.mlir.bc";

// A file's bytes, and the naive kernel of it.
class BytecodeProofTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path path = SharedData() / kFile;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
    bytes_ = ReadFile(path.string()).value();
    context_ = frontend::MakeContext();
    absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(bytes_, "model", *context_);
    ASSERT_TRUE(spec.ok()) << spec.status();
    spec_ = *std::move(spec);
    auto program = search::NaiveProgram(spec_, "x86_64");
    ASSERT_TRUE(program.ok()) << program.status();
    absl::StatusOr<Artifact> artifact = codegen::Compile(program->get());
    ASSERT_TRUE(artifact.ok()) << artifact.status();
    artifact_ = *std::move(artifact);
  }

  absl::StatusOr<Certificate> Check(const std::string& module) const {
    return verifier::Check({.module = module,
                            .llvm_ir = artifact_.llvm_ir,
                            .plan = artifact_.plan,
                            .binary_sha256 = Sha256(artifact_.binary)},
                           {});
  }

  std::string bytes_;
  std::unique_ptr<mlir::MLIRContext> context_;
  frontend::Spec spec_;
  Artifact artifact_;
};

TEST_F(BytecodeProofTest, TheCertificateBindsTheBytes) {
  const absl::StatusOr<Certificate> certificate = Check(bytes_);
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  EXPECT_EQ(certificate->verdict, Verdict::kProved) << certificate->reason;
  EXPECT_EQ(certificate->digests.at("module"), Sha256(bytes_));
  // The same program as text is proved as well, under another digest.
  const absl::StatusOr<Certificate> text = Check(spec_.canonical);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->verdict, Verdict::kProved);
  EXPECT_NE(text->digests, certificate->digests);
}

// What jax.export writes: a FlatBuffer whose table has the module in slot 13.
static std::string JaxExportOf(const std::string& module) {
  const auto number = [](uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  };
  std::string file = number(40, 4) + number(32, 2) + number(8, 2);
  for (int slot = 0; slot < 14; ++slot) file += number(slot == 13 ? 4 : 0, 2);
  file.resize(40);
  return file + number(36, 4) + number(4, 4) + number(module.size(), 4) + module;
}

TEST_F(BytecodeProofTest, ArtifactsOfJaxExportAreBoundWhole) {
  const std::string artifact = JaxExportOf(bytes_);
  const absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(artifact, "model", *context_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->canonical, spec_.canonical);
  const absl::StatusOr<Certificate> certificate = Check(artifact);
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  EXPECT_EQ(certificate->verdict, Verdict::kProved) << certificate->reason;
  EXPECT_EQ(certificate->digests.at("module"), Sha256(artifact));
}

// Whatever byte is changed: if the kernel is still proved, the front end, too, reads the program
// that it read before.
TEST_F(BytecodeProofTest, ChangedBytesAreProvedOnlyIfTheyMeanTheSame) {
  int read = 0, proved = 0, changed = 0;
  for (size_t at = 0; at < bytes_.size(); ++at) {
    for (const int change : {1, 2, 0x10, 0x80}) {
      std::string module = bytes_;
      module[at] = static_cast<char>(module[at] ^ change);
      const absl::StatusOr<verifier::SpecGraph> graph = verifier::ReadSpec(module);
      if (!graph.ok()) continue;
      ++read;
      const absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(module, "model", *context_);
      const bool same = spec.ok() && spec->canonical == spec_.canonical;
      const absl::StatusOr<Certificate> certificate = Check(module);
      const bool is_proved = certificate.ok() && certificate->verdict == Verdict::kProved;
      proved += is_proved;
      if (spec.ok() && !same) {
        ++changed;
        EXPECT_FALSE(is_proved) << "byte " << at << " changed by " << change << "\n"
                                << spec->canonical;
      }
    }
  }
  std::cout << read << " changed files are read, " << changed << " of them as another program; "
            << proved << " are proved\n";
  EXPECT_GT(changed, 0);  // such as x + x
}

TEST(BytecodeReaderTest, DamagedBytecodeIsAnError) {
  for (const std::string& module :
       {std::string("ML\xefR"), std::string("ML\xefR\x0d"), std::string("ML\xefR") + "text"}) {
    EXPECT_EQ(verifier::ReadSpec(module).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

// What the parser takes of other projects, the checker refuses where it is read.
TEST(ForeignDialectsTest, AreRefusedWhereTheyMeanSomething) {
  const auto read = [](const std::string& body) {
    return verifier::ReadSpec(
        "func.func @main(%a: tensor<f32> {x.y = #x.z<1>}) -> tensor<f32> {\n" + body + "\n}");
  };
  EXPECT_TRUE(read("return %a : tensor<f32>").ok());
  EXPECT_TRUE(read("%0 = \"sdy.sharding_constraint\"(%a) {sharding = []} : (tensor<f32>) -> "
                   "tensor<f32>\nreturn %0 : tensor<f32>")
                  .ok());
  for (const char* body :
       {"%0 = \"x.op\"(%a) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>",
        "%0 = \"sdy.reshape\"(%a) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>",
        "%0 = stablehlo.constant dense<\"a\"> : tensor<2x!x.text>\nreturn %a : tensor<f32>",
        "\"x.end\"(%a) : (tensor<f32>) -> ()"}) {
    EXPECT_EQ(read(body).status().code(), absl::StatusCode::kInvalidArgument) << body;
  }
}

}  // namespace
}  // namespace quern
