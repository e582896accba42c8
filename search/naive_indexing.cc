#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "search/naive_ops.h"
#include "search/naive_scalar.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace hlo = stablehlo;

namespace {

// How the indices of a gather or a scatter are laid out.
struct IndexVectors {
  mlir::Value indices;
  int64_t vector_dimension;
  llvm::ArrayRef<int64_t> map, operand_batch, indices_batch;
};

}  // namespace

// Component `number` of the index vector at `batch`.
static absl::StatusOr<mlir::Value> Component(Emission& emit, const IndexVectors& vectors,
                                             const Point& at,
                                             llvm::ArrayRef<mlir::AffineExpr> batch,
                                             int64_t number) {
  Point source{.counters = at.counters};
  source.index.assign(batch.begin(), batch.end());
  if (vectors.vector_dimension < TensorOf(vectors.indices).getRank()) {
    source.index.insert(source.index.begin() + vectors.vector_dimension, emit.Constant(number));
  }
  return emit.Read(vectors.indices, source);
}

// The window's start along each dimension of the operand, moved into [low, high]; computed ones
// become counters of `at`.
static absl::StatusOr<llvm::SmallVector<mlir::AffineExpr>> Starts(
    Emission& emit, const IndexVectors& vectors, Point& at, llvm::ArrayRef<mlir::AffineExpr> batch,
    llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) {
  llvm::SmallVector<mlir::AffineExpr> starts(low.size(), emit.Constant(0));
  for (auto [number, dimension] : llvm::enumerate(vectors.map)) {
    if (low[dimension] == high[dimension]) continue;
    QUERN_ASSIGN_OR_RETURN(mlir::Value component, Component(emit, vectors, at, batch, number));
    starts[dimension] = emit.ComputedIndex(
        at, component, TensorOf(vectors.indices).getElementType(), low[dimension], high[dimension]);
  }
  for (auto [dimension, where] : llvm::zip(vectors.operand_batch, vectors.indices_batch)) {
    starts[dimension] = batch[where < vectors.vector_dimension ? where : where - 1];
  }
  return starts;
}

static absl::Status Gather(Emission& emit, hlo::GatherOp op, const Point& at, mlir::Value to) {
  const hlo::GatherDimensionNumbersAttr n = op.getDimensionNumbers();
  llvm::ArrayRef<int64_t> shape = TensorOf(op.getOperand()).getShape();
  llvm::SmallVector<mlir::AffineExpr> batch;
  for (size_t i = 0; i < at.index.size(); ++i) {
    if (!llvm::is_contained(n.getOffsetDims(), static_cast<int64_t>(i))) {
      batch.push_back(at.index[i]);
    }
  }
  llvm::SmallVector<int64_t> low(shape.size(), 0), high;
  for (auto [extent, size] : llvm::zip(shape, op.getSliceSizes())) high.push_back(extent - size);
  Point source = at;
  QUERN_ASSIGN_OR_RETURN(source.index,
                         Starts(emit,
                                {op.getStartIndices(), n.getIndexVectorDim(), n.getStartIndexMap(),
                                 n.getOperandBatchingDims(), n.getStartIndicesBatchingDims()},
                                source, batch, low, high));
  const int64_t* offset = n.getOffsetDims().begin();
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (llvm::is_contained(n.getCollapsedSliceDims(), dimension) ||
        llvm::is_contained(n.getOperandBatchingDims(), dimension)) {
      continue;
    }
    source.index[d] = source.index[d] + at.index[*offset++];
  }
  QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(op.getOperand(), source));
  emit.Store(value, to, at);
  return absl::OkStatus();
}

