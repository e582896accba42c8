#include "frontend/expand.h"

#include <numeric>
#include <vector>

#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

// Builds ops in place of another one.
class Steps {
 public:
  explicit Steps(mlir::Operation* op) : builder_(op), location_(op->getLoc()) {}

  template <typename Op, typename... Arguments>
  Op Create(Arguments&&... arguments) {
    return Op::create(builder_, location_, std::forward<Arguments>(arguments)...);
  }
  template <typename Op>
  Value Binary(Value a, Value b) {
    return Create<Op>(a.getType(), a, b);
  }
  Value Broadcast(Value value, RankedTensorType type, llvm::ArrayRef<int64_t> dims) {
    return Create<hlo::BroadcastInDimOp>(type, value, builder_.getDenseI64ArrayAttr(dims));
  }
  // A floating-point number, rounded to the element type, in every element.
  Value Constant(RankedTensorType type, llvm::APFloat value) {
    auto element = llvm::cast<mlir::FloatType>(type.getElementType());
    bool loses = false;
    value.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    auto scalar = RankedTensorType::get({}, element);
    auto attribute = mlir::DenseElementsAttr::get(scalar, value);
    return Broadcast(Create<hlo::ConstantOp>(scalar, attribute), type, {});
  }
  Value Constant(RankedTensorType type, double value) {
    return Constant(type, llvm::APFloat(value));
  }
  // The sum over all dimensions but one.
  Value SumOver(Value operand, int64_t feature) {
    auto type = llvm::cast<RankedTensorType>(operand.getType());
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto result = RankedTensorType::get({type.getDimSize(feature)}, type.getElementType());
    llvm::SmallVector<int64_t> dimensions;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (i != feature) dimensions.push_back(i);
    }
    auto zero = Create<hlo::ConstantOp>(
        scalar, mlir::DenseElementsAttr::get(scalar, builder_.getZeroAttr(type.getElementType())));
    auto reduce =
        Create<hlo::ReduceOp>(mlir::TypeRange(result), mlir::ValueRange(operand),
                              mlir::ValueRange(zero), builder_.getDenseI64ArrayAttr(dimensions));
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block* body = Body(reduce.getBody(), {scalar, scalar});
    Return(Binary<hlo::AddOp>(body->getArgument(0), body->getArgument(1)));
    return reduce.getResult(0);
  }
  // The block of a region, where ops go until a guard restores the place.
  mlir::Block* Body(mlir::Region& region, mlir::TypeRange arguments) {
    return builder_.createBlock(&region, region.end(), arguments,
                                llvm::SmallVector<mlir::Location>(arguments.size(), location_));
  }
  void Return(Value value) { Create<hlo::ReturnOp>(mlir::ValueRange(value)); }
  mlir::OpBuilder& builder() { return builder_; }

 private:
  mlir::OpBuilder builder_;
  mlir::Location location_;
};

using Values = llvm::SmallVector<Value, 3>;

static Values ExpandBroadcast(hlo::BroadcastOp op) {
  llvm::SmallVector<int64_t> dims(op.getOperand().getType().getRank());
  std::iota(dims.begin(), dims.end(), op.getBroadcastSizes().size());
  return {Steps(op).Broadcast(op.getOperand(), op.getResult().getType(), dims)};
}

