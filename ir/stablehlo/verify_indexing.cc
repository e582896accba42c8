#include "ir/stablehlo/verify.h"

namespace quern::stablehlo {

using mlir::failure;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

// The dimension lists of a gather or a scatter in the words of the gather.
struct Indexing {
  llvm::ArrayRef<int64_t> window;         // offset_dims or update_window_dims
  llvm::ArrayRef<int64_t> collapsed;      // of the operand
  llvm::ArrayRef<int64_t> operand_batch;  // of the operand
  llvm::ArrayRef<int64_t> indices_batch;  // of the indices
  llvm::ArrayRef<int64_t> index_map;      // operand dimension of each component
  int64_t vector_dim;
};

// What is wrong whatever the op's sizes are; `result_rank` is that of the gather's result or of
// the scatter's updates.
static LogicalResult CheckIndexing(mlir::Operation* op, const Indexing& n, RankedTensorType operand,
                                   RankedTensorType indices, int64_t result_rank) {
  if (n.vector_dim < 0 || n.vector_dim > indices.getRank())
    return op->emitOpError("index_vector_dim is not a dimension of the indices or the one after");
  const int64_t components =
      n.vector_dim == indices.getRank() ? 1 : indices.getDimSize(n.vector_dim);
  if (static_cast<int64_t>(n.index_map.size()) != components) {
    return op->emitOpError("maps ")
           << n.index_map.size() << " index components, but indices have " << components;
  }
  if (!AreDistinct(n.window, result_rank) || !AreSorted(n.window))
    return op->emitOpError("window dimensions must be ascending dimensions of the window's tensor");
  if (!AreDistinct(Concatenated(n.collapsed, n.operand_batch), operand.getRank()) ||
      !AreSorted(n.collapsed) || !AreSorted(n.operand_batch)) {
    return op->emitOpError(
        "collapsed and batching dimensions must be distinct, ascending dimensions of the operand");
  }
  if (!AreDistinct(Concatenated(n.index_map, n.operand_batch), operand.getRank())) {
    return op->emitOpError(
        "index components must name distinct dimensions of the operand that are not batching ones");
  }
  if (!AreDistinct(n.indices_batch, indices.getRank()) ||
      llvm::is_contained(n.indices_batch, n.vector_dim) ||
      n.indices_batch.size() != n.operand_batch.size()) {
    return op->emitOpError(
        "batching dimensions of the indices must be distinct, one for each of the operand's");
  }
  for (auto [of_indices, of_operand] : llvm::zip(n.indices_batch, n.operand_batch)) {
    if (indices.getDimSize(of_indices) != operand.getDimSize(of_operand)) {
      return op->emitOpError("batching dimensions differ in extent: ")
             << indices.getDimSize(of_indices) << " and " << operand.getDimSize(of_operand);
    }
  }
  if (n.window.size() + n.collapsed.size() + n.operand_batch.size() !=
      static_cast<size_t>(operand.getRank())) {
    return op->emitOpError("window, collapsed and batching dimensions do not add up to the rank ")
           << operand.getRank() << " of the operand";
  }
  return success();
}

// The extents of the indices without the index vector.
static llvm::SmallVector<int64_t> BatchShape(RankedTensorType indices, int64_t vector_dim) {
  llvm::SmallVector<int64_t> shape(indices.getShape());
  if (vector_dim < indices.getRank()) shape.erase(shape.begin() + vector_dim);
  return shape;
}

// `window` extents at the dimensions `places`, `batch` extents at the others, in order.
static llvm::SmallVector<int64_t> Interleave(llvm::ArrayRef<int64_t> window,
                                             llvm::ArrayRef<int64_t> places,
                                             llvm::ArrayRef<int64_t> batch) {
  llvm::SmallVector<int64_t> shape(window.size() + batch.size(), -1);
  for (auto [place, extent] : llvm::zip(places, window)) shape[place] = extent;
  const int64_t* next = batch.begin();
  for (int64_t& extent : shape) {
    if (extent < 0) extent = *next++;
  }
  return shape;
}

LogicalResult GatherOp::verify() {
  const RankedTensorType operand = Ranked(getOperand()), indices = Ranked(getStartIndices());
  const GatherDimensionNumbersAttr numbers = getDimensionNumbers();
  const Indexing n = {numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
                      numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
                      numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  if (failed(CheckIndexing(*this, n, operand, indices, Ranked(getResult()).getRank())))
    return failure();
  const llvm::ArrayRef<int64_t> sizes = getSliceSizes();
  if (static_cast<int64_t>(sizes.size()) != operand.getRank())
    return emitOpError("needs a slice size for each dimension of the operand");
  llvm::SmallVector<int64_t> window;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    const auto dimension = static_cast<int64_t>(i);
    const bool single = llvm::is_contained(n.collapsed, dimension) ||
                        llvm::is_contained(n.operand_batch, dimension);
    if (size < 0 || size > operand.getDimSize(i) || (single && size > 1)) {
      return emitOpError("slice size ") << size << " does not fit dimension " << i << " of extent "
                                        << (single ? 1 : operand.getDimSize(i));
    }
    if (!single) window.push_back(size);
  }
  const llvm::SmallVector<int64_t> batch = BatchShape(indices, n.vector_dim);
  if (!AreDistinct(n.window, window.size() + batch.size()))
    return emitOpError("offset_dims must be ascending dimensions of the result");
  return CheckResult(*this, getResult(), Interleave(window, n.window, batch),
                     operand.getElementType());
}

LogicalResult ScatterOp::verify() {
  if (getInputs().empty()) return emitOpError("needs an input");
  const RankedTensorType input = Ranked(getInputs().front()), indices = Ranked(getScatterIndices()),
                         update = Ranked(getUpdates().front());
  const ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  const Indexing n = {
      numbers.getUpdateWindowDims(),         numbers.getInsertedWindowDims(),
      numbers.getInputBatchingDims(),        numbers.getScatterIndicesBatchingDims(),
      numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()};
  if (failed(CheckIndexing(*this, n, input, indices, update.getRank()))) return failure();
  llvm::SmallVector<int64_t> window;
  const llvm::SmallVector<int64_t> taken = Concatenated(n.collapsed, n.operand_batch);
  for (auto [place, dimension] : llvm::zip(n.window, Others(taken, input.getRank()))) {
    window.push_back(update.getDimSize(place));
    if (window.back() > input.getDimSize(dimension)) {
      return emitOpError("update window of extent ")
             << window.back() << " does not fit dimension " << dimension << " of extent "
             << input.getDimSize(dimension);
    }
  }
  const llvm::SmallVector<int64_t> batch = BatchShape(indices, n.vector_dim);
  if (static_cast<size_t>(update.getRank()) != window.size() + batch.size()) {
    return emitOpError("updates must have rank ") << window.size() + batch.size();
  }
  const llvm::SmallVector<int64_t> shape = Interleave(window, n.window, batch);
  const llvm::SmallVector<mlir::Type> scalars = BodyScalars(getUpdateComputation(), getInputs());
  if (getNumResults() != getInputs().size())
    return emitOpError("results must have the inputs' types");
  for (auto [each_input, each_update, result, scalar] :
       llvm::zip(getInputs(), getUpdates(), getResults(), scalars)) {
    if (Ranked(each_input).getShape() != input.getShape())
      return emitOpError("inputs must have one shape");
    const mlir::Type element = Ranked(scalar).getElementType();
    const auto expected = RankedTensorType::get(shape, Ranked(each_input).getElementType());
    if (Ranked(each_update).getShape() != expected.getShape() ||
        !Promotes(Ranked(each_update).getElementType(), element)) {
      return emitOpError("updates must be ") << expected << ", not " << each_update.getType();
    }
    if (result.getType() != RankedTensorType::get(input.getShape(), element))
      return emitOpError("results must have the inputs' types");
  }
  llvm::SmallVector<mlir::Type> arguments(scalars);
  arguments.append(scalars);
  return CheckRegion(*this, getUpdateComputation(), "update computation", arguments, scalars);
}

}  // namespace quern::stablehlo
