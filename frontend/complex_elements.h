// Elements of floating-point and complex tensors as complex<double>.
#ifndef QUERN_FRONTEND_COMPLEX_ELEMENTS_H_
#define QUERN_FRONTEND_COMPLEX_ELEMENTS_H_

#include <complex>

#include "bundle/tensor.h"

namespace quern::frontend {

using Complex = std::complex<double>;

// Rounds to the element type; a real element takes the real part.
inline void SetComplex(Tensor& tensor, int64_t index, Complex value) {
  switch (tensor.type().element) {
    case ElementType::kComplexF32:
      tensor.as<std::complex<float>>()[index] = std::complex<float>(value);
      return;
    case ElementType::kComplexF64:
      tensor.as<Complex>()[index] = value;
      return;
    default:
      tensor.Set(index, value.real());
  }
}

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_COMPLEX_ELEMENTS_H_
