#include "frontend/holds.h"

#include "frontend/interpreter.h"
#include "frontend/testing/programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quern::frontend {

using ::testing::HasSubstr;
using ::testing::Not;

static constexpr char kProgram[] =
    R"(func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<f32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %s = stablehlo.add %a, %b : tensor<2xf32>
  %e = stablehlo.negate %s : tensor<2xf32>
  %r = stablehlo.reduce(%e init: %two) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %inner = stablehlo.constant dense<2.0> : tensor<f32>
    %m = stablehlo.multiply %y, %inner : tensor<f32>
    %t = stablehlo.add %x, %m : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }
  return %r : tensor<f32>
})";

static std::vector<double> Evaluate(const Spec& spec) {
  std::vector<Tensor> inputs;
  inputs.push_back(MakeTensor("f32[2]", {1, 2}));
  inputs.push_back(MakeTensor("f32[2]", {3, 5}));
  absl::StatusOr<std::vector<Tensor>> results = Interpret(spec, inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? Elements(results->front()) : std::vector<double>();
}

TEST(SliceModuleTest, ComputesTheValueFromAllArguments) {
  Spec spec = MustParse(kProgram);
  const std::vector<std::vector<double>> expected = {{2}, {4, 7}, {-4, -7}, {2 - 8 - 14}};
  size_t number = 0;
  for (mlir::Operation& op : spec.main().getBody().front().without_terminator()) {
    ASSERT_LT(number, expected.size());
    Spec slice = MustParse(SliceModule(spec, op.getResult(0)));
    EXPECT_EQ(slice.arguments, spec.arguments);
    EXPECT_EQ(Evaluate(slice), expected[number++]) << slice.canonical;
  }
  EXPECT_EQ(number, expected.size());
}

TEST(SliceModuleTest, HoldsNoDeadCode) {
  Spec spec = MustParse(kProgram);
  auto returned = spec.main().getBody().front().getTerminator()->getOperand(0);
  mlir::Value negated = returned.getDefiningOp()->getOperand(0);
  EXPECT_THAT(SliceModule(spec, negated.getDefiningOp()->getOperand(0)),
              Not(HasSubstr("stablehlo.negate")));
  EXPECT_EQ(MustParse(SliceModule(spec, returned)).sha256, spec.sha256);
}

TEST(SliceModuleTest, AnArgumentIsAValueToo) {
  Spec spec = MustParse(kProgram);
  Spec slice = MustParse(SliceModule(spec, spec.main().getArgument(1)));
  EXPECT_EQ(Evaluate(slice), (std::vector<double>{3, 5}));
}

}  // namespace quern::frontend
