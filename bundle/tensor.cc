#include "bundle/tensor.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/round_up.h"
#include "bundle/small_float.h"

namespace quern {

static constexpr int64_t kAlignment = 64;

void Tensor::Free::operator()(std::byte* p) const { std::free(p); }

absl::StatusOr<Tensor> Tensor::Create(TensorType type) {
  const int64_t bytes = type.num_bytes();
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t rounded = RoundUp(std::clamp<int64_t>(bytes, 1, memory), kAlignment);
  void* block = bytes > memory ? nullptr : std::aligned_alloc(kAlignment, rounded);
  if (block == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a tensor ", type.ToString(), " does not fit in memory"));
  }
  std::memset(block, 0, rounded);
  Tensor tensor;
  tensor.type_ = std::move(type);
  tensor.data_.reset(static_cast<std::byte*>(block));
  return tensor;
}

Tensor Tensor::Clone() const {
  if (data_ == nullptr) return Tensor();
  Tensor copy = Create(type_).value();
  std::memcpy(copy.data(), data(), type_.num_bytes());
  return copy;
}

template <typename T>
static T Read(const std::byte* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
static void Write(std::byte* data, int64_t index, T value) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

double LoadElement(ElementType element, const std::byte* data, int64_t index) {
  switch (element) {
    case ElementType::kF64:
      return Read<double>(data, index);
    case ElementType::kF32:
      return Read<float>(data, index);
    case ElementType::kF16:
      return DecodeSmall(kSmallFloat<ElementType::kF16>, Read<uint16_t>(data, index));
    case ElementType::kBF16:
      return BF16ToF32(Read<uint16_t>(data, index));
#define QUERN_F8(enumerator)    \
  case ElementType::enumerator: \
    return DecodeSmall(kSmallFloat<ElementType::enumerator>, Read<uint8_t>(data, index));
      QUERN_F8(kF8E3M4)
      QUERN_F8(kF8E4M3)
      QUERN_F8(kF8E4M3B11FNUZ)
      QUERN_F8(kF8E4M3FN)
      QUERN_F8(kF8E4M3FNUZ)
      QUERN_F8(kF8E5M2)
      QUERN_F8(kF8E5M2FNUZ)
      QUERN_F8(kF8E8M0FNU)
#undef QUERN_F8
    case ElementType::kI4:
    case ElementType::kI8:
      return Read<int8_t>(data, index);
    case ElementType::kI16:
      return Read<int16_t>(data, index);
    case ElementType::kI32:
      return Read<int32_t>(data, index);
    case ElementType::kI64:
      return static_cast<double>(Read<int64_t>(data, index));
    case ElementType::kBool:
    case ElementType::kUI4:
    case ElementType::kUI8:
      return Read<uint8_t>(data, index);
    case ElementType::kUI16:
      return Read<uint16_t>(data, index);
    case ElementType::kUI32:
      return Read<uint32_t>(data, index);
    case ElementType::kUI64:
      return static_cast<double>(Read<uint64_t>(data, index));
    case ElementType::kComplexF32:
      return Read<float>(data, 2 * index);
    case ElementType::kComplexF64:
      return Read<double>(data, 2 * index);
  }
  std::abort();
}

std::complex<double> LoadComplex(ElementType element, const std::byte* data, int64_t index) {
  if (element == ElementType::kComplexF32) return Read<std::complex<float>>(data, index);
  if (element == ElementType::kComplexF64) return Read<std::complex<double>>(data, index);
  return LoadElement(element, data, index);
}

// Between the limits of T, or of the narrower integer that `low` and `high` bound.
template <typename T>
static T Saturate(double value, T low = std::numeric_limits<T>::min(),
                  T high = std::numeric_limits<T>::max()) {
  if (std::isnan(value)) return 0;
  const double whole = std::nearbyint(value);
  if (whole <= static_cast<double>(low)) return low;
  if (whole >= static_cast<double>(high)) return high;
  return static_cast<T>(whole);
}

void StoreElement(ElementType element, std::byte* data, int64_t index, double value) {
  switch (element) {
    case ElementType::kF64:
      return Write(data, index, value);
    case ElementType::kF32:
      return Write(data, index, static_cast<float>(value));
#define QUERN_SMALL_FLOAT(enumerator, exponent, mantissa, bias, special)                     \
  case ElementType::enumerator: {                                                            \
    const uint32_t bits = EncodeSmall(kSmallFloat<ElementType::enumerator>, value);          \
    if ((exponent) + (mantissa) > 8) return Write(data, index, static_cast<uint16_t>(bits)); \
    return Write(data, index, static_cast<uint8_t>(bits));                                   \
  }
#include "bundle/small_floats.def"
#undef QUERN_SMALL_FLOAT
    case ElementType::kI4:
      return Write(data, index, Saturate<int8_t>(value, -8, 7));
    case ElementType::kI8:
      return Write(data, index, Saturate<int8_t>(value));
    case ElementType::kI16:
      return Write(data, index, Saturate<int16_t>(value));
    case ElementType::kI32:
      return Write(data, index, Saturate<int32_t>(value));
    case ElementType::kI64:
      return Write(data, index, Saturate<int64_t>(value));
    case ElementType::kUI4:
      return Write(data, index, Saturate<uint8_t>(value, 0, 15));
    case ElementType::kUI8:
      return Write(data, index, Saturate<uint8_t>(value));
    case ElementType::kUI16:
      return Write(data, index, Saturate<uint16_t>(value));
    case ElementType::kUI32:
      return Write(data, index, Saturate<uint32_t>(value));
    case ElementType::kUI64:
      return Write(data, index, Saturate<uint64_t>(value));
    case ElementType::kBool:
      return Write(data, index, static_cast<uint8_t>(value != 0));
    case ElementType::kComplexF32:
      return Write(data, index, std::complex<float>(static_cast<float>(value)));
    case ElementType::kComplexF64:
      return Write(data, index, std::complex<double>(value));
  }
  std::abort();
}

double Tensor::At(int64_t index) const { return LoadElement(type_.element, data(), index); }

std::complex<double> Tensor::ComplexAt(int64_t index) const {
  return LoadComplex(type_.element, data(), index);
}

void Tensor::Set(int64_t index, double value) { StoreElement(type_.element, data(), index, value); }

float BF16ToF32(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t F32ToBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace quern
