#include "search/naive_read.h"

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "ir/program/program.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "search/naive_convert.h"
#include "search/naive_scalar.h"
#include "search/nest.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace hlo = stablehlo;
using Buffers = llvm::DenseMap<mlir::Value, mlir::Value>;

static constexpr int64_t kMaxConstant = 64;  // elements of a constant that is a chain of selects

bool IsTable(hlo::ConstantOp constant) {
  auto splat = llvm::dyn_cast<mlir::SplatElementsAttr>(constant.getValue());
  return !splat && constant.getValue().getNumElements() > kMaxConstant;
}

static llvm::ArrayRef<int64_t> ShapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}
static mlir::Type ElementOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
}

bool IsComputedWhereUsed(mlir::Value value) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op) return false;
  if (llvm::isa<hlo::ConstantOp, hlo::IotaOp, hlo::BroadcastInDimOp, hlo::ReshapeOp,
                hlo::TransposeOp, hlo::SliceOp, hlo::ReverseOp, hlo::OptimizationBarrierOp>(op)) {
    return true;
  }
  if (!llvm::isa<hlo::ConvertOp>(op)) return false;
  // A conversion of a constant, however it is moved, is a constant.
  mlir::Operation* source = op->getOperand(0).getDefiningOp();
  while (source && IsComputedWhereUsed(source->getResult(0)) && source->getNumOperands() == 1) {
    source = source->getOperand(0).getDefiningOp();
  }
  return source && llvm::isa<hlo::ConstantOp, hlo::IotaOp>(source);
}

mlir::AffineExpr Linearise(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> shape,
                           mlir::MLIRContext* context) {
  mlir::AffineExpr linear = mlir::getAffineConstantExpr(0, context);
  for (auto [coordinate, extent] : llvm::zip(index, shape)) linear = linear * extent + coordinate;
  return linear;
}

llvm::SmallVector<mlir::AffineExpr> Delinearise(mlir::AffineExpr linear,
                                                llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<mlir::AffineExpr> index(shape.size());
  int64_t stride = 1, count = 1;
  for (int64_t extent : shape) count *= extent;
  mlir::AffineExpr zero = mlir::getAffineConstantExpr(0, linear.getContext());
  for (size_t i = shape.size(); i-- > 0;) {
    if (count == 0 || shape[i] == 1) {
      index[i] = zero;
      continue;
    }
    bool outermost = stride * shape[i] == count;
    mlir::AffineExpr quotient = linear.floorDiv(stride);
    index[i] = outermost ? quotient : quotient % shape[i];
    stride *= shape[i];
  }
  return index;
}

// Dimensions of a shape that are not 1.
static llvm::SmallVector<size_t> LongDimensions(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<size_t> dimensions;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) dimensions.push_back(i);
  }
  return dimensions;
}

// The operand's index of a reshape: dimensions are matched in groups of equal size, so that one
// that is kept keeps its coordinate.
static llvm::SmallVector<mlir::AffineExpr> ReshapeIndex(llvm::ArrayRef<mlir::AffineExpr> index,
                                                        llvm::ArrayRef<int64_t> to,
                                                        llvm::ArrayRef<int64_t> from,
                                                        mlir::MLIRContext* context) {
  llvm::SmallVector<mlir::AffineExpr> result(from.size(), mlir::getAffineConstantExpr(0, context));
  if (llvm::is_contained(to, 0)) return result;
  llvm::SmallVector<size_t> to_left = LongDimensions(to), from_left = LongDimensions(from);
  size_t i = 0, j = 0;
  while (j < from_left.size()) {
    llvm::SmallVector<mlir::AffineExpr> group_index;
    llvm::SmallVector<int64_t> to_shape, from_shape;
    llvm::SmallVector<size_t> group;
    int64_t to_count = 1, from_count = 1;
    do {
      if (to_count <= from_count) {
        group_index.push_back(index[to_left[i]]);
        to_shape.push_back(to[to_left[i]]);
        to_count *= to_shape.back();
        ++i;
      } else {
        group.push_back(from_left[j]);
        from_shape.push_back(from[from_left[j]]);
        from_count *= from_shape.back();
        ++j;
      }
    } while (to_count != from_count);
    mlir::AffineExpr linear = Linearise(group_index, to_shape, context);
    for (auto [dimension, expression] : llvm::zip(group, Delinearise(linear, from_shape))) {
      result[dimension] = expression;
    }
  }
  return result;
}

