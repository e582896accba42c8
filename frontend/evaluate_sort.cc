#include <cstring>
#include <numeric>

#include "frontend/scalar_function.h"
#include "frontend/strided.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// Orders one line of every input at a time, by merging; equal elements keep their order.
class LineSorter {
 public:
  LineSorter(ScalarFunction& comparator, int64_t length, int64_t stride)
      : comparator_(comparator), stride_(stride), order_(length), merged_(length) {}

  // `lines`: where the first element of each input's line lies; `sizes`: of an element.
  absl::StatusOr<llvm::ArrayRef<int64_t>> Order(llvm::ArrayRef<const std::byte*> lines,
                                                llvm::ArrayRef<int64_t> sizes) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto length = static_cast<int64_t>(order_.size());
    for (int64_t run = 1; run < length; run *= 2) {
      for (int64_t at = 0; at < length; at += 2 * run) {
        QUERN_RETURN_IF_ERROR(
            Merge(lines, sizes, at, std::min(at + run, length), std::min(at + 2 * run, length)));
      }
      std::swap(order_, merged_);
    }
    return llvm::ArrayRef(order_);
  }

 private:
  absl::Status Merge(llvm::ArrayRef<const std::byte*> lines, llvm::ArrayRef<int64_t> sizes,
                     int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t to = begin; to < end; ++to) {
      bool take_right = left == middle;
      if (!take_right && right < end) {
        QUERN_ASSIGN_OR_RETURN(take_right, IsBefore(lines, sizes, order_[right], order_[left]));
      }
      merged_[to] = order_[take_right ? right++ : left++];
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsBefore(llvm::ArrayRef<const std::byte*> lines,
                                llvm::ArrayRef<int64_t> sizes, int64_t a, int64_t b) {
    arguments_.clear();
    for (size_t i = 0; i < lines.size(); ++i) {
      arguments_.push_back(lines[i] + a * stride_ * sizes[i]);
      arguments_.push_back(lines[i] + b * stride_ * sizes[i]);
    }
    std::byte before{};
    QUERN_RETURN_IF_ERROR(comparator_.Run(arguments_, {&before}, 1));
    return before != std::byte{};
  }

  ScalarFunction& comparator_;
  int64_t stride_;
  std::vector<int64_t> order_, merged_;
  llvm::SmallVector<const std::byte*> arguments_;
};

static absl::StatusOr<std::vector<Tensor>> Sort(hlo::SortOp op, const Scope& scope) {
  std::vector<Tensor> results;
  llvm::SmallVector<const Tensor*> inputs;
  llvm::SmallVector<int64_t> sizes;
  for (mlir::Value input : op.getInputs()) {
    inputs.push_back(&scope(input));
    QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(inputs.back()->type()));
    results.push_back(std::move(result));
    sizes.push_back(ByteSize(inputs.back()->type().element));
  }
  const std::vector<int64_t>& shape = inputs[0]->type().shape;
  int64_t dimension = op.getDimension();
  if (dimension < 0) dimension += shape.size();
  QUERN_ASSIGN_OR_RETURN(ScalarFunction comparator,
                         ScalarFunction::Create(op.getComparator(), scope));
  const llvm::SmallVector<int64_t> strides = Strides(shape);
  const int64_t stride = strides[dimension];
  LineSorter sorter(comparator, shape[dimension], stride);
  llvm::SmallVector<int64_t> others{llvm::ArrayRef<int64_t>(shape)};
  others[dimension] = shape[dimension] == 0 ? 0 : 1;
  llvm::SmallVector<const std::byte*> lines(inputs.size());
  absl::Status status;
  ForEachIndex(others, [&](llvm::ArrayRef<int64_t> index) {
    const int64_t start = Dot(index, strides);
    for (size_t i = 0; i < inputs.size(); ++i) lines[i] = inputs[i]->data() + start * sizes[i];
    absl::StatusOr<llvm::ArrayRef<int64_t>> order = sorter.Order(lines, sizes);
    status = order.status();
    if (!status.ok()) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::byte* to = results[i].data() + start * sizes[i];
      for (auto [rank, from] : llvm::enumerate(*order)) {
        std::memcpy(to + rank * stride * sizes[i], lines[i] + from * stride * sizes[i], sizes[i]);
      }
    }
    return true;
  });
  QUERN_RETURN_IF_ERROR(status);
  return results;
}

Evaluator FindSort(mlir::Operation& op) {
  return llvm::isa<hlo::SortOp>(op) ? Several<hlo::SortOp, Sort> : nullptr;
}

}  // namespace quern::frontend
