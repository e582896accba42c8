#include <algorithm>
#include <cstring>

#include "frontend/scalar_function.h"
#include "frontend/strided.h"
#include "ir/stablehlo/window.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static llvm::SmallVector<int64_t> Sizes(const hlo::Window& window) {
  llvm::SmallVector<int64_t> sizes;
  for (const hlo::WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

// The elements that a row of results meets at one element of their windows.
class WindowRow {
 public:
  WindowRow(const hlo::Window& window, llvm::ArrayRef<int64_t> shape,
            llvm::ArrayRef<int64_t> result)
      : window_(window), shape_(shape), strides_(Strides(shape)), length_(result.back()) {
    const hlo::WindowDimension& last = window.back();
    for (int64_t w = 0; w < last.size; ++w) {
      for (int64_t p = 0; p < length_; ++p)
        last_.push_back(last.Source(p, w, shape.back()).value_or(-1));
    }
  }

  // Where the row of results `outer` begins at window element `w`, without the last dimension;
  // nullopt if all of it is padding.
  std::optional<int64_t> Start(llvm::ArrayRef<int64_t> outer, llvm::ArrayRef<int64_t> w) const {
    int64_t start = 0;
    for (size_t d = 0; d + 1 < window_.size(); ++d) {
      const std::optional<int64_t> source = window_[d].Source(outer[d], w[d], shape_[d]);
      if (!source) return std::nullopt;
      start += *source * strides_[d];
    }
    return start;
  }

  // By position in the row; -1 for padding.
  llvm::ArrayRef<int64_t> Last(int64_t w) const {
    return llvm::ArrayRef(last_).slice(w * length_, length_);
  }

 private:
  const hlo::Window& window_;
  llvm::ArrayRef<int64_t> shape_;
  llvm::SmallVector<int64_t> strides_;
  int64_t length_;
  std::vector<int64_t> last_;
};

// Points at the lanes' elements of `input`, in `buffer` unless they lie side by side.
static const std::byte* LaneElements(const std::byte* input, std::optional<int64_t> start,
                                     llvm::ArrayRef<int64_t> sources, const std::byte* init,
                                     int64_t size, std::byte* buffer) {
  const auto lanes = static_cast<int64_t>(sources.size());
  bool dense = start.has_value() && sources[0] >= 0;
  for (int64_t i = 1; dense && i < lanes; ++i) dense = sources[i] == sources[0] + i;
  if (dense) return input + (*start + sources[0]) * size;
  for (int64_t i = 0; i < lanes; ++i) {
    const bool inside = start.has_value() && sources[i] >= 0;
    std::memcpy(buffer + i * size, inside ? input + (*start + sources[i]) * size : init, size);
  }
  return buffer;
}

// Padding holds the init values, as the specification has it.
static absl::StatusOr<std::vector<Tensor>> ReduceWindow(hlo::ReduceWindowOp op,
                                                        const Scope& scope) {
  const size_t count = op.getInputs().size();
  std::vector<Tensor> results;
  std::vector<const std::byte*> inputs, inits;
  std::vector<int64_t> sizes;
  std::vector<std::vector<std::byte>> buffers;
  for (size_t i = 0; i < count; ++i) {
    const Tensor& init = scope(op.getInitValues()[i]);
    QUERN_ASSIGN_OR_RETURN(Tensor result, Spread(init, hlo::ToTensorType(op.getType(i))->shape));
    results.push_back(std::move(result));
    inputs.push_back(scope(op.getInputs()[i]).data());
    inits.push_back(init.data());
    sizes.push_back(ByteSize(init.type().element));
    buffers.emplace_back(ScalarFunction::kLanes * sizes[i]);
  }
  // A scalar is a row of one element.
  hlo::Window window = hlo::WindowOf(op);
  llvm::SmallVector<int64_t> shape{llvm::ArrayRef<int64_t>(scope(op.getInputs()[0]).type().shape)};
  llvm::SmallVector<int64_t> result{llvm::ArrayRef<int64_t>(results[0].type().shape)};
  if (window.empty()) {
    window.emplace_back();
    shape.push_back(1);
    result.push_back(1);
  }
  if (Count(result) == 0) return results;
  QUERN_ASSIGN_OR_RETURN(ScalarFunction body, ScalarFunction::Create(op.getBody(), scope));
  const WindowRow row(window, shape, result);
  const llvm::SmallVector<int64_t> elements = Sizes(window);
  std::vector<const std::byte*> arguments(2 * count);
  std::vector<std::byte*> accumulators(count);
  int64_t row_start = 0;
  absl::Status status;
  ForEachIndex(llvm::ArrayRef(result).drop_back(), [&](llvm::ArrayRef<int64_t> outer) {
    for (int64_t at = 0; at < result.back(); at += ScalarFunction::kLanes) {
      const int64_t lanes = std::min(ScalarFunction::kLanes, result.back() - at);
      for (size_t i = 0; i < count; ++i)
        arguments[i] = accumulators[i] = results[i].data() + (row_start + at) * sizes[i];
      ForEachIndex(elements, [&](llvm::ArrayRef<int64_t> w) {
        const std::optional<int64_t> start = row.Start(outer, w);
        const llvm::ArrayRef<int64_t> sources = row.Last(w.back()).slice(at, lanes);
        for (size_t i = 0; i < count; ++i) {
          arguments[count + i] =
              LaneElements(inputs[i], start, sources, inits[i], sizes[i], buffers[i].data());
        }
        status = body.Run(arguments, accumulators, lanes);
        return status.ok();
      });
      if (!status.ok()) return false;
    }
    row_start += result.back();
    return true;
  });
  QUERN_RETURN_IF_ERROR(status);
  return results;
}

// For every source element, in row-major order, the first element of its window that `select`
// does not give up for a later one.
static absl::StatusOr<Tensor> SelectAndScatter(hlo::SelectAndScatterOp op, const Scope& scope) {
  const Tensor& operand = scope(op.getOperand());
  const Tensor& source = scope(op.getSource());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Spread(scope(op.getInitValue()), operand.type().shape));
  QUERN_ASSIGN_OR_RETURN(ScalarFunction select, ScalarFunction::Create(op.getSelect(), scope));
  QUERN_ASSIGN_OR_RETURN(ScalarFunction scatter, ScalarFunction::Create(op.getScatter(), scope));
  const hlo::Window window = hlo::WindowOf(op);
  const llvm::SmallVector<int64_t> elements = Sizes(window);
  const llvm::SmallVector<int64_t> strides = Strides(operand.type().shape);
  const int64_t size = ByteSize(operand.type().element);
  const std::byte* next = source.data();
  absl::Status status;
  ForEachIndex(source.type().shape, [&](llvm::ArrayRef<int64_t> position) {
    int64_t selected = -1;
    ForEachIndex(elements, [&](llvm::ArrayRef<int64_t> w) {
      int64_t place = 0;
      for (size_t d = 0; d < window.size(); ++d) {
        const std::optional<int64_t> from =
            window[d].Source(position[d], w[d], operand.type().shape[d]);
        if (!from) return true;
        place += *from * strides[d];
      }
      std::byte keeps{};
      if (selected >= 0) {
        status = select.Run({operand.data() + selected * size, operand.data() + place * size},
                            {&keeps}, 1);
      }
      if (keeps == std::byte{}) selected = place;
      return status.ok();
    });
    if (status.ok() && selected >= 0) {
      std::byte* to = result.data() + selected * size;
      status = scatter.Run({to, next}, {to}, 1);
    }
    next += size;
    return status.ok();
  });
  QUERN_RETURN_IF_ERROR(status);
  return result;
}

Evaluator FindWindow(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Evaluator>(&op)
      .Case([](hlo::ReduceWindowOp) { return Several<hlo::ReduceWindowOp, ReduceWindow>; })
      .Case(
          [](hlo::SelectAndScatterOp) { return Single<hlo::SelectAndScatterOp, SelectAndScatter>; })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