static absl::Status Scatter(Emission& emit, hlo::ScatterOp op, const Point& at,
                            llvm::ArrayRef<mlir::Value> to) {
  const hlo::ScatterDimensionNumbersAttr n = op.getScatterDimensionNumbers();
  llvm::ArrayRef<int64_t> shape = TensorOf(op.getInputs()[0]).getShape();
  llvm::ArrayRef<int64_t> updates = TensorOf(op.getUpdates()[0]).getShape();
  llvm::SmallVector<mlir::Value> accumulators;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    accumulators.push_back(emit.Accumulator(number, TensorOf(input).getElementType()));
    QUERN_ASSIGN_OR_RETURN(mlir::Value kept, emit.Read(input, at));
    emit.StoreRegister(kept, accumulators.back());
  }
  mlir::OpBuilder::InsertPoint after = emit.builder().saveInsertionPoint();

  llvm::SmallVector<int64_t> batch_shape, batch_dims;
  for (size_t i = 0; i < updates.size(); ++i) {
    if (llvm::is_contained(n.getUpdateWindowDims(), static_cast<int64_t>(i))) continue;
    batch_dims.push_back(i);
    batch_shape.push_back(updates[i]);
  }
  Point source = emit.OpenLoops("u", batch_shape, at);
  llvm::SmallVector<mlir::AffineExpr> batch = source.index;
  llvm::SmallVector<int64_t> low, high(shape);
  for (int64_t extent : shape) low.push_back(-extent);
  QUERN_ASSIGN_OR_RETURN(
      auto starts,
      Starts(emit,
             {op.getScatterIndices(), n.getIndexVectorDim(), n.getScatterDimsToOperandDims(),
              n.getInputBatchingDims(), n.getScatterIndicesBatchingDims()},
             source, batch, low, high));
  // An update of this index meets the element where their distance lies in the window.
  source.index.assign(updates.size(), emit.Constant(0));
  for (auto [dimension, index] : llvm::zip(batch_dims, batch)) source.index[dimension] = index;
  llvm::SmallVector<mlir::AffineExpr> inside, equal;
  const int64_t* window = n.getUpdateWindowDims().begin();
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    const mlir::AffineExpr distance = at.index[d] - starts[d];
    if (llvm::is_contained(n.getInsertedWindowDims(), dimension) ||
        llvm::is_contained(n.getInputBatchingDims(), dimension)) {
      equal.push_back(distance);
      continue;
    }
    inside.push_back(distance);
    inside.push_back(emit.Constant(updates[*window] - 1) - distance);
    source.index[*window++] = distance;
  }
  emit.OpenGuard(source, inside, equal);
  llvm::SmallVector<mlir::Value> arguments = emit.LoadRegisters(accumulators);
  for (mlir::Value update : op.getUpdates()) {
    QUERN_ASSIGN_OR_RETURN(arguments.emplace_back(), emit.Read(update, source));
  }
  QUERN_RETURN_IF_ERROR(emit.Combine(op.getUpdateComputation().front(), arguments, accumulators));
  emit.builder().restoreInsertionPoint(after);
  emit.StoreAccumulators(accumulators, to, at);
  return absl::OkStatus();
}

// An element comes after those before it that it is not less than, and those behind it that are
// less than it.
static absl::Status Sort(Emission& emit, hlo::SortOp op, const Point& at,
                         llvm::ArrayRef<mlir::Value> to) {
  mlir::OpBuilder& builder = emit.builder();
  mlir::Location location = builder.getUnknownLoc();
  llvm::ArrayRef<int64_t> shape = TensorOf(op.getInputs()[0]).getShape();
  int64_t dimension = op.getDimension();
  if (dimension < 0) dimension += static_cast<int64_t>(shape.size());
  mlir::Value rank = emit.Register("rank", builder.getI32Type());
  emit.StoreRegister(ScalarConstant(builder, builder.getI32Type(), 0), rank);
  mlir::OpBuilder::InsertPoint after = builder.saveInsertionPoint();
  Point other = emit.OpenLoops("r", {shape[dimension]}, at);
  const mlir::AffineExpr here = at.index[dimension], there = other.index[0];
  other.index = at.index;
  other.index[dimension] = there;
  Point mine{.counters = other.counters, .index = at.index};
  mlir::OpBuilder::InsertPoint inside = builder.saveInsertionPoint();
  for (bool before : {true, false}) {
    builder.restoreInsertionPoint(inside);
    emit.OpenGuard(other, {before ? here - there - 1 : there - here - 1});
    llvm::SmallVector<mlir::Value> arguments;
    for (mlir::Value input : op.getInputs()) {
      QUERN_ASSIGN_OR_RETURN(arguments.emplace_back(), emit.Read(input, before ? mine : other));
      QUERN_ASSIGN_OR_RETURN(arguments.emplace_back(), emit.Read(input, before ? other : mine));
    }
    QUERN_ASSIGN_OR_RETURN(auto less, emit.Body(op.getComparator().front(), arguments));
    mlir::Value counts = less[0];
    if (before) {
      counts = arith::XOrIOp::create(builder, location, counts,
                                     ScalarConstant(builder, builder.getI1Type(), 1));
    }
    mlir::Value one = arith::ExtUIOp::create(builder, location, builder.getI32Type(), counts);
    emit.StoreRegister(arith::AddIOp::create(builder, location, emit.LoadRegister(rank), one),
                       rank);
  }
  builder.restoreInsertionPoint(after);
  Point place = at;
  place.index[dimension] = emit.ComputedIndex(place, emit.LoadRegister(rank), builder.getI32Type(),
                                              0, shape[dimension] - 1);
  for (auto [input, buffer] : llvm::zip(op.getInputs(), to)) {
    QUERN_ASSIGN_OR_RETURN(mlir::Value value, emit.Read(input, at));
    emit.Store(value, buffer, place);
  }
  return absl::OkStatus();
}

std::optional<absl::Status> EmitIndexing(Emission& emit, mlir::Operation* op, const Point& at,
                                         llvm::ArrayRef<mlir::Value> to) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<absl::Status>>(op)
      .Case([&](hlo::GatherOp gather) { return Gather(emit, gather, at, to[0]); })
      .Case([&](hlo::ScatterOp scatter) { return Scatter(emit, scatter, at, to); })
      .Case([&](hlo::SortOp sort) { return Sort(emit, sort, at, to); })
      .Default([](mlir::Operation*) { return std::nullopt; });
}

}  // namespace quern::search
