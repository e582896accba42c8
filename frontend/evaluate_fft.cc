#include <numbers>

#include "frontend/complex_elements.h"
#include "frontend/evaluate.h"
#include "frontend/strided.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// Transforms of one length, by splitting off its smallest prime factor again and again; O(n * sum
// of the prime factors).
class Transform {
 public:
  Transform(int64_t length, bool inverse) : length_(length), inverse_(inverse) {
    const double turn = (inverse ? 2 : -2) * std::numbers::pi;
    for (int64_t k = 0; k < length; ++k)
      roots_.push_back(
          std::polar(1.0, turn * static_cast<double>(k) / static_cast<double>(length)));
  }

  void Run(std::vector<Complex>& line) const {
    std::vector<Complex> result(line.size());
    Split(line.data(), 1, result.data(), length_);
    const double scale = inverse_ ? 1.0 / static_cast<double>(length_) : 1.0;
    for (int64_t i = 0; i < length_; ++i) line[i] = result[i] * scale;
  }

 private:
  static int64_t SmallestFactor(int64_t n) {
    for (int64_t p = 2; p * p <= n; ++p) {
      if (n % p == 0) return p;
    }
    return n;
  }

  // to[0..n) = transform of from[0], from[stride], ...
  void Split(const Complex* from, int64_t stride, Complex* to, int64_t n) const {
    if (n == 1) {
      *to = *from;
      return;
    }
    const int64_t p = SmallestFactor(n), m = n / p, step = length_ / n;
    for (int64_t r = 0; r < p; ++r) Split(from + r * stride, stride * p, to + r * m, m);
    std::vector<Complex> parts(p);
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t r = 0; r < p; ++r) parts[r] = to[r * m + k];
      for (int64_t q = 0; q < p; ++q) {
        Complex sum = parts[0];
        for (int64_t r = 1; r < p; ++r) sum += parts[r] * roots_[r * (k + q * m) % n * step];
        to[q * m + k] = sum;
      }
    }
  }

  int64_t length_;
  bool inverse_;
  std::vector<Complex> roots_;
};

// Every line of `values` along one dimension; `shape` is theirs.
static void TransformDimension(std::vector<Complex>& values, llvm::ArrayRef<int64_t> shape,
                               int64_t dimension, bool inverse) {
  const llvm::SmallVector<int64_t> strides = Strides(shape);
  const Transform transform(shape[dimension], inverse);
  llvm::SmallVector<int64_t> others{llvm::ArrayRef<int64_t>(shape)};
  others[dimension] = 1;
  std::vector<Complex> line(shape[dimension]);
  ForEachIndex(others, [&](llvm::ArrayRef<int64_t> index) {
    const int64_t start = Dot(index, strides);
    for (size_t i = 0; i < line.size(); ++i) line[i] = values[start + i * strides[dimension]];
    transform.Run(line);
    for (size_t i = 0; i < line.size(); ++i) values[start + i * strides[dimension]] = line[i];
    return true;
  });
}

// The lines of the last dimension with another length: cut off, or continued as the conjugates
// of what came before, which the spectrum of real numbers is.
static std::vector<Complex> ResizeLast(const std::vector<Complex>& values, int64_t from,
                                       int64_t to) {
  const int64_t lines = from == 0 ? 0 : static_cast<int64_t>(values.size()) / from;
  std::vector<Complex> result;
  result.reserve(lines * to);
  for (int64_t line = 0; line < lines; ++line) {
    const Complex* row = values.data() + line * from;
    for (int64_t i = 0; i < to; ++i) result.push_back(i < from ? row[i] : std::conj(row[to - i]));
  }
  return result;
}

// In f64, rounded once.
static absl::StatusOr<Tensor> Fft(hlo::FftOp op, const Scope& scope) {
  const Tensor& operand = scope(op.getOperand());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(*hlo::ToTensorType(op.getType())));
  const int64_t count = result.type().num_elements();
  if (count == 0 || operand.type().num_elements() == 0) return result;
  const hlo::FftType kind = op.getFftType();
  const bool inverse = kind == hlo::FftType::IFFT || kind == hlo::FftType::IRFFT;
  llvm::SmallVector<int64_t> shape{llvm::ArrayRef<int64_t>(operand.type().shape)};
  std::vector<Complex> values(operand.type().num_elements());
  for (size_t i = 0; i < values.size(); ++i) values[i] = operand.ComplexAt(i);
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t first = rank - static_cast<int64_t>(op.getFftLength().size());
  const int64_t last = op.getFftLength().back();
  if (kind == hlo::FftType::RFFT) {
    TransformDimension(values, shape, rank - 1, inverse);
    values = ResizeLast(values, last, last / 2 + 1);
    shape.back() = last / 2 + 1;
  }
  for (int64_t d = first; d < rank - 1; ++d) TransformDimension(values, shape, d, inverse);
  if (kind == hlo::FftType::IRFFT) {
    values = ResizeLast(values, shape.back(), last);
    shape.back() = last;
  }
  if (kind != hlo::FftType::RFFT) TransformDimension(values, shape, rank - 1, inverse);
  for (int64_t i = 0; i < count; ++i) SetComplex(result, i, values[i]);
  return result;
}

Evaluator FindFft(mlir::Operation& op) {
  return llvm::isa<hlo::FftOp>(op) ? Single<hlo::FftOp, Fft> : nullptr;
}

}  // namespace quern::frontend
