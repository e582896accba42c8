#include "frontend/complex_elements.h"
#include "frontend/evaluate.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;

// One matrix of a batch in f64. Elements of complex matrices may be conjugated as they are read.
struct Matrix {
  std::vector<Complex> elements;
  int64_t columns;
  Complex operator()(int64_t i, int64_t j) const { return elements[i * columns + j]; }
  Complex& operator()(int64_t i, int64_t j) { return elements[i * columns + j]; }
};

static Matrix Load(const Tensor& tensor, int64_t batch, int64_t rows, int64_t columns) {
  Matrix matrix{std::vector<Complex>(rows * columns), columns};
  for (int64_t i = 0; i < rows * columns; ++i)
    matrix.elements[i] = tensor.ComplexAt(batch * rows * columns + i);
  return matrix;
}

// x of T x = b in place, T[i, j] = at(i, j) triangular.
template <typename At>
static void Substitute(At at, bool lower, bool unit_diagonal, std::vector<Complex>& x) {
  const auto n = static_cast<int64_t>(x.size());
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    Complex sum = x[i];
    for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) sum -= at(i, j) * x[j];
    x[i] = unit_diagonal ? sum : sum / at(i, i);
  }
}

static absl::StatusOr<Tensor> TriangularSolve(hlo::TriangularSolveOp op, const Scope& scope) {
  const Tensor& a = scope(op.getA());
  const Tensor& b = scope(op.getB());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(b.type()));
  if (b.type().num_elements() == 0) return result;
  const std::vector<int64_t>& shape = b.type().shape;
  const int64_t n = a.type().shape.back(), rows = shape[shape.size() - 2], columns = shape.back();
  const bool left = op.getLeftSide(),
             transposed = op.getTransposeA() != hlo::Transpose::NO_TRANSPOSE;
  const bool adjoint = op.getTransposeA() == hlo::Transpose::ADJOINT;
  // x A = b is A' x' = b'.
  const bool swap = transposed == left;
  const bool lower = op.getLower() != swap;
  const int64_t batches = b.type().num_elements() / (rows * columns);
  for (int64_t batch = 0; batch < batches; ++batch) {
    const Matrix matrix = Load(a, batch, n, n);
    const Matrix right = Load(b, batch, rows, columns);
    auto at = [&](int64_t i, int64_t j) {
      const Complex element = swap ? matrix(j, i) : matrix(i, j);
      return adjoint ? std::conj(element) : element;
    };
    std::vector<Complex> x(n);
    for (int64_t v = 0; v < (left ? columns : rows); ++v) {
      for (int64_t i = 0; i < n; ++i) x[i] = left ? right(i, v) : right(v, i);
      Substitute(at, lower, op.getUnitDiagonal(), x);
      for (int64_t i = 0; i < n; ++i) {
        const int64_t place = left ? i * columns + v : v * columns + i;
        SetComplex(result, batch * rows * columns + place, x[i]);
      }
    }
  }
  return result;
}

// The other triangle of the operand is not read, that of the result is zero. A matrix that is not
// positive definite gives NaN.
static absl::StatusOr<Tensor> Cholesky(hlo::CholeskyOp op, const Scope& scope) {
  const Tensor& a = scope(op.getA());
  QUERN_ASSIGN_OR_RETURN(Tensor result, Tensor::Create(a.type()));
  if (a.type().num_elements() == 0) return result;
  const int64_t n = a.type().shape.back();
  for (int64_t batch = 0; batch < a.type().num_elements() / (n * n); ++batch) {
    const Matrix matrix = Load(a, batch, n, n);
    Matrix factor{std::vector<Complex>(n * n), n};  // lower
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = j; i < n; ++i) {
        Complex sum = op.getLower() ? matrix(i, j) : std::conj(matrix(j, i));
        for (int64_t k = 0; k < j; ++k) sum -= factor(i, k) * std::conj(factor(j, k));
        factor(i, j) = i == j ? Complex(std::sqrt(sum.real())) : sum / factor(j, j);
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t place = op.getLower() ? i * n + j : j * n + i;
        SetComplex(result, batch * n * n + place,
                   op.getLower() ? factor(i, j) : std::conj(factor(i, j)));
      }
    }
  }
  return result;
}

Evaluator FindLinear(mlir::Operation& op) {
  return llvm::TypeSwitch<mlir::Operation*, Evaluator>(&op)
      .Case([](hlo::TriangularSolveOp) { return Single<hlo::TriangularSolveOp, TriangularSolve>; })
      .Case([](hlo::CholeskyOp) { return Single<hlo::CholeskyOp, Cholesky>; })
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
