#include "frontend/expand.h"

#include <numeric>
#include <vector>

#include "frontend/expand_calls.h"
#include "frontend/expand_products.h"
#include "frontend/expand_scan.h"
#include "frontend/expand_tuples.h"
#include "frontend/steps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

static Values ExpandBroadcast(hlo::BroadcastOp op) {
  llvm::SmallVector<int64_t> dims(op.getOperand().getType().getRank());
  std::iota(dims.begin(), dims.end(), op.getBroadcastSizes().size());
  return {Steps(op).Broadcast(op.getOperand(), op.getResult().getType(), dims)};
}

// ---- Batch normalisation

// What the three ops have in common: vectors spread over the operand, and its distance from the
// mean in standard deviations.
struct Normalised {
  RankedTensorType type;
  int64_t feature;
  Value variance, centered, deviation, normalised;

  Normalised(Steps& steps, Value operand, Value mean, Value var, llvm::APFloat epsilon,
             uint64_t feature_index)
      : type(llvm::cast<RankedTensorType>(operand.getType())),
        feature(static_cast<int64_t>(feature_index)) {
    variance = steps.Binary<hlo::AddOp>(Spread(steps, var), steps.Constant(type, epsilon));
    centered = steps.Binary<hlo::SubtractOp>(operand, Spread(steps, mean));
    deviation = steps.Create<hlo::SqrtOp>(type, variance);
    normalised = steps.Binary<hlo::DivOp>(centered, deviation);
  }
  Value Spread(Steps& steps, Value vector) const {
    return steps.Broadcast(vector, type, {feature});
  }
};

// The number of elements that share a feature.
static double ElementsPerFeature(RankedTensorType type, int64_t feature) {
  double count = 1;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i != feature) count *= static_cast<double>(type.getDimSize(i));
  }
  return count;
}

static Value Mean(Steps& steps, Value operand, int64_t feature) {
  const double count = ElementsPerFeature(llvm::cast<RankedTensorType>(operand.getType()), feature);
  Value sum = steps.SumOver(operand, feature);
  auto type = llvm::cast<RankedTensorType>(sum.getType());
  return steps.Binary<hlo::DivOp>(sum, steps.Constant(type, count));
}

static Value ScaleAndShift(Steps& steps, const Normalised& n, Value scale, Value offset) {
  Value scaled = steps.Binary<hlo::MulOp>(n.Spread(steps, scale), n.normalised);
  return steps.Binary<hlo::AddOp>(scaled, n.Spread(steps, offset));
}

static Values ExpandInference(hlo::BatchNormInferenceOp op) {
  Steps steps(op);
  const Normalised n(steps, op.getOperand(), op.getMean(), op.getVariance(), op.getEpsilon(),
                     op.getFeatureIndex());
  return {ScaleAndShift(steps, n, op.getScale(), op.getOffset())};
}

static Values ExpandTraining(hlo::BatchNormTrainingOp op) {
  Steps steps(op);
  const auto feature = static_cast<int64_t>(op.getFeatureIndex());
  auto type = llvm::cast<RankedTensorType>(op.getOperand().getType());
  Value mean = Mean(steps, op.getOperand(), feature);
  Value centered =
      steps.Binary<hlo::SubtractOp>(op.getOperand(), steps.Broadcast(mean, type, {feature}));
  Value variance = Mean(steps, steps.Binary<hlo::MulOp>(centered, centered), feature);
  const Normalised n(steps, op.getOperand(), mean, variance, op.getEpsilon(), feature);
  return {ScaleAndShift(steps, n, op.getScale(), op.getOffset()), mean, variance};
}

static Values ExpandGrad(hlo::BatchNormGradOp op) {
  Steps steps(op);
  const Normalised n(steps, op.getOperand(), op.getMean(), op.getVariance(), op.getEpsilon(),
                     op.getFeatureIndex());
  Value gradient = op.getGradOutput();
  Value count = steps.Constant(n.type, ElementsPerFeature(n.type, n.feature));
  Value offset = steps.SumOver(gradient, n.feature);
  Value i1 = steps.Binary<hlo::MulOp>(gradient, count);
  Value i2 = n.Spread(steps, offset);
  Value i3 =
      n.Spread(steps, steps.SumOver(steps.Binary<hlo::MulOp>(gradient, n.centered), n.feature));
  Value i4 = steps.Binary<hlo::MulOp>(i3, n.centered);
  Value i5 = steps.Binary<hlo::DivOp>(i4, n.variance);
  Value i6 = steps.Binary<hlo::SubtractOp>(steps.Binary<hlo::SubtractOp>(i1, i2), i5);
  Value factor = steps.Binary<hlo::DivOp>(
      steps.Binary<hlo::DivOp>(n.Spread(steps, op.getScale()), n.deviation), count);
  Value scale = steps.SumOver(steps.Binary<hlo::MulOp>(gradient, n.normalised), n.feature);
  return {steps.Binary<hlo::MulOp>(factor, i6), scale, offset};
}

// What stands for the op's results; nothing for an op that stays.
static Values Expand(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Values>(op)
      .Case([](hlo::BroadcastOp broadcast) { return ExpandBroadcast(broadcast); })
      .Case([](hlo::BatchNormInferenceOp norm) { return ExpandInference(norm); })
      .Case([](hlo::BatchNormTrainingOp norm) { return ExpandTraining(norm); })
      .Case([](hlo::BatchNormGradOp norm) { return ExpandGrad(norm); })
      .Default([](mlir::Operation*) { return Values(); });
}

// The operands of a body that works on a wider type, in that type.
static void Promote(mlir::Operation* op, mlir::Block& body, unsigned operand, unsigned argument) {
  const mlir::Type element = Ranked(body.getArgument(argument)).getElementType();
  op->setOperand(operand, Steps(op).ConvertTo(op->getOperand(operand), element));
}

static void PromoteOperands(mlir::Operation* op) {
  if (llvm::isa<hlo::ReduceOp, hlo::ReduceWindowOp>(op)) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i) Promote(op, op->getRegion(0).front(), i, i);
  } else if (auto scatter = llvm::dyn_cast<hlo::ScatterOp>(op)) {
    const unsigned count = scatter.getInputs().size();
    for (unsigned i = 0; i < 2 * count; ++i)
      Promote(op, op->getRegion(0).front(), i + (i < count ? 0 : 1), i);
  }
}

mlir::LogicalResult ExpandOps(mlir::func::FuncOp function) {
  if (failed(ExpandTuples(function)) || failed(ExpandScans(function))) return mlir::failure();
  std::vector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) { ops.push_back(op); });
  for (mlir::Operation* op : ops) {
    PromoteOperands(op);
    const Values values = Expand(op);
    if (values.empty()) continue;
    op->replaceAllUsesWith(values);
    op->erase();
  }
  ExpandCalls(function);
  return ExpandProducts(function);
}

}  // namespace quern::frontend
