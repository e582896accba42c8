#include "frontend/products.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

namespace quern::frontend {

// A product and the sum are rounded apart.
#pragma STDC FP_CONTRACT OFF

std::optional<ElementType> SumType(ElementType lhs, ElementType rhs, ElementType result) {
  auto family = [](ElementType type) {
    return IsInteger(type) ? ElementKind::kSigned : KindOf(type);
  };
  if (family(lhs) != family(result) || family(rhs) != family(result)) return std::nullopt;
  switch (family(result)) {
    case ElementKind::kFloat:
      return result == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
    case ElementKind::kComplex:
    case ElementKind::kBool:
      return result;
    default:
      return ByteSize(result) == 4 ? result : ElementType::kI64;
  }
}

template <typename T>
static T MultiplyAdd(T sum, T a, T b) {
  return sum + a * b;
}
static uint8_t MultiplyAdd(uint8_t sum, uint8_t a, uint8_t b) { return sum | (a & b); }
template <typename T>
static std::complex<T> MultiplyAdd(std::complex<T> sum, std::complex<T> a, std::complex<T> b) {
  return {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
          sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}

template <typename T>
static void AddSimply(const T* lhs, const T* rhs, T* out, const ProductShape& shape) {
  for (int64_t m = 0; m < shape.rows; ++m) {
    T* row = out + m * shape.out_stride;
    for (int64_t k = 0; k < shape.depth; ++k) {
      const T factor = lhs[m * shape.lhs_stride + k];
      const T* factors = rhs + k * shape.rhs_stride;
      for (int64_t n = 0; n < shape.columns; ++n) row[n] = MultiplyAdd(row[n], factor, factors[n]);
    }
  }
}

// Real numbers: four rows by two vectors of columns stay in registers while k runs.
template <typename T>
class Tiled {
 public:
  static constexpr int64_t kWidth = 16 / sizeof(T), kColumns = 2 * kWidth, kRows = 4, kDepth = 256;
  typedef T Vector __attribute__((vector_size(16)));

  static void Add(const T* lhs, const T* rhs, T* out, const ProductShape& s) {
    std::vector<Vector> panel(2 * kDepth);
    for (int64_t k = 0; k < s.depth; k += kDepth) {
      const int64_t depth = std::min(kDepth, s.depth - k);
      for (int64_t n = 0; n < s.columns; n += kColumns) {
        const int64_t columns = std::min(kColumns, s.columns - n);
        Pack(rhs + k * s.rhs_stride + n, s.rhs_stride, depth, columns, panel.data());
        for (int64_t m = 0; m < s.rows; m += kRows) {
          Tile(lhs + m * s.lhs_stride + k, s.lhs_stride, panel.data(), out + m * s.out_stride + n,
               s.out_stride, std::min(kRows, s.rows - m), depth, columns);
        }
      }
    }
  }

 private:
  static void Pack(const T* rhs, int64_t stride, int64_t depth, int64_t columns, Vector* panel) {
    T* to = reinterpret_cast<T*>(panel);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t n = 0; n < kColumns; ++n)
        to[k * kColumns + n] = n < columns ? rhs[k * stride + n] : T{0};
    }
  }

  static void Tile(const T* lhs, int64_t lhs_stride, const Vector* panel, T* out,
                   int64_t out_stride, int64_t rows, int64_t depth, int64_t columns) {
    Vector sums[kRows][2] = {};
    for (int64_t m = 0; m < rows; ++m)
      std::memcpy(sums[m], out + m * out_stride, columns * sizeof(T));
    const T* at[kRows];  // rows that are not there repeat the last one
    for (int64_t m = 0; m < kRows; ++m) at[m] = lhs + std::min(m, rows - 1) * lhs_stride;
    for (int64_t k = 0; k < depth; ++k) {
      const Vector left = panel[2 * k], right = panel[2 * k + 1];
#pragma clang loop unroll(full)
      for (int64_t m = 0; m < kRows; ++m) {
        const T factor = at[m][k];
        sums[m][0] = sums[m][0] + factor * left;
        sums[m][1] = sums[m][1] + factor * right;
      }
    }
    for (int64_t m = 0; m < rows; ++m)
      std::memcpy(out + m * out_stride, sums[m], columns * sizeof(T));
  }
};

void AddProducts(ElementType type, const std::byte* lhs, const std::byte* rhs, std::byte* out,
                 const ProductShape& shape) {
  auto run = [&]<typename T>(T, auto add) {
    add(reinterpret_cast<const T*>(lhs), reinterpret_cast<const T*>(rhs), reinterpret_cast<T*>(out),
        shape);
  };
  switch (type) {
    case ElementType::kF32:
      return run(float(), Tiled<float>::Add);
    case ElementType::kF64:
      return run(double(), Tiled<double>::Add);
    case ElementType::kComplexF32:
      return run(std::complex<float>(), AddSimply<std::complex<float>>);
    case ElementType::kComplexF64:
      return run(std::complex<double>(), AddSimply<std::complex<double>>);
    case ElementType::kBool:
      return run(uint8_t(), AddSimply<uint8_t>);
    case ElementType::kI32:
    case ElementType::kUI32:
      return run(uint32_t(), AddSimply<uint32_t>);
    default:
      return run(uint64_t(), AddSimply<uint64_t>);
  }
}

}  // namespace quern::frontend
