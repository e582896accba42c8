#include <algorithm>
#include <cstring>

#include "frontend/scalar_function.h"
#include "frontend/strided.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// Where the windows of a gather or a scatter start in the operand.
class Starts {
 public:
  Starts(const Tensor& indices, int64_t vector_dim, llvm::ArrayRef<int64_t> index_map,
         llvm::ArrayRef<int64_t> operand_batch, llvm::ArrayRef<int64_t> indices_batch)
      : indices_(indices), map_(index_map), operand_batch_(operand_batch) {
    strides_ = Strides(indices.type().shape);
    batch_.assign(indices.type().shape.begin(), indices.type().shape.end());
    if (vector_dim < static_cast<int64_t>(batch_.size())) {
      component_stride_ = strides_[vector_dim];
      strides_.erase(strides_.begin() + vector_dim);
      batch_.erase(batch_.begin() + vector_dim);
    }
    // Counted without the index vector's dimension.
    for (int64_t dimension : indices_batch)
      indices_batch_.push_back(dimension < vector_dim ? dimension : dimension - 1);
  }

  // The extents that index the windows.
  llvm::ArrayRef<int64_t> batch() const { return batch_; }

  // start[d] for every dimension d of the operand.
  void At(llvm::ArrayRef<int64_t> batch_index, llvm::MutableArrayRef<int64_t> start) const {
    std::fill(start.begin(), start.end(), 0);
    const int64_t position = Dot(batch_index, strides_);
    for (auto [i, dimension] : llvm::enumerate(map_))
      start[dimension] = IndexAt(indices_, position + i * component_stride_);
    for (auto [i, dimension] : llvm::enumerate(operand_batch_))
      start[dimension] = batch_index[indices_batch_[i]];
  }

 private:
  const Tensor& indices_;
  llvm::ArrayRef<int64_t> map_, operand_batch_;
  llvm::SmallVector<int64_t> strides_, batch_, indices_batch_;
  int64_t component_stride_ = 0;
};

// The strides of a tensor at its window's dimensions, by dimension of the operand (0 where the
// window has none), and at its other dimensions.
struct WindowStrides {
  llvm::SmallVector<int64_t> window, batch;

  WindowStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> window_dims,
                llvm::ArrayRef<int64_t> collapsed, llvm::ArrayRef<int64_t> operand_batch,
                size_t operand_rank)
      : window(operand_rank, 0) {
    const llvm::SmallVector<int64_t> strides = Strides(shape);
    const int64_t* next = window_dims.begin();
    for (size_t d = 0; d < operand_rank; ++d) {
      const auto dimension = static_cast<int64_t>(d);
      if (llvm::is_contained(collapsed, dimension) || llvm::is_contained(operand_batch, dimension))
        continue;
      window[d] = strides[*next++];
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!llvm::is_contained(window_dims, static_cast<int64_t>(i))) batch.push_back(strides[i]);
    }
  }
};

// A window that does not lie in the operand is moved so that it does.
static absl::StatusOr<Tensor> Gather(hlo::GatherOp op, const Scope& scope) {
  const Tensor& operand = scope(op.getOperand());
  const hlo::GatherDimensionNumbersAttr n = op.getDimensionNumbers();
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  if (result.type().num_elements() == 0) return result;
  const std::vector<int64_t>& shape = operand.type().shape;
  const llvm::SmallVector<int64_t> strides = Strides(shape);
  const WindowStrides to(result.type().shape, n.getOffsetDims(), n.getCollapsedSliceDims(),
                         n.getOperandBatchingDims(), shape.size());
  const Starts starts(scope(op.getStartIndices()), n.getIndexVectorDim(), n.getStartIndexMap(),
                      n.getOperandBatchingDims(), n.getStartIndicesBatchingDims());
  const llvm::ArrayRef<int64_t> sizes = op.getSliceSizes();
  const int64_t size = ByteSize(operand.type().element);
  llvm::SmallVector<int64_t> start(shape.size());
  ForEachIndex(starts.batch(), [&](llvm::ArrayRef<int64_t> batch) {
    starts.At(batch, start);
    for (size_t d = 0; d < shape.size(); ++d)
      start[d] = std::clamp<int64_t>(start[d], 0, shape[d] - sizes[d]);
    CopyStrided(operand.data() + Dot(start, strides) * size, strides,
                result.data() + Dot(batch, to.batch) * size, to.window, sizes, size);
    return true;
  });
  return result;
}

// ---- Scatter

// One row of a window: `length` elements at steps of strides in inputs and updates.
class RowUpdate {
 public:
  RowUpdate(ScalarFunction& body, llvm::ArrayRef<Tensor> results,
            llvm::ArrayRef<const Tensor*> updates)
      : body_(body) {
    for (size_t i = 0; i < results.size(); ++i) {
      const int64_t size = ByteSize(results[i].type().element);
      sizes_.push_back(size);
      inputs_.push_back(const_cast<std::byte*>(results[i].data()));
      updates_.push_back(updates[i]->data());
      buffers_.emplace_back(2 * ScalarFunction::kLanes * size);
    }
  }

