#include "search/naive.h"

#include <cmath>

#include "search/nest.h"
#include "search/testing/execute.h"
#include "search/testing/fixture.h"

namespace quern::search {
namespace {

using NaiveTest = ProgramFixture;

TEST_F(NaiveTest, MatmulIsThreeLoops) {
  Load(MatmulSpec(2, 3, 4));
  EXPECT_EQ(LoopsOf(*naive_, "k0"), "i0 2 serial, i1 3 serial, r0 4 serial");
}

TEST_F(NaiveTest, TemporariesSayWhatTheyHold) {
  Load(MatmulBiasReluSpec(2, 3, 4));
  program::BufferOp t0 = FindBuffer(ProgramOf(*naive_), "t0");
  ASSERT_TRUE(t0 && t0.getHolds());
  absl::StatusOr<frontend::Spec> holds =
      frontend::ParseSpec(t0.getHolds()->str(), "holds", *context_);
  ASSERT_TRUE(holds.ok()) << holds.status();
  EXPECT_EQ(holds->arguments, spec_.arguments);
  EXPECT_EQ(Kernels(ProgramOf(*naive_)).size(), 3u);
}

// Values computed by hand.
TEST_F(NaiveTest, ComputesWhatTheOpsMean) {
  Load(
      R"(func.func public @main(%p: tensor<i1>) -> (tensor<2x3xf32>, tensor<3x2xi32>, tensor<2x3xi1>, tensor<2xi32>) {
    %c = stablehlo.constant dense<[[1, -2, 3], [4, -5, 6]]> : tensor<2x3xi32>
    %f = stablehlo.convert %c : (tensor<2x3xi32>) -> tensor<2x3xf32>
    %a = stablehlo.abs %f : tensor<2x3xf32>
    %s = stablehlo.select %p, %a, %f : tensor<i1>, tensor<2x3xf32>
    %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
    %i = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %g = stablehlo.compare GT, %c, %i : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %z = stablehlo.constant dense<7> : tensor<i32>
    %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    return %s, %t, %g, %r : tensor<2x3xf32>, tensor<3x2xi32>, tensor<2x3xi1>, tensor<2xi32>
  })");
  std::vector<Tensor> out = Run(*naive_);
  ASSERT_EQ(out.size(), 4u);
  bool absolute = Run(*naive_)[0].At(1) == 2;
  std::vector<double> f = {1, absolute ? 2. : -2., 3, 4, absolute ? 5. : -5., 6};
  std::vector<double> t = {1, 4, -2, -5, 3, 6}, g = {1, 0, 1, 1, 0, 1}, r = {9, 12};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(out[0].At(i), f[i]);
    EXPECT_EQ(out[1].At(i), t[i]);
    EXPECT_EQ(out[2].At(i), g[i]);
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(out[3].At(i), r[i]);
}

// It parses and is interpreted; a search over it ends before it begins.
TEST_F(NaiveTest, ComplexOpsWithoutRealFormAreNamed) {
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(
      "func.func @main(%a: tensor<1000003xcomplex<f32>>) -> tensor<1000003xcomplex<f32>> {\n"
      "  %0 = stablehlo.fft %a, type = FFT, length = [1000003] : (tensor<1000003xcomplex<f32>>) -> "
      "tensor<1000003xcomplex<f32>>\n"
      "  return %0 : tensor<1000003xcomplex<f32>>\n}",
      "t.mlir", *context_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(NaiveProgram(*spec, "x86_64").status().message(),
            "t.mlir:2:8: error: stablehlo.fft: element type complex<f32> is not supported by "
            "code generation");
}

TEST_F(NaiveTest, BatchedBf16DotSumsInF32) {
  Load(
      R"(func.func public @main(%a: tensor<2x3x4xbf16>, %b: tensor<2x4x5xbf16>) -> tensor<2x3x5xf32> {
    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  })");
  EXPECT_EQ(LoopsOf(*naive_, "k0"), "i0 2 serial, i1 3 serial, i2 5 serial, r0 4 serial");
  program::AllocOp acc = FindAlloc(FindKernel(ProgramOf(*naive_), "k0"), "acc");
  EXPECT_TRUE(acc.getBuffer().getType().getElement().isF32());
  EXPECT_EQ(Run(*naive_).size(), 1u);
}

TEST_F(NaiveTest, ReshapesAreAffine) {
  Load(R"(func.func public @main(%a: tensor<4x6xf32>) -> tensor<2x2x1x3x2xf32> {
    %0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<2x2x1x3x2xf32>
    return %0 : tensor<2x2x1x3x2xf32>
  })");
  std::vector<Tensor> split = Run(*naive_, 5);
  Load(R"(func.func public @main(%a: tensor<4x6xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  })");
  std::vector<Tensor> mixed = Run(*naive_, 5);
  Load(R"(func.func public @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
    return %a : tensor<4x6xf32>
  })");
  std::vector<Tensor> same = Run(*naive_, 5);
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(split[0].At(i), same[0].At(i));
    EXPECT_EQ(mixed[0].At(i), same[0].At(i));
  }
}

