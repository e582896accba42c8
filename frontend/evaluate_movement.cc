#include <algorithm>
#include <cstring>
#include <limits>

#include "frontend/evaluate.h"
#include "frontend/strided.h"
#include "ir/stablehlo/constant.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

template <typename Signed, typename Unsigned>
static int64_t IntegerAt(const Tensor& tensor, int64_t position) {
  if (KindOf(tensor.type().element) == ElementKind::kSigned) return tensor.as<Signed>()[position];
  return static_cast<int64_t>(
      std::min<uint64_t>(tensor.as<Unsigned>()[position], std::numeric_limits<int64_t>::max()));
}

int64_t IndexAt(const Tensor& tensor, int64_t position) {
  switch (ByteSize(tensor.type().element)) {
    case 1:
      return IntegerAt<int8_t, uint8_t>(tensor, position);
    case 2:
      return IntegerAt<int16_t, uint16_t>(tensor, position);
    case 4:
      return IntegerAt<int32_t, uint32_t>(tensor, position);
    default:
      return IntegerAt<int64_t, uint64_t>(tensor, position);
  }
}

// result[i0, i1, ...] = from[offset + i0 * strides[0] + ...], in elements.
static absl::StatusOr<Tensor> Gather(const Tensor& from, int64_t offset,
                                     llvm::ArrayRef<int64_t> strides, std::vector<int64_t> shape) {
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create({.element = from.type().element, .shape = shape}));
  const int64_t size = ByteSize(from.type().element);
  CopyStrided(from.data() + offset * size, strides, result.data(), Strides(shape), shape, size);
  return result;
}

// Copies the whole of `from` to where the index (0, ...) lies at element `offset` of `to`.
static void Place(const Tensor& from, Tensor& to, int64_t offset,
                  llvm::ArrayRef<int64_t> to_strides) {
  const int64_t size = ByteSize(from.type().element);
  CopyStrided(from.data(), Strides(from.type().shape), to.data() + offset * size, to_strides,
              from.type().shape, size);
}

absl::StatusOr<Tensor> Transpose(const Tensor& operand, llvm::ArrayRef<int64_t> permutation) {
  const llvm::SmallVector<int64_t> from = Strides(operand.type().shape);
  std::vector<int64_t> strides, shape;
  for (int64_t dimension : permutation) {
    strides.push_back(from[dimension]);
    shape.push_back(operand.type().shape[dimension]);
  }
  return Gather(operand, 0, strides, std::move(shape));
}

absl::StatusOr<Tensor> Spread(const Tensor& scalar, std::vector<int64_t> shape) {
  return Gather(scalar, 0, std::vector<int64_t>(shape.size(), 0), std::move(shape));
}

static absl::StatusOr<Tensor> Broadcast(hlo::BroadcastInDimOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  std::vector<int64_t> shape = op.getType().getShape().vec();
  std::vector<int64_t> strides(shape.size(), 0);
  const llvm::SmallVector<int64_t> from = Strides(operand.type().shape);
  for (auto [i, dimension] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (operand.type().shape[i] != 1) strides[dimension] = from[i];
  }
  return Gather(operand, 0, strides, std::move(shape));
}

static absl::StatusOr<Tensor> Slice(hlo::SliceOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  llvm::SmallVector<int64_t> strides = Strides(operand.type().shape);
  const int64_t offset = Dot(op.getStartIndices(), strides);
  for (size_t i = 0; i < strides.size(); ++i) strides[i] *= op.getStrides()[i];
  return Gather(operand, offset, strides, op.getType().getShape().vec());
}

static absl::StatusOr<Tensor> Iota(hlo::IotaOp op, Lookup) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  const std::vector<int64_t>& shape = result.type().shape;
  const int64_t extent = shape[op.getIotaDimension()];
  QUERN_ASSIGN_OR_RETURN(Tensor numbers,
                         Tensor::Create({.element = ElementType::kI64, .shape = {extent}}));
  for (int64_t i = 0; i < extent; ++i) numbers.as<int64_t>()[i] = i;
  // Converted as stablehlo.convert does it, so that small integers wrap.
  QUERN_ASSIGN_OR_RETURN(numbers, Convert(std::move(numbers), result.type().element));
  std::vector<int64_t> strides(shape.size(), 0);
  strides[op.getIotaDimension()] = 1;
  return Gather(numbers, 0, strides, shape);
}

static absl::StatusOr<Tensor> Reshape(hlo::ReshapeOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  std::memcpy(result.data(), operand.data(), operand.type().num_bytes());
  return result;
}

static absl::StatusOr<Tensor> Concatenate(hlo::ConcatenateOp op, Lookup value) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  const llvm::SmallVector<int64_t> strides = Strides(result.type().shape);
  int64_t at = 0;
  for (mlir::Value input : op.getInputs()) {
    const Tensor& tensor = value(input);
    Place(tensor, result, at * strides[op.getDimension()], strides);
    at += tensor.type().shape[op.getDimension()];
  }
  return result;
}

