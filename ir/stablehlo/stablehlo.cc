#include "ir/stablehlo/stablehlo.h"

#include "ir/stablehlo/assembly.h"
#include "ir/stablehlo/structural_assembly.h"
#include "ir/stablehlo/verify.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "ir/stablehlo/stablehlo_dialect.cc.inc"
#include "ir/stablehlo/stablehlo_enums.cc.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/stablehlo/stablehlo_attributes.cc.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/stablehlo_ops.cc.inc"

namespace quern::stablehlo {

void StableHloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/stablehlo/stablehlo_attributes.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/stablehlo_ops.cc.inc"
      >();
}

static std::optional<ElementType> ToInteger(mlir::IntegerType type) {
  if (type.isSigned()) return std::nullopt;
  const bool is_unsigned = type.isUnsigned();
  switch (type.getWidth()) {
    case 1:
      return is_unsigned ? std::nullopt : std::optional(ElementType::kBool);
    case 4:
      return is_unsigned ? ElementType::kUI4 : ElementType::kI4;
    case 8:
      return is_unsigned ? ElementType::kUI8 : ElementType::kI8;
    case 16:
      return is_unsigned ? ElementType::kUI16 : ElementType::kI16;
    case 32:
      return is_unsigned ? ElementType::kUI32 : ElementType::kI32;
    case 64:
      return is_unsigned ? ElementType::kUI64 : ElementType::kI64;
    default:
      return std::nullopt;
  }
}

std::optional<ElementType> ToElementType(mlir::Type type) {
  using Result = std::optional<ElementType>;
  return llvm::TypeSwitch<mlir::Type, Result>(type)
      .Case([](mlir::IntegerType integer) { return ToInteger(integer); })
      .Case([](mlir::ComplexType complex) -> Result {
        if (complex.getElementType().isF32()) return ElementType::kComplexF32;
        if (complex.getElementType().isF64()) return ElementType::kComplexF64;
        return std::nullopt;
      })
      .Case([](mlir::Float32Type) { return ElementType::kF32; })
      .Case([](mlir::BFloat16Type) { return ElementType::kBF16; })
      .Case([](mlir::Float64Type) { return ElementType::kF64; })
      .Case([](mlir::Float16Type) { return ElementType::kF16; })
      .Case([](mlir::Float8E3M4Type) { return ElementType::kF8E3M4; })
      .Case([](mlir::Float8E4M3Type) { return ElementType::kF8E4M3; })
      .Case([](mlir::Float8E4M3B11FNUZType) { return ElementType::kF8E4M3B11FNUZ; })
      .Case([](mlir::Float8E4M3FNType) { return ElementType::kF8E4M3FN; })
      .Case([](mlir::Float8E4M3FNUZType) { return ElementType::kF8E4M3FNUZ; })
      .Case([](mlir::Float8E5M2Type) { return ElementType::kF8E5M2; })
      .Case([](mlir::Float8E5M2FNUZType) { return ElementType::kF8E5M2FNUZ; })
      .Case([](mlir::Float8E8M0FNUType) { return ElementType::kF8E8M0FNU; })
      .Default([](mlir::Type) { return std::nullopt; });
}

std::optional<TensorType> ToTensorType(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) return std::nullopt;
  const std::optional<ElementType> element = ToElementType(tensor.getElementType());
  if (!element) return std::nullopt;
  return TensorType{.element = *element, .shape = tensor.getShape().vec()};
}

using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

// What the parts of a complex type are; another type is its own part.
static mlir::Type PartOf(mlir::Type element) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

static LogicalResult VerifyPart(mlir::Operation* op) {
  const mlir::Type operand = Ranked(op->getOperand(0)).getElementType();
  if (Ranked(op->getResult(0)).getElementType() == PartOf(operand)) return success();
  return op->emitOpError("result must have elements of type ") << PartOf(operand);
}

LogicalResult AbsOp::verify() { return VerifyPart(*this); }
LogicalResult RealOp::verify() { return VerifyPart(*this); }
LogicalResult ImagOp::verify() { return VerifyPart(*this); }

LogicalResult ComplexOp::verify() {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(Ranked(getResult()).getElementType());
  if (complex && complex.getElementType() == Ranked(getLhs()).getElementType()) return success();
  return emitOpError("result must be complex numbers of the operands' element type");
}

LogicalResult ReducePrecisionOp::verify() {
  if (getExponentBits() <= 11 && getMantissaBits() <= 52) return success();
  return emitOpError("format is wider than f64");
}

