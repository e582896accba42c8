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

namespace quern {

static constexpr int64_t kAlignment = 64;

void Tensor::Free::operator()(std::byte* p) const { std::free(p); }

absl::StatusOr<Tensor> Tensor::Create(TensorType type) {
  const int64_t bytes = type.num_bytes();
  const int64_t memory = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const int64_t rounded =
      (std::clamp<int64_t>(bytes, 1, memory) + kAlignment - 1) / kAlignment * kAlignment;
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

double Tensor::At(int64_t index) const {
  switch (type_.element) {
    case ElementType::kF32:
      return as<float>()[index];
    case ElementType::kBF16:
      return BF16ToF32(as<uint16_t>()[index]);
    case ElementType::kI32:
      return as<int32_t>()[index];
    case ElementType::kBool:
      return as<uint8_t>()[index];
  }
  std::abort();
}

// Rounds to odd, so that rounding the result to bf16 rounds `value` once and not twice.
static float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1);
}

static int32_t SaturateToI32(double value) {
  if (std::isnan(value)) return 0;
  const double low = std::numeric_limits<int32_t>::min();
  const double high = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp(std::nearbyint(value), low, high));
}

void Tensor::Set(int64_t index, double value) {
  switch (type_.element) {
    case ElementType::kF32:
      as<float>()[index] = static_cast<float>(value);
      return;
    case ElementType::kBF16:
      as<uint16_t>()[index] = F32ToBF16(RoundToOdd(value));
      return;
    case ElementType::kI32:
      as<int32_t>()[index] = SaturateToI32(value);
      return;
    case ElementType::kBool:
      as<uint8_t>()[index] = value != 0;
      return;
  }
  std::abort();
}

float BF16ToF32(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t F32ToBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace quern
