// Builds ops in place of another one.
#ifndef QUERN_FRONTEND_STEPS_H_
#define QUERN_FRONTEND_STEPS_H_

#include <utility>

#include "ir/stablehlo/stablehlo.h"
#include "mlir/IR/Builders.h"

namespace quern::frontend {

// The values that stand for an op's results; none for an op that stays.
using Values = llvm::SmallVector<mlir::Value, 3>;

inline mlir::RankedTensorType Ranked(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

class Steps {
 public:
  // Before `op`, at its place in the source.
  explicit Steps(mlir::Operation* op) : builder_(op), location_(op->getLoc()) {}

  template <typename Op, typename... Arguments>
  Op Create(Arguments&&... arguments) {
    return Op::create(builder_, location_, std::forward<Arguments>(arguments)...);
  }
  template <typename Op>
  mlir::Value Binary(mlir::Value a, mlir::Value b) {
    return Create<Op>(a.getType(), a, b);
  }
  // The value itself where a scalar stays one.
  mlir::Value Broadcast(mlir::Value value, mlir::RankedTensorType type,
                        llvm::ArrayRef<int64_t> dims) {
    if (type.getRank() == 0) return value;
    return Create<stablehlo::BroadcastInDimOp>(type, value, builder_.getDenseI64ArrayAttr(dims));
  }
  // The value itself where it has such elements.
  mlir::Value ConvertTo(mlir::Value value, mlir::Type element) {
    const mlir::RankedTensorType type = Ranked(value);
    if (type.getElementType() == element) return value;
    return Create<stablehlo::ConvertOp>(mlir::RankedTensorType::get(type.getShape(), element),
                                        value);
  }
  mlir::Value Zeros(mlir::RankedTensorType type) {
    return Broadcast(Zero(type.getElementType()), type, {});
  }
  // A floating-point number, rounded to the element type, in every element.
  mlir::Value Constant(mlir::RankedTensorType type, llvm::APFloat value) {
    auto element = llvm::cast<mlir::FloatType>(type.getElementType());
    bool loses = false;
    value.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    auto scalar = mlir::RankedTensorType::get({}, element);
    auto attribute = mlir::DenseElementsAttr::get(scalar, value);
    return Broadcast(Create<stablehlo::ConstantOp>(scalar, attribute), type, {});
  }
  mlir::Value Constant(mlir::RankedTensorType type, double value) {
    return Constant(type, llvm::APFloat(value));
  }
  mlir::Value Reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    const mlir::RankedTensorType type = Ranked(value).clone(shape);
    if (type == value.getType()) return value;
    return Create<stablehlo::ReshapeOp>(type, value);
  }
  mlir::Value Transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation) {
    llvm::SmallVector<int64_t> shape;
    for (int64_t dimension : permutation) shape.push_back(Ranked(value).getDimSize(dimension));
    return Create<stablehlo::TransposeOp>(Ranked(value).clone(shape), value,
                                          builder_.getDenseI64ArrayAttr(permutation));
  }
  // The elements from `start` to `end` of one dimension.
  mlir::Value Slice(mlir::Value value, int64_t dimension, int64_t start, int64_t end) {
    llvm::SmallVector<int64_t> starts(Ranked(value).getRank(), 0), strides(starts.size(), 1);
    llvm::SmallVector<int64_t> ends(Ranked(value).getShape()), shape(ends);
    starts[dimension] = start;
    ends[dimension] = end;
    shape[dimension] = end - start;
    return Create<stablehlo::SliceOp>(
        Ranked(value).clone(shape), value, builder_.getDenseI64ArrayAttr(starts),
        builder_.getDenseI64ArrayAttr(ends), builder_.getDenseI64ArrayAttr(strides));
  }
  mlir::Value Concatenate(llvm::ArrayRef<mlir::Value> values, int64_t dimension) {
    llvm::SmallVector<int64_t> shape(Ranked(values.front()).getShape());
    for (mlir::Value value : values.drop_front()) {
      shape[dimension] += Ranked(value).getDimSize(dimension);
    }
    return Create<stablehlo::ConcatenateOp>(Ranked(values.front()).clone(shape), values, dimension);
  }
  // The sum over some dimensions.
  mlir::Value Sum(mlir::Value operand, llvm::ArrayRef<int64_t> dimensions) {
    const mlir::RankedTensorType type = Ranked(operand);
    auto scalar = mlir::RankedTensorType::get({}, type.getElementType());
    llvm::SmallVector<int64_t> shape;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!llvm::is_contained(dimensions, i)) shape.push_back(type.getDimSize(i));
    }
    mlir::Value zero = Zero(type.getElementType());
    auto reduce = Create<stablehlo::ReduceOp>(mlir::TypeRange(type.clone(shape)),
                                              mlir::ValueRange(operand), mlir::ValueRange(zero),
                                              builder_.getDenseI64ArrayAttr(dimensions));
    mlir::OpBuilder::InsertionGuard guard(builder_);
    mlir::Block* body = Body(reduce.getBody(), {scalar, scalar});
    Return(Binary<stablehlo::AddOp>(body->getArgument(0), body->getArgument(1)));
    return reduce.getResult(0);
  }
  // The sum over all dimensions but one.
  mlir::Value SumOver(mlir::Value operand, int64_t feature) {
    llvm::SmallVector<int64_t> dimensions;
    for (int64_t i = 0; i < Ranked(operand).getRank(); ++i) {
      if (i != feature) dimensions.push_back(i);
    }
    return Sum(operand, dimensions);
  }
  // The block of a region, where ops go until a guard restores the place.
  mlir::Block* Body(mlir::Region& region, mlir::TypeRange arguments) {
    return builder_.createBlock(&region, region.end(), arguments,
                                llvm::SmallVector<mlir::Location>(arguments.size(), location_));
  }
  // The op on other operands, with its attributes; its regions move.
  mlir::Operation* Again(mlir::Operation* op, mlir::ValueRange operands, mlir::TypeRange results) {
    mlir::OperationState state(op->getLoc(), op->getName().getIdentifier(), operands, results,
                               op->getAttrs());
    for (mlir::Region& region : op->getRegions()) state.addRegion()->takeBody(region);
    return builder_.create(state);
  }
  void Return(mlir::Value value) { Create<stablehlo::ReturnOp>(mlir::ValueRange(value)); }
  mlir::OpBuilder& builder() { return builder_; }

 private:
  mlir::Value Zero(mlir::Type element) {
    auto scalar = mlir::RankedTensorType::get({}, element);
    return Create<stablehlo::ConstantOp>(
        scalar, mlir::DenseElementsAttr::get(scalar, builder_.getZeroAttr(element)));
  }

  mlir::OpBuilder builder_;
  mlir::Location location_;
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_STEPS_H_
