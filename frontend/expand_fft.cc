#include "frontend/expand_fft.h"

#include <complex>
#include <numbers>
#include <vector>

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;
using Complex = std::complex<double>;

static constexpr int64_t kMaxMatrix = 512;              // roots in a row
static constexpr int64_t kMaxTable = int64_t{1} << 18;  // elements of a constant

// exp(2 pi i k / n), or its conjugate.
static Complex Root(int64_t k, int64_t n, bool inverse) {
  const double turn = (inverse ? 2 : -2) * std::numbers::pi;
  return std::polar(1.0, turn * static_cast<double>(k % n) / static_cast<double>(n));
}

// The largest factor up to the square root; 1 of a prime.
static int64_t Factor(int64_t n) {
  int64_t factor = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) factor = p;
  }
  return factor;
}

// The power of two that holds a convolution of two lines of n.
static int64_t ConvolutionLength(int64_t n) {
  int64_t length = 1;
  while (length < 2 * n - 1) length *= 2;
  return length;
}

static bool Fits(int64_t n) {
  if (n > kMaxTable) return false;
  const int64_t factor = Factor(n);
  if (factor > 1) return Fits(factor) && Fits(n / factor);
  return n <= kMaxMatrix || ConvolutionLength(n) <= kMaxTable;
}

namespace {

// Transforms of the last dimension of f64 tensors [lines, length].
class Lines {
 public:
  explicit Lines(Steps& steps) : steps_(steps), complex_(steps) {}

  // Without the scale of the inverse.
  Parts Transform(Parts lines, bool inverse) {
    const int64_t n = Ranked(lines.real).getDimSize(1), p = Factor(n);
    if (n == 1) return lines;
    if (p == 1 && n > kMaxMatrix) return Convolve(lines, inverse);
    if (p == 1 || n <= kSmallMatrix) return Multiply(lines, inverse);
    return Split(lines, p, n / p, inverse);
  }

 private:
  static constexpr int64_t kSmallMatrix = 16;  // not split further

  Parts Constant(const std::vector<Complex>& values, llvm::ArrayRef<int64_t> shape) {
    std::vector<double> real, imaginary;
    for (Complex value : values) {
      real.push_back(value.real());
      imaginary.push_back(value.imag());
    }
    const auto type = RankedTensorType::get(shape, steps_.builder().getF64Type());
    const auto constant = [&](const std::vector<double>& numbers) {
      return steps_.Create<hlo::ConstantOp>(
          type, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<double>(numbers)));
    };
    return {constant(real), constant(imaginary)};
  }

  // The constant in every line.
  Parts Spread(Parts constant, RankedTensorType type) {
    const int64_t rank = type.getRank(), own = Ranked(constant.real).getRank();
    llvm::SmallVector<int64_t> dims;
    for (int64_t i = rank - own; i < rank; ++i) dims.push_back(i);
    return {steps_.Broadcast(constant.real, type, dims),
            steps_.Broadcast(constant.imaginary, type, dims)};
  }

  Parts Each(Parts parts, llvm::function_ref<Value(Value)> move) {
    return {move(parts.real), move(parts.imaginary)};
  }

  Parts Multiply(Parts lines, bool inverse) {
    const RankedTensorType type = Ranked(lines.real);
    const int64_t n = type.getDimSize(1);
    std::vector<Complex> roots;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t k = 0; k < n; ++k) roots.push_back(Root(j * k, n, inverse));
    }
    const Parts matrix = Constant(roots, {n, n});
    const auto product = [&](Value a, Value b) -> Value {
      auto numbers =
          hlo::DotDimensionNumbersAttr::get(steps_.builder().getContext(), {}, {}, {1}, {0});
      return steps_.Create<hlo::DotGeneralOp>(type, a, b, numbers, nullptr,
                                              hlo::DotAlgorithmAttr());
    };
    return {steps_.Binary<hlo::SubtractOp>(product(lines.real, matrix.real),
                                           product(lines.imaginary, matrix.imaginary)),
            steps_.Binary<hlo::AddOp>(product(lines.real, matrix.imaginary),
                                      product(lines.imaginary, matrix.real))};
  }

  // Element j1 q + j2 goes to k1 + p k2: transforms of length p for each j2, roots of n to the
  // power j2 k1, transforms of length q for each k1.
  Parts Split(Parts lines, int64_t p, int64_t q, bool inverse) {
    const int64_t count = Ranked(lines.real).getDimSize(0);
    const auto turn = [&](Parts parts, int64_t rows, int64_t columns) {
      return Each(parts, [&](Value part) {
        return steps_.Transpose(steps_.Reshape(part, {count, rows, columns}), {0, 2, 1});
      });
    };
    const auto flat = [&](Parts parts, int64_t outer, int64_t inner) {
      return Each(parts, [&](Value part) { return steps_.Reshape(part, {outer, inner}); });
    };
    Parts first = Transform(flat(turn(lines, p, q), count * q, p), inverse);
    std::vector<Complex> roots;
    for (int64_t j = 0; j < q; ++j) {
      for (int64_t k = 0; k < p; ++k) roots.push_back(Root(j * k, p * q, inverse));
    }
    first = Each(first, [&](Value part) { return steps_.Reshape(part, {count, q, p}); });
    first = complex_.Multiply(first, Spread(Constant(roots, {q, p}), Ranked(first.real)));
    const Parts second = Transform(flat(turn(first, q, p), count * p, q), inverse);
    return flat(turn(second, p, q), count, p * q);
  }

  // With j k = (j² + k² - (k - j)²) / 2, a convolution by a chirp.
  Parts Convolve(Parts lines, bool inverse) {
    const int64_t n = Ranked(lines.real).getDimSize(1), m = ConvolutionLength(n);
    std::vector<Complex> chirp, filter(m);
    for (int64_t j = 0; j < n; ++j) {
      chirp.push_back(Root(j * j, 2 * n, inverse));
      filter[j] = filter[(m - j) % m] = std::conj(chirp[j]);
    }
    const Parts factors = Constant(chirp, {n});
    Parts moved = complex_.Multiply(lines, Spread(factors, Ranked(lines.real)));
    moved = Each(moved, [&](Value part) { return Continue(part, m - n); });
    moved = Transform(moved, false);
    const Parts row = Transform(Constant(filter, {1, m}), false);
    const RankedTensorType type = Ranked(moved.real);
    const Parts spectrum = Each(
        row, [&](Value part) { return steps_.Broadcast(steps_.Reshape(part, {m}), type, {1}); });
    moved = Transform(complex_.Multiply(moved, spectrum), true);
    moved = Each(moved, [&](Value part) {
      const Value kept = steps_.Slice(part, 1, 0, n);
      const Value scale = steps_.Constant(Ranked(kept), 1.0 / static_cast<double>(m));
      return steps_.Binary<hlo::MulOp>(kept, scale);
    });
    return complex_.Multiply(moved, Spread(factors, Ranked(moved.real)));
  }

  // The lines with zeros behind.
  Value Continue(Value part, int64_t zeros) {
    const RankedTensorType type = Ranked(part).clone({Ranked(part).getDimSize(0), zeros});
    return steps_.Concatenate({part, steps_.Zeros(type)}, 1);
  }

  Steps& steps_;
  ComplexSteps complex_;
};

}  // namespace