// Bits of an element; 0 for a type that has none.
static int64_t BitWidth(mlir::Type element) {
  const mlir::Type part = PartOf(element);
  if (!part.isIntOrFloat()) return 0;
  return part.getIntOrFloatBitWidth() * (part == element ? 1 : 2);
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  const int64_t from_bits = BitWidth(from.getElementType()),
                to_bits = BitWidth(to.getElementType());
  if (from_bits == 0 || to_bits == 0) {
    return emitOpError("element types have no bits: ")
           << from.getElementType() << " and " << to.getElementType();
  }
  if (llvm::isa<mlir::ComplexType>(from.getElementType()) !=
      llvm::isa<mlir::ComplexType>(to.getElementType())) {
    return emitOpError("cannot change between complex and other numbers");
  }
  llvm::SmallVector<int64_t> wide(from.getShape()), narrow(to.getShape());
  if (from_bits < to_bits) std::swap(wide, narrow);
  // An element of the wide type is a last dimension of the narrow one.
  const int64_t ratio = std::max(from_bits, to_bits) / std::min(from_bits, to_bits);
  if (from_bits != to_bits) wide.push_back(ratio);
  if (wide != narrow || std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0)
    return emitOpError("shapes do not hold the same bits");
  return success();
}

LogicalResult CompareOp::verify() {
  if (!getCompareType()) return success();
  const mlir::Type element = Ranked(getLhs()).getElementType();
  auto integer = llvm::dyn_cast<mlir::IntegerType>(element);
  bool fits = true;
  switch (*getCompareType()) {
    case ComparisonType::NOTYPE:
      break;
    case ComparisonType::FLOAT:
    case ComparisonType::TOTALORDER:
      fits = llvm::isa<mlir::FloatType, mlir::ComplexType>(element);
      break;
    case ComparisonType::SIGNED:
      fits = integer && integer.isSignless() && integer.getWidth() > 1;
      break;
    case ComparisonType::UNSIGNED:
      fits = integer && (integer.isUnsigned() || integer.getWidth() == 1);
      break;
  }
  if (fits) return success();
  return emitOpError("comparison type ") << stringifyComparisonType(*getCompareType())
                                         << " does not fit elements of type " << element;
}

LogicalResult SelectOp::verify() {
  RankedTensorType pred = Ranked(getPred());
  if (pred.getRank() != 0 && pred.getShape() != Ranked(getResult()).getShape()) {
    return emitOpError("predicate must be a scalar or have the shape of the result");
  }
  return success();
}

LogicalResult ClampOp::verify() {
  for (mlir::Value bound : {getMin(), getMax()}) {
    RankedTensorType type = Ranked(bound);
    if (type.getElementType() != Ranked(getOperand()).getElementType() ||
        (type.getRank() != 0 && type.getShape() != Ranked(getOperand()).getShape())) {
      return emitOpError("bounds must be scalars or have the type of the operand");
    }
  }
  return success();
}

