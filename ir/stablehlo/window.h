// Windows that slide over tensors, and what their ops say about them.
#ifndef QUERN_IR_STABLEHLO_WINDOW_H_
#define QUERN_IR_STABLEHLO_WINDOW_H_

#include <cstdint>
#include <optional>

#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/SmallVector.h"

namespace quern::stablehlo {

// One dimension. The operand gets base_dilation - 1 holes between its elements, then `low` and
// `high` places at its ends (elements are dropped where they are negative); window element w of
// position p lies at p * stride + w * dilation.
struct WindowDimension {
  int64_t size = 1, stride = 1, low = 0, high = 0, base_dilation = 1, dilation = 1;
  bool reversed = false;

  // How many positions there are over an operand of this extent.
  int64_t Positions(int64_t extent) const;
  // The operand's element at window element `w` of position `p`; nullopt in a hole or outside.
  std::optional<int64_t> Source(int64_t p, int64_t w, int64_t extent) const;
};
using Window = llvm::SmallVector<WindowDimension, 4>;

// Of ops that verify. A convolution's window has its spatial dimensions only, in their order.
Window WindowOf(ReduceWindowOp op);
Window WindowOf(SelectAndScatterOp op);
Window WindowOf(ConvolutionOp op);

// The attributes of a window of `rank` dimensions as they stand in an op; absent ones have their
// defaults. What is wrong with them, if something is.
struct WindowAttributes {
  llvm::ArrayRef<int64_t> sizes;
  std::optional<llvm::ArrayRef<int64_t>> strides, base_dilations, dilations;
  std::optional<llvm::ArrayRef<bool>> reversal;
  std::optional<mlir::DenseIntElementsAttr> padding;
};
std::optional<llvm::StringRef> WindowError(const WindowAttributes& attributes, size_t rank);
Window MakeWindow(const WindowAttributes& attributes);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_WINDOW_H_
