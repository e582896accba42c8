#include "ir/stablehlo/window.h"

#include <algorithm>
#include <limits>

namespace quern::stablehlo {

// Of sizes, steps and paddings: with an extent that memory can hold, no position overflows.
static constexpr int64_t kLargest = int64_t{1} << 24;

int64_t WindowDimension::Positions(int64_t extent) const {
  using Wide = __int128;
  const Wide dilated = extent == 0 ? 0 : Wide{extent - 1} * base_dilation + 1;
  const Wide padded = low + dilated + high;
  const Wide reach = size == 0 ? 0 : Wide{size - 1} * dilation + 1;
  if (padded <= 0 || reach > padded) return 0;
  return static_cast<int64_t>(
      std::min((padded - reach) / stride + 1, Wide{std::numeric_limits<int64_t>::max()}));
}

std::optional<int64_t> WindowDimension::Source(int64_t p, int64_t w, int64_t extent) const {
  const int64_t place = p * stride + (reversed ? size - 1 - w : w) * dilation - low;
  if (place < 0 || place % base_dilation != 0) return std::nullopt;
  const int64_t element = place / base_dilation;
  return element < extent ? std::optional(element) : std::nullopt;
}

std::optional<llvm::StringRef> WindowError(const WindowAttributes& attributes, size_t rank) {
  if (attributes.sizes.size() != rank) return "needs one window dimension for each dimension";
  auto in_range = [](llvm::ArrayRef<int64_t> values, int64_t least) {
    return llvm::all_of(values, [&](int64_t v) { return v >= least && v <= kLargest; });
  };
  if (!in_range(attributes.sizes, 0)) return "window dimensions must be from 0 to 2^24";
  for (const auto& steps : {attributes.strides, attributes.base_dilations, attributes.dilations}) {
    if (steps && (steps->size() != rank || !in_range(*steps, 1)))
      return "window strides and dilations must be from 1 to 2^24, one for each dimension";
  }
  if (attributes.reversal && attributes.reversal->size() != rank)
    return "needs one window reversal for each dimension";
  if (!attributes.padding) return std::nullopt;
  const auto type = llvm::cast<mlir::ShapedType>(attributes.padding->getType());
  if (type.getRank() != 2 || type.getDimSize(0) != static_cast<int64_t>(rank) ||
      type.getDimSize(1) != 2) {
    return "padding must have a low and a high value for each dimension";
  }
  llvm::SmallVector<int64_t> edges(attributes.padding->getValues<int64_t>());
  if (!in_range(edges, -kLargest)) return "padding must be from -2^24 to 2^24";
  return std::nullopt;
}

Window MakeWindow(const WindowAttributes& attributes) {
  Window window(attributes.sizes.size());
  for (auto [i, dimension] : llvm::enumerate(window)) {
    dimension.size = attributes.sizes[i];
    if (attributes.strides) dimension.stride = (*attributes.strides)[i];
    if (attributes.base_dilations) dimension.base_dilation = (*attributes.base_dilations)[i];
    if (attributes.dilations) dimension.dilation = (*attributes.dilations)[i];
    if (attributes.reversal) dimension.reversed = (*attributes.reversal)[i];
    if (attributes.padding) {
      auto edges = attributes.padding->getValues<int64_t>();
      dimension.low = edges[2 * i];
      dimension.high = edges[2 * i + 1];
    }
  }
  return window;
}

Window WindowOf(ReduceWindowOp op) {
  return MakeWindow({.sizes = op.getWindowDimensions(),
                     .strides = op.getWindowStrides(),
                     .base_dilations = op.getBaseDilations(),
                     .dilations = op.getWindowDilations(),
                     .padding = op.getPadding()});
}

Window WindowOf(SelectAndScatterOp op) {
  const llvm::SmallVector<int64_t> ones(op.getOperand().getType().getRank(), 1);
  return MakeWindow({.sizes = op.getWindowDimensions().value_or(ones),
                     .strides = op.getWindowStrides(),
                     .padding = op.getPadding()});
}

Window WindowOf(ConvolutionOp op) {
  llvm::SmallVector<int64_t> sizes;
  for (int64_t dimension : op.getDimensionNumbers().getKernelSpatialDimensions())
    sizes.push_back(op.getRhs().getType().getDimSize(dimension));
  return MakeWindow({.sizes = sizes,
                     .strides = op.getWindowStrides(),
                     .base_dilations = op.getLhsDilation(),
                     .dilations = op.getRhsDilation(),
                     .reversal = op.getWindowReversal(),
                     .padding = op.getPadding()});
}

}  // namespace quern::stablehlo
