#include "ir/stablehlo/constant.h"

#include <cstring>

#include "bundle/status.h"
#include "ir/stablehlo/stablehlo.h"

namespace quern::stablehlo {

absl::StatusOr<Tensor> ToTensor(mlir::ElementsAttr value) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  std::optional<TensorType> type = ToTensorType(value.getType());
  if (!dense) return absl::InvalidArgumentError("the constant's data is elided or external");
  if (!type) return absl::InvalidArgumentError("the constant's type is not supported");
  QUERN_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Create(*type));
  const int64_t count = type->num_elements();
  if (type->element == ElementType::kBool) {  // MLIR packs bits
    if (dense.isSplat()) {
      std::memset(tensor.data(), dense.getSplatValue<bool>() ? 1 : 0, count);
    } else {
      uint8_t* out = tensor.as<uint8_t>();
      for (bool element : dense.getValues<bool>()) *out++ = element ? 1 : 0;
    }
    return tensor;
  }
  if (type->element == ElementType::kI4 || type->element == ElementType::kUI4) {
    // The upper half of a byte is unspecified.
    const auto nibble = [&](char raw) {
      const int8_t byte = static_cast<int8_t>(raw << 4);
      return static_cast<char>(type->element == ElementType::kI4 ? byte >> 4 : (raw & 15));
    };
    const llvm::ArrayRef<char> raw = dense.getRawData();
    for (int64_t i = 0; i < count; ++i) tensor.as<char>()[i] = nibble(raw[dense.isSplat() ? 0 : i]);
    return tensor;
  }
  const char* raw = dense.getRawData().data();
  const int64_t size = ByteSize(type->element);
  if (!dense.isSplat()) {
    if (count > 0) std::memcpy(tensor.data(), raw, count * size);
    return tensor;
  }
  for (int64_t i = 0; i < count; ++i) std::memcpy(tensor.data() + i * size, raw, size);
  return tensor;
}

mlir::DenseElementsAttr FromTensor(const Tensor& tensor, mlir::RankedTensorType type) {
  const unsigned width = BitWidth(tensor.type().element);
  if (width < 8) {
    llvm::SmallVector<llvm::APInt> numbers;
    for (int64_t i = 0; i < tensor.type().num_elements(); ++i)
      numbers.emplace_back(width, tensor.as<uint8_t>()[i], /*isSigned=*/false,
                           /*implicitTrunc=*/true);
    return mlir::DenseElementsAttr::get(type, numbers);
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(tensor.as<char>(), tensor.type().num_bytes()));
}

}  // namespace quern::stablehlo
