#include "bundle/status.h"
#include "llvm/ADT/TypeSwitch.h"
#include "search/naive_ops.h"

namespace quern::search {

namespace hlo = stablehlo;

static absl::Status Pad(Emission& emit, hlo::PadOp pad, const Point& at, mlir::Value to) {
  mlir::Value element = emit.Register("element", TensorOf(pad.getResult()).getElementType());
  QUERN_ASSIGN_OR_RETURN(mlir::Value padding, emit.Read(pad.getPaddingValue(), {}));
  emit.StoreRegister(padding, element);
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  Point source{.counters = at.counters};
  llvm::SmallVector<mlir::AffineExpr> inside, whole;
  for (auto [d, extent] : llvm::enumerate(TensorOf(pad.getOperand()).getShape())) {
    const int64_t step = pad.getInteriorPadding()[d] + 1, low = pad.getEdgePaddingLow()[d];
    const mlir::AffineExpr place = at.index[d] - low;
    if (low > 0) inside.push_back(place);
    if (pad.getEdgePaddingHigh()[d] > 0 || extent == 0) {
      inside.push_back(emit.Constant((extent - 1) * step) - place);
    }
    if (step > 1) whole.push_back(place % step);
    source.index.push_back(place.floorDiv(step));
  }
  emit.OpenGuard(at, inside, whole);
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(pad.getOperand(), source));
  emit.StoreRegister(value, element);
  emit.builder().restoreInsertionPoint(after);
  emit.Store(emit.LoadRegister(element), to, at);
  return absl::OkStatus();
}

static absl::Status Concatenate(Emission& emit, hlo::ConcatenateOp op, const Point& at,
                                mlir::Value to) {
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  const uint64_t dimension = op.getDimension();
  const int64_t total = TensorOf(op.getResult()).getShape()[dimension];
  int64_t first = 0;
  for (mlir::Value input : op.getInputs()) {
    const int64_t extent = TensorOf(input).getShape()[dimension];
    if (extent == 0) continue;
    Point source = at;
    source.index[dimension] = at.index[dimension] - first;
    llvm::SmallVector<mlir::AffineExpr> inside;
    if (first > 0) inside.push_back(source.index[dimension]);
    if (first + extent < total) {
      inside.push_back(emit.Constant(first + extent - 1) - at.index[dimension]);
    }
    emit.OpenGuard(at, inside);
    QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(input, source));
    emit.Store(value, to, at);
    emit.builder().restoreInsertionPoint(after);
    first += extent;
  }
  return absl::OkStatus();
}

// Where the slice of `sizes` starts, moved so that it lies in `shape`; as counters of the point.
static absl::StatusOr<llvm::SmallVector<mlir::AffineExpr>> Starts(Emission& emit, Point& point,
                                                                  mlir::ValueRange indices,
                                                                  llvm::ArrayRef<int64_t> shape,
                                                                  llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<mlir::AffineExpr> starts;
  for (auto [d, index] : llvm::enumerate(indices)) {
    if (shape[d] == sizes[d]) {
      starts.push_back(emit.Constant(0));
      continue;
    }
    QUERN_ASSIGN_OR_RETURN(mlir::Value start, emit.Read(index, {}));
    starts.push_back(
        emit.ComputedIndex(point, start, TensorOf(index).getElementType(), 0, shape[d] - sizes[d]));
  }
  return starts;
}

static absl::Status DynamicSlice(Emission& emit, hlo::DynamicSliceOp op, Point at, mlir::Value to) {
  Point source = at;
  QUERN_ASSIGN_OR_RETURN(
      auto starts, Starts(emit, source, op.getStartIndices(), TensorOf(op.getOperand()).getShape(),
                          op.getSliceSizes()));
  for (auto [index, start] : llvm::zip(source.index, starts)) index = index + start;
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(op.getOperand(), source));
  emit.Store(value, to, at);
  return absl::OkStatus();
}

static absl::Status DynamicUpdateSlice(Emission& emit, hlo::DynamicUpdateSliceOp op,
                                       const Point& at, mlir::Value to) {
  llvm::ArrayRef<int64_t> sizes = TensorOf(op.getUpdate()).getShape();
  mlir::Value element = emit.Register("element", TensorOf(op.getResult()).getElementType());
  QUERN_ASSIGN_OR_RETURN(mlir::Value kept, emit.Read(op.getOperand(), at));
  emit.StoreRegister(kept, element);
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();
  Point source = at;
  QUERN_ASSIGN_OR_RETURN(auto starts, Starts(emit, source, op.getStartIndices(),
                                             TensorOf(op.getOperand()).getShape(), sizes));
  llvm::SmallVector<mlir::AffineExpr> inside;
  for (size_t d = 0; d < starts.size(); ++d) {
    source.index[d] = source.index[d] - starts[d];
    if (sizes[d] == TensorOf(op.getOperand()).getShape()[d]) continue;
    inside.push_back(source.index[d]);
    inside.push_back(emit.Constant(sizes[d] - 1) - source.index[d]);
  }
  emit.OpenGuard(source, inside);
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(op.getUpdate(), source));
  emit.StoreRegister(value, element);
  emit.builder().restoreInsertionPoint(after);
  emit.Store(emit.LoadRegister(element), to, at);
  return absl::OkStatus();
}

std::optional<absl::Status> EmitMovement(Emission& emit, mlir::Operation* op, const Point& at,
                                         llvm::ArrayRef<mlir::Value> to) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<absl::Status>>(op)
      .Case([&](hlo::PadOp pad) { return Pad(emit, pad, at, to[0]); })
      .Case([&](hlo::ConcatenateOp join) { return Concatenate(emit, join, at, to[0]); })
      .Case([&](hlo::DynamicSliceOp slice) { return DynamicSlice(emit, slice, at, to[0]); })
      .Case([&](hlo::DynamicUpdateSliceOp slice) {
        return DynamicUpdateSlice(emit, slice, at, to[0]);
      })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

}  // namespace quern::search
