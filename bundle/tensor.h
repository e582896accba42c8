// A tensor in host memory.
#ifndef QUERN_BUNDLE_TENSOR_H_
#define QUERN_BUNDLE_TENSOR_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "bundle/tensor_type.h"

namespace quern {

// Owns num_bytes() bytes, row-major, 64-byte aligned. Movable; copies are explicit (Clone).
class Tensor {
 public:
  Tensor() = default;
  // Zero-filled. kResourceExhausted if the bytes cannot be had.
  static absl::StatusOr<Tensor> Create(TensorType type);
  Tensor Clone() const;  // aborts if the bytes cannot be had

  const TensorType& type() const { return type_; }
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }

  // Element `index` (row-major), converted to double; of a complex number the real part. Exact but
  // for i64 and ui64.
  double At(int64_t index) const;
  std::complex<double> ComplexAt(int64_t index) const;  // of a real number with 0
  // Rounds to the element type, to nearest even; integers saturate. What is more than the largest
  // number of a format without infinity becomes NaN.
  void Set(int64_t index, double value);

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  TensorType type_;
  std::unique_ptr<std::byte[], Free> data_;
};

// Elements of tensors whose bytes lie elsewhere, as At, ComplexAt and Set treat them.
double LoadElement(ElementType element, const std::byte* data, int64_t index);
std::complex<double> LoadComplex(ElementType element, const std::byte* data, int64_t index);
void StoreElement(ElementType element, std::byte* data, int64_t index, double value);

// bfloat16 is the upper half of an f32; rounding is to nearest even, NaNs stay NaN.
float BF16ToF32(uint16_t bits);
uint16_t F32ToBF16(float value);

}  // namespace quern

#endif  // QUERN_BUNDLE_TENSOR_H_
