#include "ir/stablehlo/verify.h"

namespace quern::stablehlo {

using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

LogicalResult BroadcastOp::verify() {
  for (int64_t size : getBroadcastSizes()) {
    if (size < 0) return emitOpError("sizes must not be negative");
  }
  const RankedTensorType from = Ranked(getOperand());
  return CheckResult(*this, getResult(), Concatenated(getBroadcastSizes(), from.getShape()),
                     from.getElementType());
}

LogicalResult ConcatenateOp::verify() {
  if (getInputs().empty()) return emitOpError("needs an input");
  const RankedTensorType first = Ranked(getInputs().front());
  const auto along = static_cast<int64_t>(getDimension());
  if (along >= first.getRank()) return emitOpError("dim is not one of the inputs'");
  llvm::SmallVector<int64_t> shape(first.getShape());
  shape[along] = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    const RankedTensorType type = Ranked(input);
    bool fits =
        type.getElementType() == first.getElementType() && type.getRank() == first.getRank();
    for (int64_t d = 0; fits && d < type.getRank(); ++d)
      fits = d == along || type.getDimSize(d) == first.getDimSize(d);
    if (!fits) {
      return emitOpError("input ") << i << " of type " << type << " does not fit " << first
                                   << " along dimension " << along;
    }
    if (__builtin_add_overflow(shape[along], type.getDimSize(along), &shape[along]))
      return emitOpError("result is too large");
  }
  return CheckResult(*this, getResult(), shape, first.getElementType());
}

LogicalResult PadOp::verify() {
  const RankedTensorType from = Ranked(getOperand());
  const size_t rank = from.getRank();
  if (getPaddingValue().getType() != ScalarOf(getOperand()))
    return emitOpError("padding value must be a scalar of the operand's element type");
  if (getEdgePaddingLow().size() != rank || getEdgePaddingHigh().size() != rank ||
      getInteriorPadding().size() != rank) {
    return emitOpError("low, high and interior need a value for each dimension");
  }
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = from.getDimSize(i), interior = getInteriorPadding()[i];
    if (interior < 0) return emitOpError("interior padding must not be negative");
    static constexpr int64_t kLargest = int64_t{1} << 48;  // so that sums of two do not overflow
    for (int64_t edge : {getEdgePaddingLow()[i], getEdgePaddingHigh()[i], interior}) {
      if (edge < -kLargest || edge > kLargest)
        return emitOpError("padding must be from -2^48 to 2^48");
    }
    using Wide = __int128;
    const Wide holes = extent == 0 ? 0 : Wide{extent - 1} * interior;
    const Wide padded = Wide{extent} + holes + getEdgePaddingLow()[i] + getEdgePaddingHigh()[i];
    if (padded < 0) {
      return emitOpError("padding takes more away from dimension ") << i << " than it has";
    }
    if (padded > std::numeric_limits<int64_t>::max()) return emitOpError("result is too large");
    shape.push_back(static_cast<int64_t>(padded));
  }
  return CheckResult(*this, getResult(), shape, from.getElementType());
}

LogicalResult ReverseOp::verify() {
  if (AreDistinct(getDimensions(), Ranked(getOperand()).getRank())) return success();
  return emitOpError("dims must be distinct dimensions of the operand");
}

// Starts of one integer type, one for each dimension.
static LogicalResult CheckStarts(mlir::Operation* op, mlir::ValueRange starts, int64_t rank) {
  if (static_cast<int64_t>(starts.size()) != rank) {
    return op->emitOpError("needs a start for each of the ")
           << rank << " dimensions, not " << starts.size();
  }
  for (mlir::Value start : starts) {
    if (start.getType() != starts.front().getType())
      return op->emitOpError("starts must have one type");
  }
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  const RankedTensorType from = Ranked(getOperand());
  if (failed(CheckStarts(*this, getStartIndices(), from.getRank()))) return mlir::failure();
  if (static_cast<int64_t>(getSliceSizes().size()) != from.getRank())
    return emitOpError("needs a size for each dimension");
  for (auto [i, size] : llvm::enumerate(getSliceSizes())) {
    if (size < 0 || size > from.getDimSize(i)) {
      return emitOpError("size ") << size << " does not fit dimension " << i << " of extent "
                                  << from.getDimSize(i);
    }
  }
  return CheckResult(*this, getResult(), getSliceSizes(), from.getElementType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  const RankedTensorType into = Ranked(getOperand()), update = Ranked(getUpdate());
  if (failed(CheckStarts(*this, getStartIndices(), into.getRank()))) return mlir::failure();
  bool fits =
      update.getElementType() == into.getElementType() && update.getRank() == into.getRank();
  for (int64_t i = 0; fits && i < into.getRank(); ++i)
    fits = update.getDimSize(i) <= into.getDimSize(i);
  if (fits) return success();
  return emitOpError("update ") << update << " does not fit in " << into;
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return emitOpError("needs an input");
  const RankedTensorType first = Ranked(getInputs().front());
  if (getOperandTypes() != getResultTypes())
    return emitOpError("results must have the inputs' types");
  llvm::SmallVector<mlir::Type> arguments;
  for (mlir::Value input : getInputs()) {
    if (Ranked(input).getShape() != first.getShape())
      return emitOpError("inputs must have one shape");
    arguments.append(2, ScalarOf(input));
  }
  const int64_t dimension = getDimension();
  if (dimension < -first.getRank() || dimension >= first.getRank())
    return emitOpError("dimension ") << dimension << " is not one of the inputs'";
  const mlir::Type truth = RankedTensorType::get({}, mlir::IntegerType::get(getContext(), 1));
  return CheckRegion(*this, getComparator(), "comparator", arguments, truth);
}

}  // namespace quern::stablehlo
