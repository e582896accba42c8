#include "search/testing/fixture.h"

#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "search/naive.h"
#include "search/nest.h"
#include "search/testing/execute.h"

namespace quern::search {

ProgramFixture::ProgramFixture() : context_(frontend::MakeContext()) {}

void ProgramFixture::Load(const std::string& stablehlo, const std::string& target) {
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(stablehlo, "test.mlir", *context_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  spec_ = *std::move(spec);
  absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> naive = NaiveProgram(spec_, target);
  ASSERT_TRUE(naive.ok()) << naive.status();
  naive_ = *std::move(naive);
}

mlir::OwningOpRef<mlir::ModuleOp> ProgramFixture::Apply(const std::vector<std::string>& actions) {
  Trace trace;
  for (const std::string& line : actions) {
    absl::StatusOr<Action> action = ParseAction(line);
    EXPECT_TRUE(action.ok()) << action.status();
    if (action.ok()) trace.push_back(*std::move(action));
  }
  Derived derived = Replay(spec_, *naive_, trace);
  EXPECT_EQ(derived.dropped, 0) << PrintText(*derived.module);
  return std::move(derived.module);
}

std::vector<Tensor> ProgramFixture::Inputs(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> inputs;
  for (const TensorType& type : spec_.arguments) {
    Tensor tensor = *Tensor::Create(type);
    for (int64_t i = 0; i < type.num_elements(); ++i) {
      tensor.Set(i, type.element == ElementType::kBool ? static_cast<double>(random() % 2)
                                                       : static_cast<double>(random() % 17) - 8);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

std::vector<Tensor> ProgramFixture::Run(mlir::ModuleOp module, uint64_t seed) {
  absl::StatusOr<std::vector<Tensor>> outputs = Execute(module, Inputs(seed));
  EXPECT_TRUE(outputs.ok()) << outputs.status() << "\n" << PrintText(module);
  return outputs.ok() ? *std::move(outputs) : std::vector<Tensor>();
}

std::string ProgramFixture::RunError(mlir::ModuleOp module) {
  return std::string(Execute(module, Inputs(0)).status().message());
}

bool ProgramFixture::SameAsNaive(mlir::ModuleOp module, uint64_t seed) {
  std::vector<Tensor> expected = Run(*naive_, seed), actual = Run(module, seed);
  if (expected.empty() || expected.size() != actual.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!(expected[i].type() == actual[i].type()) ||
        std::memcmp(expected[i].data(), actual[i].data(), expected[i].type().num_bytes()) != 0) {
      return false;
    }
  }
  return true;
}

void ProgramFixture::ExpectSameAsNaive(mlir::ModuleOp module) {
  for (uint64_t seed : {0, 1}) EXPECT_TRUE(SameAsNaive(module, seed)) << PrintText(module);
}

program::ProgramOp ProgramFixture::ProgramOf(mlir::ModuleOp module) { return FindProgram(module); }

std::string ProgramFixture::LoopsOf(mlir::ModuleOp module, const std::string& kernel) {
  std::string text;
  program::KernelOp found = FindKernel(FindProgram(module), kernel);
  if (!found) return "no such kernel";
  for (program::LoopOp loop : Loops(found)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", loop.getName().str(), " ", loop.getExtent(),
                    " ", program::stringifyMapping(loop.getMapping()).str());
  }
  return text;
}

static std::string WithSizes(std::string text, int64_t m, int64_t n, int64_t k) {
  return absl::StrReplaceAll(
      text, {{"$M", absl::StrCat(m)}, {"$N", absl::StrCat(n)}, {"$K", absl::StrCat(k)}});
}

std::string MatmulSpec(int64_t m, int64_t n, int64_t k) {
  return WithSizes(
      R"(func.func public @main(%a: tensor<$Mx$Kxf32>, %b: tensor<$Kx$Nxf32>) -> tensor<$Mx$Nxf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<$Mx$Kxf32>, tensor<$Kx$Nxf32>) -> tensor<$Mx$Nxf32>
    return %0 : tensor<$Mx$Nxf32>
  })",
      m, n, k);
}

std::string MatmulBiasReluSpec(int64_t m, int64_t n, int64_t k) {
  return WithSizes(
      R"(func.func public @main(%a: tensor<$Mx$Kxf32>, %b: tensor<$Kx$Nxf32>, %c: tensor<$Nxf32>) -> tensor<$Mx$Nxf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<$Mx$Kxf32>, tensor<$Kx$Nxf32>) -> tensor<$Mx$Nxf32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<$Nxf32>) -> tensor<$Mx$Nxf32>
    %2 = stablehlo.add %0, %1 : tensor<$Mx$Nxf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<$Mx$Nxf32>
    %4 = stablehlo.maximum %2, %3 : tensor<$Mx$Nxf32>
    return %4 : tensor<$Mx$Nxf32>
  })",
      m, n, k);
}

std::string RowSumSpec(int64_t m, int64_t n) {
  return WithSizes(R"(func.func public @main(%a: tensor<$Mx$Nxf32>) -> tensor<$Mxf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<$Mx$Nxf32>, tensor<f32>) -> tensor<$Mxf32>
    return %0 : tensor<$Mxf32>
  })",
                   m, n, 0);
}

std::string TransposeAddSpec(int64_t m, int64_t n) {
  return WithSizes(
      R"(func.func public @main(%a: tensor<$Nx$Mxf32>, %b: tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<$Nx$Mxf32>) -> tensor<$Mx$Nxf32>
    %1 = stablehlo.add %0, %b : tensor<$Mx$Nxf32>
    return %1 : tensor<$Mx$Nxf32>
  })",
      m, n, 0);
}

std::string AddReluSpec(int64_t m, int64_t n) {
  return WithSizes(
      R"(func.func public @main(%a: tensor<$Mx$Nxf32>, %b: tensor<$Mx$Nxf32>) -> tensor<$Mx$Nxf32> {
    %0 = stablehlo.add %a, %b : tensor<$Mx$Nxf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<$Mx$Nxf32>
    %2 = stablehlo.maximum %0, %1 : tensor<$Mx$Nxf32>
    return %2 : tensor<$Mx$Nxf32>
  })",
      m, n, 0);
}

}  // namespace quern::search