static absl::StatusOr<mlir::Value> ReadConstant(mlir::OpBuilder& builder, hlo::ConstantOp constant,
                                                const Point& point) {
  auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  if (!elements) return Unsupported(constant, "has elements that are not dense");
  mlir::Location location = builder.getUnknownLoc();
  const mlir::Type type = program::ScalarType(elements.getElementType());
  auto scalar = [&](mlir::Attribute value) -> mlir::Value {
    if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value)) {
      value = builder.getIntegerAttr(type, integer.getValue());
    }
    return arith::ConstantOp::create(builder, location, llvm::cast<mlir::TypedAttr>(value));
  };
  if (elements.getNumElements() == 0) return ScalarConstant(builder, type, 0);
  if (elements.isSplat()) return scalar(elements.getSplatValue<mlir::Attribute>());
  mlir::AffineExpr linear =
      Linearise(point.index, ShapeOf(constant.getOutput()), builder.getContext());
  mlir::Value position =
      MaterialiseIndex(builder, location,
                       mlir::simplifyAffineExpr(linear, point.counters.size(), 0), point.counters);
  mlir::Value result;
  for (auto [number, value] : llvm::enumerate(elements.getValues<mlir::Attribute>())) {
    if (!result) {
      result = scalar(value);
      continue;
    }
    mlir::Value at = arith::ConstantIndexOp::create(builder, location, number);
    mlir::Value here =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, position, at);
    result = arith::SelectOp::create(builder, location, here, scalar(value), result);
  }
  return result;
}

absl::StatusOr<mlir::Value> ReadElement(mlir::OpBuilder& builder, mlir::Value value,
                                        const Point& point, const Buffers& buffers) {
  mlir::MLIRContext* context = builder.getContext();
  if (mlir::Value buffer = buffers.lookup(value)) {
    mlir::AffineMap map = mlir::AffineMap::get(point.counters.size(), 0, point.index, context);
    auto load =
        program::LoadOp::create(builder, builder.getUnknownLoc(),
                                program::ScalarType(ElementOf(value)), buffer, point.counters, map);
    SetIndex(load, point.counters, map);
    return load.getValue();
  }
  mlir::Operation* op = value.getDefiningOp();
  if (auto constant = llvm::dyn_cast<hlo::ConstantOp>(op)) {
    return ReadConstant(builder, constant, point);
  }
  if (auto iota = llvm::dyn_cast<hlo::IotaOp>(op)) {
    mlir::Value position = MaterialiseIndex(
        builder, builder.getUnknownLoc(),
        mlir::simplifyAffineExpr(point.index[iota.getIotaDimension()], point.counters.size(), 0),
        point.counters);
    mlir::Value number = arith::IndexCastOp::create(builder, builder.getUnknownLoc(),
                                                    builder.getI32Type(), position);
    return ConvertScalar(builder, number, builder.getI32Type(), ElementOf(value));
  }
  mlir::Value operand = op->getOperand(0);
  Point source{.counters = point.counters};
  if (auto broadcast = llvm::dyn_cast<hlo::BroadcastInDimOp>(op)) {
    for (auto [extent, dimension] :
         llvm::zip(ShapeOf(operand), broadcast.getBroadcastDimensions())) {
      source.index.push_back(extent == 1 ? mlir::getAffineConstantExpr(0, context)
                                         : point.index[dimension]);
    }
  } else if (auto transpose = llvm::dyn_cast<hlo::TransposeOp>(op)) {
    source.index.resize(point.index.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
      source.index[from] = point.index[to];
    }
  } else if (auto slice = llvm::dyn_cast<hlo::SliceOp>(op)) {
    for (auto [coordinate, start, stride] :
         llvm::zip(point.index, slice.getStartIndices(), slice.getStrides())) {
      source.index.push_back(coordinate * stride + start);
    }
  } else if (auto reverse = llvm::dyn_cast<hlo::ReverseOp>(op)) {
    source.index = point.index;
    for (int64_t d : reverse.getDimensions()) {
      source.index[d] =
          mlir::getAffineConstantExpr(ShapeOf(value)[d] - 1, context) - point.index[d];
    }
  } else if (llvm::isa<hlo::OptimizationBarrierOp>(op)) {
    source.index = point.index;
    operand = op->getOperand(llvm::cast<mlir::OpResult>(value).getResultNumber());
  } else if (llvm::isa<hlo::ReshapeOp>(op)) {
    source.index = ReshapeIndex(point.index, ShapeOf(value), ShapeOf(operand), context);
  } else {  // a conversion of a constant
    source.index = point.index;
    QUERN_ASSIGN_OR_RETURN(mlir::Value element, ReadElement(builder, operand, source, buffers));
    return ConvertScalar(builder, element, ElementOf(operand), ElementOf(value));
  }
  return ReadElement(builder, operand, source, buffers);
}

}  // namespace quern::search
