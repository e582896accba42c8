// Values as they lie in memory.
#include <cfenv>
#include <cmath>
#include <cstring>

#include "verifier/machine/float_bits.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

bool IsChecked(ElementType type) { return KindOf(type) != ElementKind::kComplex; }

bool IsStorageOnly(ElementType type) { return IsFloat(type) && ByteSize(type) == 1; }

bool IsSigned(ElementType type) { return KindOf(type) == ElementKind::kSigned; }

ElementType SumType(ElementType operand) {
  return operand == ElementType::kF64 ? operand : ElementType::kF32;
}

Scalar FromBits(uint64_t bits, ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return {.number = ToDouble(Type::kDouble, bits)};
    case ElementType::kF32:
      return {.number = ToDouble(Type::kFloat, bits)};
    case ElementType::kF16:
      return {.number = ToDouble(Type::kHalf, bits)};
    case ElementType::kBF16:
      return {.number = ToDouble(Type::kBFloat, bits)};
    case ElementType::kBool:
      return {.integer = (bits & 0xff) != 0};
    default:
      break;
  }
  if (IsFloat(type)) {
    const auto byte = static_cast<std::byte>(bits);
    return {.number = LoadElement(type, &byte, 0)};
  }
  const int unused = 64 - BitWidth(type);
  if (IsSigned(type)) return {.integer = static_cast<int64_t>(bits << unused) >> unused};
  return {.integer = static_cast<int64_t>(bits << unused >> unused)};
}

uint64_t BitsOf(Scalar value, ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return FromDouble(Type::kDouble, value.number);
    case ElementType::kF32:
      return FromDouble(Type::kFloat, value.number);
    case ElementType::kF16:
      return FromDouble(Type::kHalf, value.number);
    case ElementType::kBF16:
      return FromDouble(Type::kBFloat, value.number);
    default:
      break;
  }
  if (IsFloat(type)) {
    std::byte byte{};
    StoreElement(type, &byte, 0, value.number);
    return static_cast<uint64_t>(byte);
  }
  return static_cast<uint64_t>(value.integer) & (~uint64_t{0} >> (64 - 8 * ByteSize(type)));
}

Scalar Load(const Tensor& tensor, int64_t element) {
  const ElementType type = tensor.type().element;
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data() + element * ByteSize(type), ByteSize(type));
  return FromBits(bits, type);
}

void Store(Scalar value, int64_t element, Tensor& tensor) {
  const ElementType type = tensor.type().element;
  const uint64_t bits = BitsOf(value, type);
  std::memcpy(tensor.data() + element * ByteSize(type), &bits, ByteSize(type));
}

double ToDouble(Scalar value, ElementType type) {
  if (IsFloat(type)) return value.number;
  if (type == ElementType::kUI64) return static_cast<double>(static_cast<uint64_t>(value.integer));
  return static_cast<double>(value.integer);
}

double RoundTo(ElementType type, double value) {
  switch (type) {
    case ElementType::kF64:
      return value;
    case ElementType::kF32:
      return static_cast<float>(value);
    case ElementType::kF16:
      return ToDouble(Type::kHalf, FromDouble(Type::kHalf, value));
    case ElementType::kBF16:
      return ToDouble(Type::kBFloat, FromDouble(Type::kBFloat, value));
    default:
      break;
  }
  std::byte byte{};
  StoreElement(type, &byte, 0, value);
  const double rounded = LoadElement(type, &byte, 0);
  if (rounded != value && !std::isnan(value)) std::feraiseexcept(FE_INEXACT);
  return rounded;
}

}  // namespace quern::verifier