TEST_F(NaiveTest, AReturnedValueThatIsUsedHasATemporary) {
  Load(
      R"(func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    %1 = stablehlo.multiply %0, %a : tensor<4xf32>
    return %0, %1, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  })");
  std::vector<Tensor> out = Run(*naive_);
  ASSERT_EQ(out.size(), 3u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[0].At(i), out[2].At(i));
}

TEST_F(NaiveTest, ZeroSizedTensors) {
  Load(RowSumSpec(3, 0));
  std::vector<Tensor> out = Run(*naive_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out[0].At(i), 0);
  Load(AddReluSpec(0, 4));
  EXPECT_EQ(Run(*naive_)[0].type().num_elements(), 0);
  Load(AddReluSpec(0, 4), "sm_90a");
  EXPECT_EQ(Run(*naive_)[0].type().num_elements(), 0);
}

TEST_F(NaiveTest, GpuThreadsComputeTheSame) {
  for (const std::string& text : {MatmulBiasReluSpec(6, 9, 5), AddReluSpec(16, 32),
                                  RowSumSpec(3, 4), TransposeAddSpec(20, 30)}) {
    Load(text);
    std::vector<Tensor> expected = Run(*naive_);
    Load(text, "sm_90a");
    std::vector<Tensor> actual = Run(*naive_);
    for (int64_t i = 0; i < expected[0].type().num_elements(); ++i) {
      ASSERT_EQ(actual[0].At(i), expected[0].At(i));
    }
  }
  EXPECT_EQ(LoopsOf(*naive_, "k0"), "b 3 grid_x, t 256 lane");
}

TEST_F(NaiveTest, ALargeConstantIsABuffer) {
  std::string values;
  for (int i = 0; i < 100; ++i) values += (i ? ", " : "") + std::to_string(i * i);
  Load(
      "func.func public @main(%a: tensor<100xi32>) -> tensor<100xi32> {\n  %c = stablehlo.constant "
      "dense<[" +
      values +
      "]> : tensor<100xi32>\n  %0 = stablehlo.add %a, %c : tensor<100xi32>\n  "
      "return %0 : tensor<100xi32>\n}");
  std::vector<Tensor> inputs;
  inputs.push_back(*Tensor::Create({ElementType::kI32, {100}}));
  for (int i = 0; i < 100; ++i) inputs[0].Set(i, 7 * i);
  absl::StatusOr<std::vector<Tensor>> outputs = Execute(*naive_, inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  for (int i = 0; i < 100; ++i) EXPECT_EQ((*outputs)[0].At(i), 7 * i + i * i);
}

TEST_F(NaiveTest, AHugeConstantIsAnError) {
  std::string zeros(2 << 18, '0');  // as hexadecimal bytes, of which one differs
  zeros += "01";
  const std::string type = "tensor<" + std::to_string((1 << 18) + 1) + "xi8>";
  absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(
      "func.func public @main(%a: " + type + ") -> " + type +
          " {\n  %c = stablehlo.constant dense<\"0x" + zeros + "\"> : " + type +
          "\n  %0 = stablehlo.add %a, %c : " + type + "\n  return %0 : " + type + "\n}",
      "big.mlir", *context_);
  ASSERT_TRUE(spec.ok()) << spec.status();
  absl::Status status = NaiveProgram(*spec, "x86_64").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("constant of 262145 elements"), absl::string_view::npos)
      << status;
}

TEST_F(NaiveTest, IsAFunctionOfTheSpec) {
  Load(MatmulBiasReluSpec(6, 9, 5));
  std::string first = PrintText(*naive_);
  Load(MatmulBiasReluSpec(6, 9, 5));
  EXPECT_EQ(PrintText(*naive_), first);
}

}  // namespace
}  // namespace quern::search
