#include <complex>
#include <cstring>
#include <numeric>

#include "bundle/status.h"
#include "frontend/evaluate.h"
#include "ir/stablehlo/constant.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

static std::vector<int64_t> Strides(llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

template <typename T>
static void GatherElements(const T* from, llvm::ArrayRef<int64_t> strides,
                           llvm::ArrayRef<int64_t> shape, T* to) {
  if (shape.empty()) {
    *to = *from;
    return;
  }
  const int64_t extent = shape.back(), stride = strides.back();
  std::vector<int64_t> index(shape.size() - 1, 0);
  while (true) {
    for (int64_t i = 0; i < extent; ++i) *to++ = from[i * stride];
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) {
      from -= (shape[d - 1] - 1) * strides[d - 1];
      index[--d] = 0;
    }
    if (d == 0) return;
    from += strides[d - 1];
  }
}

// result[i0, i1, ...] = from[offset + i0 * strides[0] + ...], row-major, in elements.
static absl::StatusOr<Tensor> Gather(const Tensor& from, int64_t offset,
                                     llvm::ArrayRef<int64_t> strides, std::vector<int64_t> shape) {
  QUERN_ASSIGN_OR_RETURN(Tensor result,
                         Tensor::Create({.element = from.type().element, .shape = shape}));
  if (result.type().num_elements() == 0) return result;
  switch (ByteSize(from.type().element)) {
    case 1:
      GatherElements(from.as<uint8_t>() + offset, strides, shape, result.as<uint8_t>());
      break;
    case 2:
      GatherElements(from.as<uint16_t>() + offset, strides, shape, result.as<uint16_t>());
      break;
    case 4:
      GatherElements(from.as<uint32_t>() + offset, strides, shape, result.as<uint32_t>());
      break;
    case 8:
      GatherElements(from.as<uint64_t>() + offset, strides, shape, result.as<uint64_t>());
      break;
    default:
      GatherElements(from.as<std::complex<double>>() + offset, strides, shape,
                     result.as<std::complex<double>>());
  }
  return result;
}

absl::StatusOr<Tensor> Transpose(const Tensor& operand, llvm::ArrayRef<int64_t> permutation) {
  const std::vector<int64_t> from = Strides(operand.type().shape);
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

static absl::StatusOr<Tensor> Broadcast(hlo::BroadcastInDimOp op, const Tensor& operand) {
  std::vector<int64_t> shape = op.getType().getShape().vec();
  std::vector<int64_t> strides(shape.size(), 0);
  const std::vector<int64_t> from = Strides(operand.type().shape);
  for (auto [i, dimension] : llvm::enumerate(op.getBroadcastDimensions())) {
    if (operand.type().shape[i] != 1) strides[dimension] = from[i];
  }
  return Gather(operand, 0, strides, std::move(shape));
}

static absl::StatusOr<Tensor> Slice(hlo::SliceOp op, const Tensor& operand) {
  std::vector<int64_t> strides = Strides(operand.type().shape);
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    offset += op.getStartIndices()[i] * strides[i];
    strides[i] *= op.getStrides()[i];
  }
  return Gather(operand, offset, strides, op.getType().getShape().vec());
}

static absl::StatusOr<Tensor> Iota(hlo::IotaOp op) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  const std::vector<int64_t>& shape = result.type().shape;
  const int64_t stride = Strides(shape)[op.getIotaDimension()];
  const int64_t extent = shape[op.getIotaDimension()];
  for (int64_t i = 0, count = result.type().num_elements(); i < count; ++i) {
    result.Set(i, static_cast<double>(i / stride % extent));
  }
  return result;
}

static absl::StatusOr<Tensor> Reshape(hlo::ReshapeOp op, const Tensor& operand) {
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  std::memcpy(result.data(), operand.data(), operand.type().num_bytes());
  return result;
}

bool IsMovement(mlir::Operation& op) {
  return llvm::isa<hlo::ConstantOp, hlo::IotaOp, hlo::BroadcastInDimOp, hlo::ReshapeOp,
                   hlo::SliceOp, hlo::TransposeOp>(op);
}

absl::StatusOr<Tensor> EvaluateMovement(mlir::Operation& op, Lookup value) {
  return llvm::TypeSwitch<mlir::Operation*, absl::StatusOr<Tensor>>(&op)
      .Case([&](hlo::ConstantOp constant) { return hlo::ToTensor(constant.getValue()); })
      .Case([&](hlo::IotaOp iota) { return Iota(iota); })
      .Case([&](hlo::BroadcastInDimOp broadcast) {
        return Broadcast(broadcast, value(broadcast.getOperand()));
      })
      .Case([&](hlo::ReshapeOp reshape) { return Reshape(reshape, value(reshape.getOperand())); })
      .Case([&](hlo::SliceOp slice) { return Slice(slice, value(slice.getOperand())); })
      .Case([&](hlo::TransposeOp transpose) {
        return Transpose(value(transpose.getOperand()), transpose.getPermutation());
      })
      .Default([](mlir::Operation* other) { return UndefinedOp(*other); });
}

}  // namespace quern::frontend