static absl::StatusOr<Tensor> Pad(hlo::PadOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Spread(value(op.getPaddingValue()), op.getType().getShape().vec()));
  const std::vector<int64_t>& from = operand.type().shape;
  const std::vector<int64_t>& to = result.type().shape;
  const llvm::SmallVector<int64_t> from_strides = Strides(from);
  llvm::SmallVector<int64_t> to_strides = Strides(to), extents;
  int64_t from_offset = 0, to_offset = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t low = op.getEdgePaddingLow()[i], step = op.getInteriorPadding()[i] + 1;
    // Of the operand's elements, `first` up to before `last` stay.
    const int64_t first = low < 0 ? (-low + step - 1) / step : 0;
    const int64_t last = to[i] > low ? std::min(from[i], (to[i] - 1 - low) / step + 1) : 0;
    extents.push_back(std::max<int64_t>(0, last - first));
    from_offset += first * from_strides[i];
    to_offset += (low + first * step) * to_strides[i];
    to_strides[i] *= step;
  }
  const int64_t size = ByteSize(operand.type().element);
  CopyStrided(operand.data() + from_offset * size, from_strides, result.data() + to_offset * size,
              to_strides, extents, size);
  return result;
}

static absl::StatusOr<Tensor> Reverse(hlo::ReverseOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  const std::vector<int64_t>& shape = operand.type().shape;
  llvm::SmallVector<int64_t> strides = Strides(shape);
  int64_t offset = 0;
  for (int64_t dimension : op.getDimensions()) {
    offset += (shape[dimension] - 1) * strides[dimension];
    strides[dimension] = -strides[dimension];
  }
  return Gather(operand, offset, strides, shape);
}

// The starts, moved so that a box of `sizes` lies in `shape`.
static llvm::SmallVector<int64_t> ClampStarts(mlir::ValueRange starts,
                                              llvm::ArrayRef<int64_t> sizes,
                                              llvm::ArrayRef<int64_t> shape, Lookup value) {
  llvm::SmallVector<int64_t> clamped;
  for (auto [i, start] : llvm::enumerate(starts))
    clamped.push_back(std::clamp<int64_t>(IndexAt(value(start), 0), 0, shape[i] - sizes[i]));
  return clamped;
}

static absl::StatusOr<Tensor> DynamicSlice(hlo::DynamicSliceOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  const llvm::SmallVector<int64_t> strides = Strides(operand.type().shape);
  const auto starts =
      ClampStarts(op.getStartIndices(), op.getSliceSizes(), operand.type().shape, value);
  return Gather(operand, Dot(starts, strides), strides, op.getSliceSizes().vec());
}

static absl::StatusOr<Tensor> DynamicUpdateSlice(hlo::DynamicUpdateSliceOp op, Lookup value) {
  const Tensor& operand = value(op.getOperand());
  const Tensor& update = value(op.getUpdate());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(operand.type()));
  std::memcpy(result.data(), operand.data(), operand.type().num_bytes());
  const llvm::SmallVector<int64_t> strides = Strides(operand.type().shape);
  const auto starts =
      ClampStarts(op.getStartIndices(), update.type().shape, operand.type().shape, value);
  Place(update, result, Dot(starts, strides), strides);
  return result;
}

static absl::StatusOr<Tensor> Constant(hlo::ConstantOp op, Lookup) {
  return hlo::ToTensor(op.getValue());
}

static absl::StatusOr<Tensor> Permute(hlo::TransposeOp op, Lookup value) {
  return Transpose(value(op.getOperand()), op.getPermutation());
}

Evaluator FindMovement(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Evaluator>(&op)
      .Case([](hlo::ConstantOp) { return Single<hlo::ConstantOp, Constant>; })
      .Case([](hlo::IotaOp) { return Single<hlo::IotaOp, Iota>; })
      .Case([](hlo::BroadcastInDimOp) { return Single<hlo::BroadcastInDimOp, Broadcast>; })
      .Case([](hlo::ReshapeOp) { return Single<hlo::ReshapeOp, Reshape>; })
      .Case([](hlo::SliceOp) { return Single<hlo::SliceOp, Slice>; })
      .Case([](hlo::TransposeOp) { return Single<hlo::TransposeOp, Permute>; })
      .Case([](hlo::ConcatenateOp) { return Single<hlo::ConcatenateOp, Concatenate>; })
      .Case([](hlo::PadOp) { return Single<hlo::PadOp, Pad>; })
      .Case([](hlo::ReverseOp) { return Single<hlo::ReverseOp, Reverse>; })
      .Case([](hlo::DynamicSliceOp) { return Single<hlo::DynamicSliceOp, DynamicSlice>; })
      .Case([](hlo::DynamicUpdateSliceOp) {
        return Single<hlo::DynamicUpdateSliceOp, DynamicUpdateSlice>;
      })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