LogicalResult IotaOp::verify() {
  if (static_cast<int64_t>(getIotaDimension()) >= Ranked(getOutput()).getRank()) {
    return emitOpError("iota dimension is not one of the result's");
  }
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  llvm::ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (from.getElementType() != to.getElementType()) return emitOpError("changes the element type");
  if (static_cast<int64_t>(dimensions.size()) != from.getRank() ||
      !AreDistinct(dimensions, to.getRank())) {
    return emitOpError("dims must name a distinct result dimension for each operand dimension");
  }
  for (auto [i, dimension] : llvm::enumerate(dimensions)) {
    const int64_t extent = from.getDimSize(i);
    if (extent != 1 && extent != to.getDimSize(dimension)) {
      return emitOpError("operand dimension ")
             << i << " of extent " << extent << " does not fit result dimension " << dimension
             << " of extent " << to.getDimSize(dimension);
    }
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  if (from.getElementType() != to.getElementType()) return emitOpError("changes the element type");
  if (from.hasStaticShape() && to.hasStaticShape() &&
      from.getNumElements() != to.getNumElements()) {
    return emitOpError("changes the number of elements from ")
           << from.getNumElements() << " to " << to.getNumElements();
  }
  return success();
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  const size_t rank = from.getRank();
  if (from.getElementType() != to.getElementType()) return emitOpError("changes the element type");
  if (getStartIndices().size() != rank || getLimitIndices().size() != rank ||
      getStrides().size() != rank || static_cast<size_t>(to.getRank()) != rank) {
    return emitOpError("needs a range for each dimension");
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t start = getStartIndices()[i], limit = getLimitIndices()[i];
    const int64_t stride = getStrides()[i];
    if (start < 0 || limit < start || limit > from.getDimSize(i) || stride < 1) {
      return emitOpError("range ") << i << " does not lie in the operand";
    }
    const int64_t steps = (limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0);
    if (to.getDimSize(i) != steps) return emitOpError("result has the wrong shape");
  }
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  if (from.getElementType() != to.getElementType()) return emitOpError("changes the element type");
  if (static_cast<int64_t>(getPermutation().size()) != from.getRank() ||
      from.getRank() != to.getRank() || !AreDistinct(getPermutation(), from.getRank())) {
    return emitOpError("dims must be a permutation of the operand's dimensions");
  }
  for (auto [i, dimension] : llvm::enumerate(getPermutation())) {
    if (to.getDimSize(i) != from.getDimSize(dimension))
      return emitOpError("result has the wrong shape");
  }
  return success();
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = Ranked(getLhs()), rhs = Ranked(getRhs());
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  llvm::ArrayRef<int64_t> lhs_batch = numbers.getLhsBatchingDimensions(),
                          rhs_batch = numbers.getRhsBatchingDimensions();
  llvm::ArrayRef<int64_t> lhs_contract = numbers.getLhsContractingDimensions(),
                          rhs_contract = numbers.getRhsContractingDimensions();
  llvm::SmallVector<int64_t> lhs_used(lhs_batch), rhs_used(rhs_batch);
  lhs_used.append(lhs_contract.begin(), lhs_contract.end());
  rhs_used.append(rhs_contract.begin(), rhs_contract.end());
  if (lhs_batch.size() != rhs_batch.size() || lhs_contract.size() != rhs_contract.size() ||
      !AreDistinct(lhs_used, lhs.getRank()) || !AreDistinct(rhs_used, rhs.getRank())) {
    return emitOpError("dimension numbers do not fit the operands");
  }
  // Sums may be wider than the operands, as of bf16 in f32.
  const mlir::Type element = lhs.getElementType(), sum = Ranked(getResult()).getElementType();
  const bool widens = (llvm::isa<mlir::FloatType>(element) && llvm::isa<mlir::FloatType>(sum)) ||
                      (element.isInteger() && sum.isInteger());
  if (element != rhs.getElementType() ||
      (element != sum &&
       !(widens && element.getIntOrFloatBitWidth() < sum.getIntOrFloatBitWidth()))) {
    return emitOpError("element types ")
           << element << " and " << rhs.getElementType() << " do not give " << sum;
  }
  if (DotAlgorithmAttr algorithm = getAlgorithmAttr()) {
    const bool positive = algorithm.getLhsComponentCount() > 0 &&
                          algorithm.getRhsComponentCount() > 0 &&
                          algorithm.getNumPrimitiveOperations() > 0;
    if (!positive) return emitOpError("the counts of an algorithm must be positive");
  }
  llvm::SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip(lhs_used, rhs_used)) {
    if (lhs.getDimSize(l) != rhs.getDimSize(r)) {
      return emitOpError("lhs dimension ")
             << l << " of extent " << lhs.getDimSize(l) << " meets rhs dimension " << r
             << " of extent " << rhs.getDimSize(r);
    }
  }
  for (int64_t dimension : lhs_batch) shape.push_back(lhs.getDimSize(dimension));
  for (int64_t i = 0; i < lhs.getRank(); ++i) {
    if (!llvm::is_contained(lhs_used, i)) shape.push_back(lhs.getDimSize(i));
  }
  for (int64_t i = 0; i < rhs.getRank(); ++i) {
    if (!llvm::is_contained(rhs_used, i)) shape.push_back(rhs.getDimSize(i));
  }
  if (llvm::ArrayRef(shape) != Ranked(getResult()).getShape())
    return emitOpError("result has the wrong shape");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty()) return emitOpError("needs an input");
  llvm::ArrayRef<int64_t> shape = Ranked(getInputs().front()).getShape();
  if (!AreDistinct(getDimensions(), shape.size()))
    return emitOpError("dimensions do not fit the inputs");
  llvm::SmallVector<int64_t> kept;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(i))) kept.push_back(extent);
  }
  const size_t count = getInputs().size();
  mlir::Block& block = getBody().front();
  if (getNumResults() != count || block.getNumArguments() != 2 * count ||
      block.getTerminator()->getNumOperands() != count) {
    return emitOpError(
        "needs one result, one returned value and two body arguments for each input");
  }
  const llvm::SmallVector<mlir::Type> scalars = BodyScalars(getBody(), getInputs());
  for (size_t i = 0; i < count; ++i) {
    const RankedTensorType scalar = Ranked(scalars[i]);
    const RankedTensorType init = Ranked(getInitValues()[i]);
    if (Ranked(getInputs()[i]).getShape() != shape) return emitOpError("inputs differ in shape");
    if (getResultTypes()[i] != RankedTensorType::get(kept, scalar.getElementType())) {
      return emitOpError("result ") << i << " has the wrong type";
    }
    bool fits = init.getRank() == 0 && Promotes(init.getElementType(), scalar.getElementType());
    for (mlir::Type type : {block.getArgument(i).getType(), block.getArgument(count + i).getType(),
                            block.getTerminator()->getOperand(i).getType()}) {
      fits &= type == scalar;
    }
    if (!fits)
      return emitOpError("init values and the body work on scalars of the inputs' element types");
  }
  return success();
}

}  // namespace quern::stablehlo