// Transforms along one dimension.
static Parts TransformDimension(Steps& steps, Parts values, int64_t dimension, bool inverse) {
  const RankedTensorType type = Ranked(values.real);
  const int64_t n = type.getDimSize(dimension), lines = type.getNumElements() / n;
  llvm::SmallVector<int64_t> order, back(type.getRank());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i != dimension) order.push_back(i);
  }
  order.push_back(dimension);
  llvm::SmallVector<int64_t> moved;
  for (auto [i, from] : llvm::enumerate(order)) {
    back[from] = static_cast<int64_t>(i);
    moved.push_back(type.getDimSize(from));
  }
  const auto to_lines = [&](Value part) {
    return steps.Reshape(steps.Transpose(part, order), {lines, n});
  };
  const Parts result =
      Lines(steps).Transform({to_lines(values.real), to_lines(values.imaginary)}, inverse);
  const auto from_lines = [&](Value part) {
    if (inverse) {
      const Value scale = steps.Constant(Ranked(part), 1.0 / static_cast<double>(n));
      part = steps.Binary<hlo::MulOp>(part, scale);
    }
    return steps.Transpose(steps.Reshape(part, moved), back);
  };
  return {from_lines(result.real), from_lines(result.imaginary)};
}

// The lines of the last dimension, continued as the conjugates of what came before.
static Parts Continue(Steps& steps, Parts values, int64_t last) {
  const int64_t dimension = Ranked(values.real).getRank() - 1;
  const int64_t from = Ranked(values.real).getDimSize(dimension);
  if (last <= from) {
    return {steps.Slice(values.real, dimension, 0, last),
            steps.Slice(values.imaginary, dimension, 0, last)};
  }
  const auto tail = [&](Value part) -> Value {
    const Value kept = steps.Slice(part, dimension, 1, last - from + 1);
    return steps.Create<hlo::ReverseOp>(kept.getType(), kept,
                                        steps.builder().getDenseI64ArrayAttr({dimension}));
  };
  const Value imaginary = tail(values.imaginary);
  const Value negated = steps.Create<hlo::NegateOp>(imaginary.getType(), imaginary);
  return {steps.Concatenate({values.real, tail(values.real)}, dimension),
          steps.Concatenate({values.imaginary, negated}, dimension)};
}

std::optional<Parts> ExpandFft(Steps& steps, hlo::FftOp op, Parts operand) {
  if (!llvm::all_of(op.getFftLength(), Fits)) return std::nullopt;
  auto result = llvm::cast<RankedTensorType>(op.getType());
  mlir::Type element = result.getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element)) element = complex.getElementType();
  const hlo::FftType kind = op.getFftType();
  if (result.getNumElements() == 0 || Ranked(operand.real).getNumElements() == 0) {
    const Value zeros = steps.Zeros(result.clone(element));
    return Parts{zeros, zeros};
  }
  const mlir::Type wide = steps.builder().getF64Type();
  Parts values = {steps.ConvertTo(operand.real, wide), {}};
  values.imaginary = operand.imaginary ? steps.ConvertTo(operand.imaginary, wide)
                                       : steps.Zeros(Ranked(values.real));
  const bool inverse = kind == hlo::FftType::IFFT || kind == hlo::FftType::IRFFT;
  const int64_t rank = result.getRank(), last = op.getFftLength().back();
  const int64_t first = rank - static_cast<int64_t>(op.getFftLength().size());
  if (kind == hlo::FftType::RFFT) {
    values = TransformDimension(steps, values, rank - 1, inverse);
    values = {steps.Slice(values.real, rank - 1, 0, last / 2 + 1),
              steps.Slice(values.imaginary, rank - 1, 0, last / 2 + 1)};
  }
  for (int64_t d = first; d < rank - 1; ++d) values = TransformDimension(steps, values, d, inverse);
  if (kind == hlo::FftType::IRFFT) values = Continue(steps, values, last);
  if (kind != hlo::FftType::RFFT) values = TransformDimension(steps, values, rank - 1, inverse);
  return Parts{steps.ConvertTo(values.real, element), steps.ConvertTo(values.imaginary, element)};
}

}  // namespace quern::frontend
