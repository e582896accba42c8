#include "ir/stablehlo/verify.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

LogicalResult DotOp::verify() {
  const RankedTensorType lhs = Ranked(getLhs()), rhs = Ranked(getRhs());
  const int64_t left = lhs.getRank(), right = rhs.getRank();
  if (left < 1 || left > 2 || right < 1 || right > 2)
    return emitOpError("multiplies vectors and matrices only");
  if (lhs.getDimSize(left - 1) != rhs.getDimSize(0)) {
    return emitOpError("lhs extent ")
           << lhs.getDimSize(left - 1) << " meets rhs extent " << rhs.getDimSize(0);
  }
  llvm::SmallVector<int64_t> shape;
  if (left == 2) shape.push_back(lhs.getDimSize(0));
  if (right == 2) shape.push_back(rhs.getDimSize(1));
  return CheckResult(*this, getResult(), shape, Ranked(getResult()).getElementType());
}

static bool IsFloatOrComplex(mlir::Type element) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) element = complex.getElementType();
  return llvm::isa<mlir::FloatType>(element);
}

LogicalResult TriangularSolveOp::verify() {
  const RankedTensorType a = Ranked(getA()), b = Ranked(getB());
  const int64_t rank = a.getRank();
  if (a.getElementType() != b.getElementType() || !IsFloatOrComplex(a.getElementType()))
    return emitOpError("operands must have one floating-point or complex element type");
  if (rank < 2 || b.getRank() != rank || a.getDimSize(rank - 1) != a.getDimSize(rank - 2))
    return emitOpError("a must be square matrices and b of the same rank");
  for (int64_t i = 0; i < rank - 2; ++i) {
    if (a.getDimSize(i) != b.getDimSize(i)) return emitOpError("operands differ in batch extents");
  }
  if (b.getDimSize(getLeftSide() ? rank - 2 : rank - 1) != a.getDimSize(rank - 1))
    return emitOpError("b does not fit the matrices a");
  if (getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOpError("transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return success();
}

LogicalResult CholeskyOp::verify() {
  const RankedTensorType a = Ranked(getA());
  const int64_t rank = a.getRank();
  if (!IsFloatOrComplex(a.getElementType()))
    return emitOpError("operand must have a floating-point or complex element type");
  if (rank < 2 || a.getDimSize(rank - 1) != a.getDimSize(rank - 2))
    return emitOpError("operand must be square matrices");
  return success();
}

LogicalResult FftOp::verify() {
  const RankedTensorType from = Ranked(getOperand()), to = Ranked(getResult());
  const llvm::ArrayRef<int64_t> length = getFftLength();
  const int64_t rank = from.getRank(), count = length.size();
  if (count < 1 || count > 3 || count > rank)
    return emitOpError("length must have 1 to 3 extents, at most the operand's rank");
  auto element = [](RankedTensorType type) {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type.getElementType());
    return std::pair(complex != nullptr,
                     complex ? complex.getElementType() : type.getElementType());
  };
  const auto [from_complex, from_part] = element(from);
  const auto [to_complex, to_part] = element(to);
  const bool real_in = getFftType() == FftType::RFFT, real_out = getFftType() == FftType::IRFFT;
  if (from_complex == real_in || to_complex == real_out || from_part != to_part ||
      !(from_part.isF32() || from_part.isF64())) {
    return emitOpError(stringifyFftType(getFftType()))
           << " does not turn " << from << " into " << to;
  }
  llvm::SmallVector<int64_t> shape(from.getShape());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t dimension = rank - count + i;
    const bool half = real_out && i == count - 1;
    if (length[i] < 0) return emitOpError("length must not be negative");
    // A real transform keeps the first half of its last dimension, and the middle.
    const int64_t expected = half && length[i] > 0 ? length[i] / 2 + 1 : length[i];
    if (from.getDimSize(dimension) != expected) {
      return emitOpError("dimension ") << dimension << " must have extent " << expected << ", not "
                                       << from.getDimSize(dimension);
    }
    shape[dimension] = length[i];
  }
  if (real_in && length.back() > 0) shape[rank - 1] = length.back() / 2 + 1;
  return CheckResult(*this, getResult(), shape, to.getElementType());
}

LogicalResult RngBitGeneratorOp::verify() {
  const RankedTensorType state = Ranked(getInitialState());
  if (getOutputState().getType() != state)
    return emitOpError("output state must have the initial state's type");
  auto element = llvm::dyn_cast<mlir::IntegerType>(state.getElementType());
  if (!element || element.getWidth() != 64 || state.getRank() != 1)
    return emitOpError("state must be a vector of ui64 or i64");
  const int64_t words = state.getDimSize(0);
  const bool fits =
      getRngAlgorithm() == RngAlgorithm::THREE_FRY ? words == 2 : words == 2 || words == 3;
  if (!fits) {
    return emitOpError("state of ")
           << stringifyRngAlgorithm(getRngAlgorithm()) << " must have "
           << (getRngAlgorithm() == RngAlgorithm::THREE_FRY ? "2 words" : "2 or 3 words");
  }
  const mlir::Type output = Ranked(getOutput()).getElementType();
  if (!output.isIntOrFloat() || output.getIntOrFloatBitWidth() < 8)
    return emitOpError("output must have elements of 8 to 64 bits");
  return success();
}

// The vectors of a batch normalisation have one element for each feature.
static LogicalResult CheckFeatures(mlir::Operation* op, mlir::Value operand, int64_t feature,
                                   mlir::ValueRange vectors) {
  const RankedTensorType type = Ranked(operand);
  if (feature >= type.getRank())
    return op->emitOpError("feature_index is not a dimension of the operand");
  const auto expected = RankedTensorType::get({type.getDimSize(feature)}, type.getElementType());
  for (mlir::Value vector : vectors) {
    if (vector.getType() == expected) continue;
    return op->emitOpError("statistics must be ") << expected << ", not " << vector.getType();
  }
  return success();
}

static LogicalResult CheckWhole(mlir::Operation* op, mlir::Value operand, mlir::Value whole) {
  if (operand.getType() == whole.getType()) return success();
  return op->emitOpError("expected ") << operand.getType() << ", not " << whole.getType();
}

LogicalResult BatchNormInferenceOp::verify() {
  if (failed(CheckWhole(*this, getOperand(), getResult()))) return failure();
  return CheckFeatures(*this, getOperand(), getFeatureIndex(),
                       {getScale(), getOffset(), getMean(), getVariance()});
}

LogicalResult BatchNormTrainingOp::verify() {
  if (failed(CheckWhole(*this, getOperand(), getOutput()))) return failure();
  return CheckFeatures(*this, getOperand(), getFeatureIndex(),
                       {getScale(), getOffset(), getBatchMean(), getBatchVar()});
}

LogicalResult BatchNormGradOp::verify() {
  if (failed(CheckWhole(*this, getOperand(), getGradOutput())) ||
      failed(CheckWhole(*this, getOperand(), getGradOperand()))) {
    return failure();
  }
  return CheckFeatures(*this, getOperand(), getFeatureIndex(),
                       {getScale(), getMean(), getVariance(), getGradScale(), getGradOffset()});
}

}  // namespace quern::stablehlo
