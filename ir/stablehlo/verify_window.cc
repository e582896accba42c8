#include "ir/stablehlo/verify.h"
#include "ir/stablehlo/window.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

LogicalResult ReduceWindowOp::verify() {
  if (getInputs().empty()) return emitOpError("needs an input");
  const RankedTensorType first = Ranked(getInputs().front());
  if (std::optional<llvm::StringRef> error = WindowError({.sizes = getWindowDimensions(),
                                                          .strides = getWindowStrides(),
                                                          .base_dilations = getBaseDilations(),
                                                          .dilations = getWindowDilations(),
                                                          .padding = getPadding()},
                                                         first.getRank())) {
    return emitOpError(*error);
  }
  llvm::SmallVector<int64_t> shape;
  for (auto [dimension, extent] : llvm::zip(WindowOf(*this), first.getShape()))
    shape.push_back(dimension.Positions(extent));
  const llvm::SmallVector<mlir::Type> scalars = BodyScalars(getBody(), getInputs());
  if (getNumResults() != getInputs().size()) return emitOpError("needs a result for each input");
  for (auto [input, init, result, scalar] :
       llvm::zip(getInputs(), getInitValues(), getResults(), scalars)) {
    if (Ranked(input).getShape() != first.getShape())
      return emitOpError("inputs must have one shape");
    const mlir::Type element = Ranked(scalar).getElementType();
    if (Ranked(init).getRank() != 0 || !Promotes(Ranked(init).getElementType(), element))
      return emitOpError("init value must be ") << scalar << ", not " << init.getType();
    if (failed(CheckResult(*this, result, shape, element))) return failure();
  }
  llvm::SmallVector<mlir::Type> arguments(scalars);
  arguments.append(scalars);
  return CheckRegion(*this, getBody(), "body", arguments, scalars);
}

LogicalResult SelectAndScatterOp::verify() {
  const RankedTensorType operand = Ranked(getOperand()), source = Ranked(getSource());
  const llvm::SmallVector<int64_t> ones(operand.getRank(), 1);
  if (std::optional<llvm::StringRef> error =
          WindowError({.sizes = getWindowDimensions().value_or(ones),
                       .strides = getWindowStrides(),
                       .padding = getPadding()},
                      operand.getRank())) {
    return emitOpError(*error);
  }
  llvm::SmallVector<int64_t> shape;
  for (auto [dimension, extent] : llvm::zip(WindowOf(*this), operand.getShape()))
    shape.push_back(dimension.Positions(extent));
  const auto expected = RankedTensorType::get(shape, operand.getElementType());
  if (source != expected) return emitOpError("source must be ") << expected << ", not " << source;
  const RankedTensorType scalar = ScalarOf(getOperand());
  if (getInitValue().getType() != scalar)
    return emitOpError("init value must be ") << scalar << ", not " << getInitValue().getType();
  const mlir::Type arguments[] = {scalar, scalar};
  const mlir::Type truth = RankedTensorType::get({}, mlir::IntegerType::get(getContext(), 1));
  const mlir::Type returned = scalar;
  if (failed(CheckResult(*this, getResult(), operand.getShape(), operand.getElementType())) ||
      failed(CheckRegion(*this, getSelect(), "select", arguments, truth))) {
    return failure();
  }
  return CheckRegion(*this, getScatter(), "scatter", arguments, returned);
}

// Whether batch, feature and spatial dimensions are all dimensions of a tensor, each once.
static bool AreAll(int64_t a, int64_t b, llvm::ArrayRef<int64_t> spatial, int64_t rank) {
  return static_cast<int64_t>(spatial.size()) + 2 == rank &&
         AreDistinct(Concatenated({a, b}, spatial), rank);
}

LogicalResult ConvolutionOp::verify() {
  const RankedTensorType lhs = Ranked(getLhs()), rhs = Ranked(getRhs()), out = Ranked(getResult());
  const ConvDimensionNumbersAttr n = getDimensionNumbers();
  const int64_t rank = lhs.getRank();
  if (rhs.getRank() != rank || out.getRank() != rank ||
      !AreAll(n.getInputBatchDimension(), n.getInputFeatureDimension(),
              n.getInputSpatialDimensions(), rank) ||
      !AreAll(n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension(),
              n.getKernelSpatialDimensions(), rank) ||
      !AreAll(n.getOutputBatchDimension(), n.getOutputFeatureDimension(),
              n.getOutputSpatialDimensions(), rank)) {
    return emitOpError("dim_numbers must name every dimension of operands and result once");
  }
  llvm::SmallVector<int64_t> sizes;
  for (int64_t dimension : n.getKernelSpatialDimensions())
    sizes.push_back(rhs.getDimSize(dimension));
  if (std::optional<llvm::StringRef> error = WindowError({.sizes = sizes,
                                                          .strides = getWindowStrides(),
                                                          .base_dilations = getLhsDilation(),
                                                          .dilations = getRhsDilation(),
                                                          .reversal = getWindowReversal(),
                                                          .padding = getPadding()},
                                                         sizes.size())) {
    return emitOpError(*error);
  }
  const int64_t batch = lhs.getDimSize(n.getInputBatchDimension()),
                feature = lhs.getDimSize(n.getInputFeatureDimension()),
                kernel_in = rhs.getDimSize(n.getKernelInputFeatureDimension()),
                kernel_out = rhs.getDimSize(n.getKernelOutputFeatureDimension());
  const auto features = static_cast<int64_t>(getFeatureGroupCount()),
             batches = static_cast<int64_t>(getBatchGroupCount());
  if (features > 1 && batches > 1)
    return emitOpError("feature and batch groups exclude each other");
  if (feature % features != 0 || feature / features != kernel_in) {
    return emitOpError("input features ")
           << feature << " in " << features << " groups do not meet the kernel's " << kernel_in;
  }
  if (kernel_out % features != 0 || kernel_out % batches != 0 || batch % batches != 0) {
    return emitOpError("groups do not divide the kernel's output features ")
           << kernel_out << " or the batch " << batch;
  }
  llvm::SmallVector<int64_t> shape(rank);
  shape[n.getOutputBatchDimension()] = batch / batches;
  shape[n.getOutputFeatureDimension()] = kernel_out;
  const Window window = WindowOf(*this);
  for (auto [i, dimension] : llvm::enumerate(window)) {
    shape[n.getOutputSpatialDimensions()[i]] =
        dimension.Positions(lhs.getDimSize(n.getInputSpatialDimensions()[i]));
  }
  return CheckResult(*this, getResult(), shape, out.getElementType());
}

}  // namespace quern::stablehlo