static Values ExpandDot(hlo::DotOp op) {
  auto numbers = hlo::DotDimensionNumbersAttr::get(op.getContext(), {}, {},
                                                   {op.getLhs().getType().getRank() - 1}, {0});
  return {Steps(op).Create<hlo::DotGeneralOp>(op.getType(), op.getLhs(), op.getRhs(), numbers,
                                              op.getPrecisionConfigAttr())};
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

// ---- The largest elements

// Sorts with the positions along the last dimension and keeps the first ones.
static Values TopK(mlir::Operation* op, Value operand, bool largest) {
  Steps steps(op);
  auto type = llvm::cast<RankedTensorType>(operand.getType());
  auto indices_type = llvm::cast<RankedTensorType>(op->getResult(1).getType());
  const int64_t last = type.getRank() - 1;
  auto all_indices = RankedTensorType::get(type.getShape(), indices_type.getElementType());
  Value iota = steps.Create<hlo::IotaOp>(all_indices, last);
  auto sort = steps.Create<hlo::SortOp>(mlir::TypeRange{type, all_indices},
                                        mlir::ValueRange{operand, iota}, last, true);
  {
    mlir::OpBuilder::InsertionGuard guard(steps.builder());
    const mlir::Type scalar = RankedTensorType::get({}, type.getElementType()),
                     index = RankedTensorType::get({}, indices_type.getElementType()),
                     truth = RankedTensorType::get({}, steps.builder().getI1Type());
    mlir::Block* body = steps.Body(sort.getComparator(), {scalar, scalar, index, index});
    hlo::ComparisonTypeAttr order;
    if (llvm::isa<mlir::FloatType>(type.getElementType()))
      order = hlo::ComparisonTypeAttr::get(op->getContext(), hlo::ComparisonType::TOTALORDER);
    steps.Return(steps.Create<hlo::CompareOp>(
        truth, body->getArgument(0), body->getArgument(1),
        hlo::ComparisonDirectionAttr::get(op->getContext(), largest ? hlo::ComparisonDirection::GT
                                                                    : hlo::ComparisonDirection::LT),
        order));
  }
  const llvm::SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  Values results;
  for (auto [result, sorted] : llvm::zip(op->getResults(), sort.getResults())) {
    auto kept = llvm::cast<RankedTensorType>(result.getType());
    results.push_back(
        steps.Create<hlo::SliceOp>(kept, sorted, steps.builder().getDenseI64ArrayAttr(zeros),
                                   steps.builder().getDenseI64ArrayAttr(kept.getShape()),
                                   steps.builder().getDenseI64ArrayAttr(ones)));
  }
  return results;
}

// Whether results are what TopK makes: the operand with a shorter last dimension, and integers.
static bool IsTopK(hlo::CustomCallOp call) {
  if (call.getInputs().size() != 1 || call.getNumResults() != 2) return false;
  auto from = llvm::cast<RankedTensorType>(call.getInputs()[0].getType()),
       values = llvm::cast<RankedTensorType>(call.getType(0)),
       indices = llvm::cast<RankedTensorType>(call.getType(1));
  return from.getRank() > 0 && values.getRank() == from.getRank() &&
         values.getShape().drop_back() == from.getShape().drop_back() &&
         values.getShape().back() <= from.getShape().back() &&
         values.getElementType() == from.getElementType() &&
         values.getShape() == indices.getShape() && indices.getElementType().isInteger();
}

static Values ExpandCall(hlo::CustomCallOp call) {
  if (call.getCallTargetName() == "mhlo.erf" && call.getInputs().size() == 1 &&
      call.getInputs().getTypes() == call.getResultTypes()) {
    return {Steps(call).Create<chlo::ErfOp>(call.getType(0), call.getInputs()[0])};
  }
  if (call.getCallTargetName() != "mhlo.topk" || !IsTopK(call)) return {};
  auto attributes = call->getAttrOfType<mlir::DictionaryAttr>("mhlo.attributes");
  auto largest = attributes ? attributes.getAs<mlir::BoolAttr>("largest") : mlir::BoolAttr();
  return TopK(call, call.getInputs()[0], !largest || largest.getValue());
}

// What stands for the op's results; nothing for an op that stays.
static Values Expand(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, Values>(op)
      .Case([](hlo::BroadcastOp broadcast) { return ExpandBroadcast(broadcast); })
      .Case([](hlo::DotOp dot) { return ExpandDot(dot); })
      .Case([](hlo::BatchNormInferenceOp norm) { return ExpandInference(norm); })
      .Case([](hlo::BatchNormTrainingOp norm) { return ExpandTraining(norm); })
      .Case([](hlo::BatchNormGradOp norm) { return ExpandGrad(norm); })
      .Case([](chlo::TopKOp top) { return TopK(top, top.getOperand(), /*largest=*/true); })
      .Case([](hlo::CustomCallOp call) { return ExpandCall(call); })
      .Default([](mlir::Operation*) { return Values(); });
}

void ExpandOps(mlir::func::FuncOp function) {
  std::vector<mlir::Operation*> ops;
  function.walk([&](mlir::Operation* op) { ops.push_back(op); });
  for (mlir::Operation* op : ops) {
    const Values values = Expand(op);
    if (values.empty()) continue;
    op->replaceAllUsesWith(values);
    op->erase();
  }
}

}  // namespace quern::frontend
