#include "frontend/partition.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "bundle/file.h"
#include "bundle/testing/shared_data.h"
#include "frontend/interpreter.h"
#include "frontend/source.h"
#include "frontend/testing/programs.h"
#include "frontend/testing/run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/stablehlo/constant.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/DenseMap.h"

namespace quern::frontend {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> OpsOf(const Partition& partition) {
  std::vector<std::string> ops;
  for (const Part& part : partition.parts) ops.push_back(part.ops);
  return ops;
}

// Runs the steps one after another.
std::vector<Tensor> RunSteps(const Spec& model, const Partition& partition,
                             const std::vector<Tensor>& inputs) {
  std::map<void*, Tensor> values;
  for (auto [argument, input] : llvm::zip(model.main().getArguments(), inputs)) {
    values.emplace(argument.getAsOpaquePointer(), input.Clone());
  }
  const auto value_of = [&](mlir::Value value) {
    auto found = values.find(value.getAsOpaquePointer());
    if (found != values.end()) return found->second.Clone();
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();  // of many elements
    EXPECT_TRUE(constant) << "a step takes what no earlier one gives";
    return stablehlo::ToTensor(constant.getValue()).value();
  };
  for (const Step& step : partition.steps) {
    std::vector<Tensor> arguments;
    for (mlir::Value argument : step.arguments) arguments.push_back(value_of(argument));
    const Spec spec = MustParse(partition.parts[step.part].text);
    EXPECT_EQ(spec.sha256, partition.parts[step.part].sha256);
    std::vector<Tensor> results = Interpret(spec, arguments).value();
    for (auto [result, tensor] : llvm::zip(step.results, results)) {
      values.insert_or_assign(result.getAsOpaquePointer(), std::move(tensor));
    }
  }
  std::vector<Tensor> results;
  for (mlir::Value value : model.main().getBody().front().getTerminator()->getOperands()) {
    results.push_back(value_of(value));
  }
  return results;
}

void ExpectSame(const Spec& model, const Partition& partition, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> inputs;
  for (const TensorType& type : model.arguments) {
    inputs.push_back(RandomTensor(type, -3, 3, random));
  }
  const absl::StatusOr<std::vector<Tensor>> whole = Interpret(model, inputs);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const std::vector<Tensor> parts = RunSteps(model, partition, inputs);
  ASSERT_EQ(whole->size(), parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_TRUE(SameElements(Elements((*whole)[i]), Elements(parts[i]))) << "result " << i;
  }
}

constexpr const char* kLayers = R"(
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %bs = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %s = stablehlo.add %d, %bs : tensor<4x8xf32>
  %r = stablehlo.maximum %s, %zero : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func public @main(%x: tensor<4x8xf32>, %w0: tensor<8x8xf32>, %b0: tensor<8xf32>, %w1: tensor<8x8xf32>, %b1: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = func.call @layer(%x, %w0, %b0) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = func.call @layer(%0, %w1, %b1) : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
})";

TEST(PartitionTest, EqualLayersAreOneSpec) {
  const Spec model = MustParse(kLayers);
  const absl::StatusOr<Partition> partition = PartitionModel(model);
  ASSERT_TRUE(partition.ok()) << partition.status();
  ASSERT_EQ(partition->parts.size(), 1u);
  EXPECT_EQ(partition->parts[0].count, 2);
  EXPECT_EQ(partition->parts[0].ops, "dot_general, broadcast_in_dim, add, maximum");
  EXPECT_EQ(partition->steps.size(), 2u);
  EXPECT_EQ(partition->parts[0].work.flops, 2 * 4 * 8 * 8 + 2 * 4 * 8);
  ExpectSame(model, *partition, 1);
}

TEST(PartitionTest, AttentionStaysTogetherAndProloguesJoin) {
  const Spec model = MustParse(R"(
func.func public @main(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<4x8xf32>
  %qs = stablehlo.multiply %q, %half : tensor<4x8xf32>
  %d = stablehlo.dot_general %qs, %k, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %e = stablehlo.exponential %d : tensor<4x6xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %p = stablehlo.divide %e, %ss : tensor<4x6xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %y = stablehlo.dot_general %o, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
})");
  const absl::StatusOr<Partition> partition = PartitionModel(model);
  ASSERT_TRUE(partition.ok()) << partition.status();
  EXPECT_THAT(OpsOf(*partition),
              ElementsAre("multiply, 2 dot_general, exponential, reduce, broadcast_in_dim, divide",
                          "dot_general"));
  ExpectSame(model, *partition, 2);
}

