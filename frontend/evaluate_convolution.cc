#include <algorithm>
#include <cstring>

#include "frontend/evaluate.h"
#include "frontend/products.h"
#include "frontend/strided.h"
#include "ir/stablehlo/window.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static llvm::SmallVector<int64_t> Order(int64_t first, llvm::ArrayRef<int64_t> middle,
                                        llvm::ArrayRef<int64_t> last) {
  llvm::SmallVector<int64_t> order = {first};
  order.append(middle.begin(), middle.end());
  order.append(last.begin(), last.end());
  return order;
}

// Copies the windows of lhs[batch, spatial..., feature] into rows [window..., feature of a group];
// holes and what lies outside are zero.
class Patches {
 public:
  Patches(const Tensor& lhs, const hlo::Window& window, llvm::ArrayRef<int64_t> positions)
      : lhs_(lhs), strides_(Strides(lhs.type().shape)), size_(ByteSize(lhs.type().element)) {
    llvm::SmallVector<int64_t> sizes;
    for (const hlo::WindowDimension& dimension : window) sizes.push_back(dimension.size);
    ForEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
      elements_.emplace_back(index);
      return true;
    });
    for (size_t d = 0; d < window.size(); ++d) {
      auto& table = sources_.emplace_back(positions[d] * sizes[d]);
      for (int64_t p = 0; p < positions[d]; ++p) {
        for (int64_t w = 0; w < sizes[d]; ++w)
          table[p * sizes[d] + w] = window[d].Source(p, w, lhs.type().shape[d + 1]).value_or(-1);
      }
      sizes_.push_back(sizes[d]);
    }
  }

  int64_t elements() const { return static_cast<int64_t>(elements_.size()); }

  void Copy(int64_t batch, llvm::ArrayRef<int64_t> position, int64_t feature, int64_t features,
            std::byte* row) const {
    for (const auto& element : elements_) {
      int64_t from = batch * strides_[0] + feature;
      bool inside = true;
      for (size_t d = 0; inside && d < position.size(); ++d) {
        const int64_t source = sources_[d][position[d] * sizes_[d] + element[d]];
        inside = source >= 0;
        from += source * strides_[d + 1];
      }
      if (inside) {
        std::memcpy(row, lhs_.data() + from * size_, features * size_);
      } else {
        std::memset(row, 0, features * size_);
      }
      row += features * size_;
    }
  }

 private:
  const Tensor& lhs_;
  llvm::SmallVector<int64_t> strides_, sizes_;
  int64_t size_;
  std::vector<llvm::SmallVector<int64_t, 4>> elements_;  // of the window, in row-major order
  std::vector<std::vector<int64_t>> sources_;  // by spatial dimension: [position, element]
};

// As products of matrices: patches of the input by the kernel, group by group.
static absl::StatusOr<Tensor> Convolve(hlo::ConvolutionOp op, const Scope& scope) {
  const TensorType type = *hlo::ToTensorType(op.getType());
  const Tensor& input = scope(op.getLhs());
  const Tensor& kernel = scope(op.getRhs());
  const std::optional<ElementType> sum =
      SumType(input.type().element, kernel.type().element, type.element);
  if (!sum) return UndefinedOp(*op);
  const hlo::ConvDimensionNumbersAttr n = op.getDimensionNumbers();
  QUERN_ASSIGN_OR_RETURN(
      Tensor lhs, Transpose(input, Order(n.getInputBatchDimension(), n.getInputSpatialDimensions(),
                                         n.getInputFeatureDimension())));
  llvm::SmallVector<int64_t> kernel_order(n.getKernelSpatialDimensions());
  kernel_order.append({n.getKernelInputFeatureDimension(), n.getKernelOutputFeatureDimension()});
  QUERN_ASSIGN_OR_RETURN(Tensor rhs, Transpose(kernel, kernel_order));
  QUERN_ASSIGN_OR_RETURN(lhs, Convert(std::move(lhs), *sum));
  QUERN_ASSIGN_OR_RETURN(rhs, Convert(std::move(rhs), *sum));

  const auto out_order = Order(n.getOutputBatchDimension(), n.getOutputSpatialDimensions(),
                               n.getOutputFeatureDimension());
  std::vector<int64_t> out_shape, permutation(out_order.size());
  for (auto [i, dimension] : llvm::enumerate(out_order)) {
    out_shape.push_back(type.shape[dimension]);
    permutation[dimension] = i;
  }
  QUERN_ASSIGN_OR_RETURN(Tensor out, Tensor::Create({.element = *sum, .shape = out_shape}));
  const auto feature_groups = static_cast<int64_t>(op.getFeatureGroupCount());
  const auto batch_groups = static_cast<int64_t>(op.getBatchGroupCount());
  const int64_t features = lhs.type().shape.back() / feature_groups;  // of a group
  const int64_t outputs = out_shape.back() / (feature_groups * batch_groups);
  const llvm::ArrayRef<int64_t> positions = llvm::ArrayRef(out_shape).drop_back();  // with batch
  const Patches patches(lhs, hlo::WindowOf(op), positions.drop_front());
  const int64_t depth = patches.elements() * features, size = ByteSize(*sum);
  // Rows of patches at a time, at most 16 M elements.
  const int64_t capacity =
      std::clamp<int64_t>((int64_t{1} << 24) / std::max<int64_t>(depth, 1), 1, 128);
  std::vector<std::byte> rows(capacity * depth * size);
  for (int64_t group = 0; group < feature_groups * batch_groups; ++group) {
    const int64_t batch = batch_groups > 1 ? group * out_shape[0] : 0;
    const int64_t feature = feature_groups > 1 ? group * features : 0;
    const std::byte* weights = rhs.data() + group * outputs * size;
    std::byte* to = out.data() + group * outputs * size;
    int64_t filled = 0;
    auto flush = [&] {
      AddProducts(*sum, rows.data(), weights, to,
                  {filled, depth, outputs, depth, out_shape.back(), out_shape.back()});
      to += filled * out_shape.back() * size;
      filled = 0;
    };
    ForEachIndex(positions, [&](llvm::ArrayRef<int64_t> index) {
      patches.Copy(batch + index[0], index.drop_front(), feature, features,
                   rows.data() + filled * depth * size);
      if (++filled == capacity) flush();
      return true;
    });
    flush();
  }
  QUERN_ASSIGN_OR_RETURN(out, Convert(std::move(out), type.element));
  return Transpose(out, permutation);
}

Evaluator FindConvolution(mlir::Operation& op) {
  return llvm::isa<hlo::ConvolutionOp>(op) ? Single<hlo::ConvolutionOp, Convolve> : nullptr;
}

}  // namespace quern::frontend
