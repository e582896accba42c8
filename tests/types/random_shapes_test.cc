// Every op on random shapes, attributes and inputs, over every element type: the naive program,
// compiled for this machine and run, against the interpreter.
//
// usage: random_shapes_test [--trials=N] [--seed=N]; a trial is a program of each type
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "codegen/compiler.h"
#include "codegen/testing/loaded.h"
#include "frontend/context.h"
#include "frontend/interpreter.h"
#include "gtest/gtest.h"
#include "search/naive.h"
#include "tests/types/shapes/random_ops.h"

namespace quern {

static int trials = 1;
static uint64_t seed = 1;

static double Unit(ElementType element) {
  switch (element) {
    case ElementType::kF64:
    case ElementType::kComplexF64:
      return 0x1p-52;
    case ElementType::kF32:
    case ElementType::kComplexF32:
      return 0x1p-23;
    default:
      return 0;
  }
}

// The first element that differs by more than that; -1: none.
static int64_t FirstDifference(const Tensor& want, const Tensor& got, double units) {
  const TensorType& type = want.type();
  const int64_t count = type.num_elements(), bytes = ByteSize(type.element);
  double size = 1;
  for (int64_t i = 0; i < count; ++i) {
    if (std::isfinite(std::abs(want.ComplexAt(i))))
      size = std::max(size, std::abs(want.ComplexAt(i)));
  }
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(want.data() + i * bytes, got.data() + i * bytes, bytes) == 0) continue;
    const std::complex<double> a = want.ComplexAt(i), b = got.ComplexAt(i);
    const bool nans = IsFloat(type.element) && std::isnan(a.real()) && std::isnan(b.real());
    if (nans || std::abs(a - b) <= units * size * Unit(type.element)) continue;
    return i;
  }
  return -1;
}

static void Check(const RandomOps& ops) {
  const std::string text = ops.Function();
  const auto context = frontend::MakeContext();
  const absl::StatusOr<frontend::Spec> spec = frontend::ParseSpec(text, "shapes.mlir", *context);
  ASSERT_TRUE(spec.ok()) << spec.status() << "\n" << text;
  const absl::StatusOr<std::vector<Tensor>> want = frontend::Interpret(*spec, ops.arguments());
  ASSERT_TRUE(want.ok()) << want.status() << "\n" << text;
  const auto naive = search::NaiveProgram(*spec, "x86_64");
  ASSERT_TRUE(naive.ok()) << naive.status() << "\n" << text;
  absl::StatusOr<Artifact> artifact = codegen::Compile(**naive);
  ASSERT_TRUE(artifact.ok()) << artifact.status() << "\n" << text;
  std::vector<Tensor> inputs;
  for (const Tensor& argument : ops.arguments()) inputs.push_back(argument.Clone());
  const std::vector<Tensor> got =
      codegen::Loaded(*std::move(artifact)).Results(inputs, spec->results);
  for (size_t r = 0; r < want->size(); ++r) {
    const int64_t i = FirstDifference((*want)[r], got[r], ops.checks()[r].units);
    if (i < 0) continue;
    ADD_FAILURE() << "element " << i << " is " << got[r].ComplexAt(i) << " instead of "
                  << (*want)[r].ComplexAt(i) << " in " << ops.checks()[r].op;
  }
}

class RandomShapesTest : public ::testing::TestWithParam<ElementType> {};

TEST_P(RandomShapesTest, OpsAgreeWithTheInterpreter) {
  for (int trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(absl::StrCat("--seed=", seed + trial));
    RandomOps ops(GetParam(), seed + trial);
    for (auto* add :
         {AddElementwise, AddMoves, AddIndexing, AddWindows, AddProducts, AddLinear, AddControl}) {
      add(ops);
    }
    Check(ops);
    if (HasFailure()) return;
  }
}

// A type without a zero, padded with zeros.
TEST(ShapesTest, PaddingOfAConvolutionIsZeroInTheTypeOfItsSum) {
  RandomOps ops(ElementType::kF8E8M0FNU, 1);
  const std::string a = ops.Argument({1, 2, 1}), b = ops.Argument({3, 1, 1});
  ops.Op(absl::StrCat("stablehlo.convolution(", a, ", ", b,
                      ") dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[3, 0]]} "
                      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (",
                      ops.Text({1, 2, 1}), ", ", ops.Text({3, 1, 1}), ") -> ", ops.Text({1, 3, 1})),
         {ops.element(), {1, 3, 1}});
  Check(ops);
}

TEST(ShapesTest, EmptyLinesAreSorted) {
  RandomOps ops(ElementType::kF32, 1);
  ops.Op(absl::StrCat("\"stablehlo.sort\"(", ops.Argument({2, 0}),
                      ") <{dimension = 1 : i64, is_stable = true}> ({\n"
                      "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                      "%l = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> "
                      "tensor<i1>\nstablehlo.return %l : tensor<i1> }) : (",
                      ops.Text({2, 0}), ") -> ", ops.Text({2, 0})),
         {ops.element(), {2, 0}});
  Check(ops);
}

static std::vector<ElementType> Types() {
  std::vector<ElementType> types;
  for (ElementType type : AllElementTypes()) {
    if (HasCodeGeneration(type) || KindOf(type) == ElementKind::kComplex) types.push_back(type);
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(
    Types, RandomShapesTest, ::testing::ValuesIn(Types()), [](const auto& info) {
      std::string name = Name(info.param);
      std::replace_if(name.begin(), name.end(), [](char c) { return c == '<' || c == '>'; }, '_');
      return name;
    });

}  // namespace quern

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--trials=") && absl::SimpleAtoi(argument, &quern::trials)) {
      continue;
    }
    if (absl::ConsumePrefix(&argument, "--seed=") && absl::SimpleAtoi(argument, &quern::seed)) {
      continue;
    }
    std::fprintf(stderr, "usage: random_shapes_test [--trials=N] [--seed=N]\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