  absl::Status Run(int64_t input, int64_t input_stride, int64_t update, int64_t update_stride,
                   int64_t length) {
    for (int64_t at = 0; at < length; at += ScalarFunction::kLanes) {
      QUERN_RETURN_IF_ERROR(RunLanes(input + at * input_stride, input_stride,
                                     update + at * update_stride, update_stride,
                                     std::min(ScalarFunction::kLanes, length - at)));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunLanes(int64_t input, int64_t input_stride, int64_t update, int64_t update_stride,
                        int64_t lanes) {
    const size_t count = sizes_.size();
    arguments_.resize(2 * count);
    places_.resize(count);
    const bool dense = lanes == 1 || (input_stride == 1 && update_stride == 1);
    for (size_t i = 0; i < count; ++i) {
      const int64_t size = sizes_[i];
      std::byte* current = inputs_[i] + input * size;
      const std::byte* change = updates_[i] + update * size;
      if (!dense) {
        std::byte* buffer = buffers_[i].data();
        CopyStrided(current, {input_stride}, buffer, {1}, {lanes}, size);
        CopyStrided(change, {update_stride}, buffer + lanes * size, {1}, {lanes}, size);
        current = buffer;
        change = buffer + lanes * size;
      }
      arguments_[i] = places_[i] = current;
      arguments_[count + i] = change;
    }
    QUERN_RETURN_IF_ERROR(body_.Run(arguments_, places_, lanes));
    for (size_t i = 0; !dense && i < count; ++i) {
      CopyStrided(places_[i], {1}, inputs_[i] + input * sizes_[i], {input_stride}, {lanes},
                  sizes_[i]);
    }
    return absl::OkStatus();
  }

  ScalarFunction& body_;
  llvm::SmallVector<int64_t> sizes_;
  llvm::SmallVector<std::byte*> inputs_;
  llvm::SmallVector<const std::byte*> updates_;
  std::vector<std::vector<std::byte>> buffers_;
  llvm::SmallVector<const std::byte*> arguments_;
  llvm::SmallVector<std::byte*> places_;
};

// Indices in row-major order; an element that falls outside is left out.
static absl::StatusOr<std::vector<Tensor>> Scatter(hlo::ScatterOp op, const Scope& scope) {
  const hlo::ScatterDimensionNumbersAttr n = op.getScatterDimensionNumbers();
  std::vector<Tensor> results;
  llvm::SmallVector<const Tensor*> updates;
  for (auto [input, update] : llvm::zip(op.getInputs(), op.getUpdates())) {
    results.push_back(scope(input).Clone());
    updates.push_back(&scope(update));
  }
  if (updates[0]->type().num_elements() == 0) return results;
  QUERN_ASSIGN_OR_RETURN(ScalarFunction body,
                         ScalarFunction::Create(op.getUpdateComputation(), scope));
  RowUpdate row(body, results, updates);
  const std::vector<int64_t> shape = results[0].type().shape;
  const llvm::SmallVector<int64_t> strides = Strides(shape);
  const WindowStrides from(updates[0]->type().shape, n.getUpdateWindowDims(),
                           n.getInsertedWindowDims(), n.getInputBatchingDims(), shape.size());
  const Starts starts(scope(op.getScatterIndices()), n.getIndexVectorDim(),
                      n.getScatterDimsToOperandDims(), n.getInputBatchingDims(),
                      n.getScatterIndicesBatchingDims());
  // The window by dimension of the input; its last real dimension is the row.
  llvm::SmallVector<int64_t> window(shape.size(), 1);
  size_t along = shape.size();
  const int64_t* next = n.getUpdateWindowDims().begin();
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (llvm::is_contained(n.getInsertedWindowDims(), dimension) ||
        llvm::is_contained(n.getInputBatchingDims(), dimension)) {
      continue;
    }
    window[d] = updates[0]->type().shape[*next++];
    along = d;
  }
  llvm::SmallVector<int64_t> outer(window), start(shape.size());
  if (along < shape.size()) outer[along] = 1;
  absl::Status status;
  ForEachIndex(starts.batch(), [&](llvm::ArrayRef<int64_t> batch) {
    starts.At(batch, start);
    for (size_t d = 0; d < shape.size(); ++d) start[d] = std::clamp(start[d], -shape[d], shape[d]);
    ForEachIndex(outer, [&](llvm::ArrayRef<int64_t> index) {
      int64_t input = 0, update = Dot(batch, from.batch), first = 0, last = 1;
      for (size_t d = 0; d < shape.size(); ++d) {
        const int64_t place = start[d] + index[d];
        input += place * strides[d];
        update += index[d] * from.window[d];
        if (d == along) {
          first = std::max<int64_t>(0, -place);
          last = std::min(window[d], shape[d] - place);
        } else if (place < 0 || place >= shape[d]) {
          return true;
        }
      }
      if (first >= last) return true;
      const int64_t input_stride = along < shape.size() ? strides[along] : 1;
      const int64_t update_stride = along < shape.size() ? from.window[along] : 1;
      status = row.Run(input + first * input_stride, input_stride, update + first * update_stride,
                       update_stride, last - first);
      return status.ok();
    });
    return status.ok();
  });
  QUERN_RETURN_IF_ERROR(status);
  return results;
}

Evaluator FindIndexing(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Evaluator>(&op)
      .Case([](hlo::GatherOp) { return Single<hlo::GatherOp, Gather>; })
      .Case([](hlo::ScatterOp) { return Several<hlo::ScatterOp, Scatter>; })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
