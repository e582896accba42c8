#include "verifier/real/point_bounds.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "verifier/real/bounds.h"
#include "verifier/spec/evaluate.h"
#include "verifier/spec/reader.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {
namespace {

constexpr Type kF32 = {Type::kFloat, 32, 1};

// The bound of a spec's first result on given inputs, by its term at index (i, ...).
class PointBoundsTest : public testing::Test {
 protected:
  void Read(const std::string& module) {
    graph_ = std::make_unique<SpecGraph>(ReadSpec(module).value());
    std::vector<ElementType> elements;
    for (const TensorType& type : graph_->arguments) elements.push_back(type.element);
    terms_ = std::make_unique<TermTable>(&affine_, elements);
    row_ = affine_.AddSymbol("row", {0, graph_->results[0].shape[0] - 1});
    SymbolicAlgebra algebra(*graph_, terms_.get());
    Denotation<SymbolicAlgebra> denotation(*graph_, algebra);
    term_ = ResultAt(denotation, *terms_, *graph_, 0, {affine_.Symbol(row_)}).value();
  }
  void Draw(double low, double high) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(low, high);
    for (const TensorType& type : graph_->arguments) {
      inputs_.push_back(Tensor::Create(type).value());
      for (int64_t i = 0; i < type.num_elements(); ++i) inputs_.back().Set(i, number(random));
    }
  }
  std::vector<const Tensor*> Borrowed() const {
    std::vector<const Tensor*> inputs;
    for (const Tensor& input : inputs_) inputs.push_back(&input);
    return inputs;
  }
  absl::StatusOr<Bound> At(int64_t row, bool* steps = nullptr) {
    PointBounds bounds(terms_.get(),
                       {{{row_, row}},
                        [this](int argument, int64_t element) -> std::optional<double> {
                          return inputs_[argument].At(element);
                        }},
                       {});
    absl::StatusOr<Bound> bound = bounds.Of(term_, kF32);
    if (steps != nullptr) *steps = bounds.steps();
    return bound;
  }

  AffineTable affine_;
  std::unique_ptr<SpecGraph> graph_;
  std::unique_ptr<TermTable> terms_;
  SymbolId row_ = 0;
  Value term_;
  std::vector<Tensor> inputs_;
};

constexpr const char* kSoftmaxNorm = R"(
func.func @main(%a: tensor<6x40xf32>) -> tensor<6xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %all = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %less = stablehlo.subtract %a, %all : tensor<6x40xf32>
  %exp = stablehlo.exponential %less : tensor<6x40xf32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  return %sum : tensor<6xf32>
})";

TEST_F(PointBoundsTest, HoldsWhatIsComputedAndTheRealNumber) {
  Read(kSoftmaxNorm);
  Draw(-3, 3);
  Evaluator evaluator(*graph_, Borrowed());
  for (int64_t row = 0; row < 6; ++row) {
    double most = -HUGE_VAL, real = 0;
    for (int k = 0; k < 40; ++k) most = std::max(most, inputs_[0].At(row * 40 + k));
    for (int k = 0; k < 40; ++k) real += std::exp(inputs_[0].At(row * 40 + k) - most);
    const Bound bound = At(row).value();
    const double computed = evaluator.At(0, {row}).value();
    EXPECT_LE(std::fabs(computed - real), bound.error);
    EXPECT_GE(computed, bound.computed.low);
    EXPECT_LE(computed, bound.computed.high);
    EXPECT_NEAR(bound.real.low, real, 1e-12);
    EXPECT_NEAR(bound.real.high, real, 1e-12);
    EXPECT_LT(bound.error, 1e-3 * real);
  }
}

TEST_F(PointBoundsTest, LiesWithinTheBoundOfTheBox) {
  Read(kSoftmaxNorm);
  Draw(-3, 3);
  Bounds box(terms_.get(), {{-3, 3}});
  const Bound whole = box.Of(term_, kF32).value();
  const Bound point = At(2).value();
  EXPECT_LE(whole.real.low, point.real.low);
  EXPECT_GE(whole.real.high, point.real.high);
  EXPECT_GT(whole.error, point.error);
}

TEST_F(PointBoundsTest, ComparisonsAreStepsOnlyWhereRoundingMayDecide) {
  Read(R"(
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %sum = stablehlo.add %a, %b : tensor<2xf32>
  %edge = stablehlo.constant dense<1.0> : tensor<2xf32>
  %more = stablehlo.compare GT, %sum, %edge : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
  %result = stablehlo.select %more, %sum, %zero : tensor<2xi1>, tensor<2xf32>
  return %result : tensor<2xf32>
})");
  Draw(0, 1);
  inputs_[0].Set(0, 0.75);
  inputs_[1].Set(0, 0.5);  // far from the edge
  inputs_[0].Set(1, 1);
  inputs_[1].Set(1, 0x1p-24);  // half a unit from it
  bool steps = true;
  const Bound chosen = At(0, &steps).value();
  EXPECT_FALSE(steps);
  EXPECT_NEAR(chosen.real.low, 1.25, 1e-12);
  EXPECT_NEAR(chosen.real.high, 1.25, 1e-12);
  const Bound open = At(1, &steps).value();
  EXPECT_TRUE(steps);
  EXPECT_LE(open.real.low, 0);
  EXPECT_GE(open.real.high, 1);
}

TEST_F(PointBoundsTest, RefusesWhatLeavesTheRange) {
  Read(kSoftmaxNorm);
  Draw(-3, 3);
  inputs_[0].Set(7, HUGE_VAL);
  EXPECT_FALSE(At(0).ok());
  EXPECT_TRUE(At(1).ok());
}

}  // namespace
}  // namespace quern::verifier