TEST(PartitionTest, LoopsStandAloneAndTheirBodiesAreParts) {
  const Spec model = MustParse(R"(
func.func public @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %twice = stablehlo.add %x, %x : tensor<4xf32>
  %r:2 = stablehlo.while(%i = %zero, %y = %twice) : tensor<i32>, tensor<4xf32>
   cond {
    %more = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.multiply %y, %x : tensor<4xf32>
    stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
  }
  return %r#1, %c : tensor<4xf32>, tensor<2xf32>
})");
  const absl::StatusOr<Partition> partition = PartitionModel(model);
  ASSERT_TRUE(partition.ok()) << partition.status();
  EXPECT_THAT(OpsOf(*partition),
              ElementsAre("add", "while", "compare", "add", "multiply", "constant"));
  EXPECT_EQ(partition->steps.size(), 3u);
  EXPECT_EQ(partition->parts[3].in_bodies, 1);
  ExpectSame(model, *partition, 3);
}

TEST(PartitionTest, CallsOfLibrariesAreOpaqueAndElidedConstantsArguments) {
  const absl::StatusOr<Spec> model = ParseModel(R"(
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %w : tensor<4xf32>
  %1 = stablehlo.custom_call @solve(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %1, %w : tensor<4xf32>
  return %2 : tensor<4xf32>
})",
                                                "model", TestContext());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->arguments.size(), 2u);
  EXPECT_EQ(model->uses, (std::vector<ArgumentUse>{{}, {.constant = true}}));
  const absl::StatusOr<Partition> partition = PartitionModel(*model);
  ASSERT_TRUE(partition.ok()) << partition.status();
  EXPECT_THAT(OpsOf(*partition), ElementsAre("multiply", "custom_call", "add"));
  EXPECT_EQ(partition->parts[0].opaque, "");
  EXPECT_EQ(partition->parts[0].spec.uses, model->uses);
  EXPECT_EQ(partition->parts[1].opaque, "calls @solve, a function of a library");
  EXPECT_EQ(partition->parts[1].results.size(), 1u);
}

std::vector<std::filesystem::path> Modules(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int64_t Elements(const Spec& spec) {
  int64_t elements = 0;
  spec.module.get()->walk([&](mlir::Operation* op) {
    for (mlir::Value result : op->getResults()) {
      if (auto type = llvm::dyn_cast<mlir::ShapedType>(result.getType())) {
        elements += type.getNumElements();
      }
    }
  });
  return elements;
}

// Every model that is read is cut, every part is a spec, and small ones compute the same in parts.
TEST(PartitionTest, ModelsInPartsAreTheModels) {
  static constexpr int64_t kSmall = 3'000'000;
  if (!std::filesystem::exists(SharedData() / "models")) GTEST_SKIP() << "no " << SharedData();
  int read = 0, parts = 0, compared = 0;
  for (const std::filesystem::path& file : Modules(SharedData() / "models")) {
    const absl::StatusOr<Spec> model = ReadModel(file.string(), TestContext());
    if (!model.ok()) continue;
    ++read;
    const absl::StatusOr<Partition> partition = PartitionModel(*model);
    ASSERT_TRUE(partition.ok()) << file << ": " << partition.status();
    parts += static_cast<int>(partition->parts.size());
    bool calls = false;
    for (const Part& part : partition->parts) {
      calls |= !part.opaque.empty();
      if (!part.opaque.empty()) continue;
      EXPECT_EQ(MustParse(part.text).sha256, part.sha256) << file;
    }
    if (calls || Elements(*model) > kSmall) continue;
    SCOPED_TRACE(file);
    ExpectSame(*model, *partition, 7);
    ++compared;
  }
  std::cout << read << " models in " << parts << " specs, " << compared << " compared in parts\n";
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace quern::frontend
