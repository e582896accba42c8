#include "frontend/complex_linear.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

// Matrices in the last two dimensions.
class Matrices {
 public:
  explicit Matrices(Steps& steps) : steps_(steps) {}

  Parts ConvertTo(Parts z, mlir::Type element) {
    return {steps_.ConvertTo(z.real, element), steps_.ConvertTo(z.imaginary, element)};
  }

  Parts Transposed(Parts z) { return {Transposed(z.real), Transposed(z.imaginary)}; }

  Value Negated(Value x) { return steps_.Create<hlo::NegateOp>(x.getType(), x); }

  // `x`, or 0 on the diagonal of square matrices.
  Value OffDiagonal(Value x) {
    return steps_.Create<hlo::SelectOp>(x.getType(), OnDiagonal(x), steps_.Zeros(Ranked(x)), x);
  }

  // Each row divided by the element of `a` on the diagonal.
  Parts DividedRows(Parts rows, Parts a) {
    const auto diagonal = [&](Value x) {
      const RankedTensorType type = Ranked(x);
      Value alone = steps_.Create<hlo::SelectOp>(type, OnDiagonal(x), x, steps_.Zeros(type));
      Value column = steps_.Sum(alone, {type.getRank() - 1});
      llvm::SmallVector<int64_t> dimensions;
      for (int64_t i = 0; i + 1 < type.getRank(); ++i) dimensions.push_back(i);
      return steps_.Broadcast(column, Ranked(rows.real), dimensions);
    };
    return ComplexSteps(steps_).Divide(rows, {diagonal(a.real), diagonal(a.imaginary)});
  }

  // A block of two rows and two columns for each number.
  Value Blocks(Parts z) {
    return Rows({Columns(z.real, Negated(z.imaginary)), Columns(z.imaginary, z.real)});
  }
  // Two rows for each row of numbers.
  Value Rows(Parts z) { return Alternating(z.real, z.imaginary, Ranked(z.real).getRank() - 2); }
  Parts FromRows(Value rows) {
    const int64_t dimension = Ranked(rows).getRank() - 2;
    return {Every(rows, dimension, 0), Every(rows, dimension, 1)};
  }
  Parts FromBlocks(Value blocks) {
    return FromRows(Every(blocks, Ranked(blocks).getRank() - 1, 0));
  }

 private:
  Value Transposed(Value x) {
    llvm::SmallVector<int64_t> order;
    for (int64_t i = 0; i < Ranked(x).getRank(); ++i) order.push_back(i);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return steps_.Transpose(x, order);
  }

  Value OnDiagonal(Value x) {
    mlir::OpBuilder& builder = steps_.builder();
    RankedTensorType type = Ranked(x).clone(builder.getI32Type());
    Value row = steps_.Create<hlo::IotaOp>(type, type.getRank() - 2);
    Value column = steps_.Create<hlo::IotaOp>(type, type.getRank() - 1);
    return steps_.Create<hlo::CompareOp>(type.clone(builder.getI1Type()), row, column,
                                         hlo::ComparisonDirection::EQ, nullptr);
  }

  Value Columns(Value even, Value odd) {
    return Alternating(even, odd, Ranked(even).getRank() - 1);
  }

  // The slices of a dimension in turn.
  Value Alternating(Value even, Value odd, int64_t dimension) {
    llvm::SmallVector<int64_t> joined(Ranked(even).getShape()), split = joined;
    joined[dimension] *= 2;
    split.insert(split.begin() + dimension + 1, 1);
    return steps_.Reshape(
        steps_.Concatenate({steps_.Reshape(even, split), steps_.Reshape(odd, split)},
                           dimension + 1),
        joined);
  }
  Value Every(Value x, int64_t dimension, int64_t which) {
    llvm::SmallVector<int64_t> joined(Ranked(x).getShape()), split = joined;
    joined[dimension] /= 2;
    split[dimension] /= 2;
    split.insert(split.begin() + dimension + 1, 2);
    return steps_.Reshape(steps_.Slice(steps_.Reshape(x, split), dimension + 1, which, which + 1),
                          joined);
  }

  Steps& steps_;
};

}  // namespace

Parts ExpandSolve(Steps& steps, hlo::TriangularSolveOp op, Parts a, Parts b) {
  Matrices matrices(steps);
  const mlir::Type element = Ranked(a.real).getElementType();
  a = matrices.ConvertTo(a, steps.builder().getF64Type());
  b = matrices.ConvertTo(b, steps.builder().getF64Type());
  if (op.getTransposeA() == hlo::Transpose::ADJOINT) a.imaginary = matrices.Negated(a.imaginary);
  // x A = b is A' x' = b'.
  const bool left = op.getLeftSide();
  const bool swap = (op.getTransposeA() != hlo::Transpose::NO_TRANSPOSE) == left;
  if (swap) a = matrices.Transposed(a);
  if (!left) b = matrices.Transposed(b);
  if (!op.getUnitDiagonal()) {
    b = matrices.DividedRows(b, a);
    a = matrices.DividedRows(a, a);
  }
  a.imaginary = matrices.OffDiagonal(a.imaginary);
  Value rows = matrices.Rows(b);
  rows = steps.Create<hlo::TriangularSolveOp>(rows.getType(), matrices.Blocks(a), rows,
                                              /*left_side=*/true, op.getLower() != swap,
                                              /*unit_diagonal=*/true, hlo::Transpose::NO_TRANSPOSE);
  Parts x = matrices.FromRows(rows);
  if (!left) x = matrices.Transposed(x);
  return matrices.ConvertTo(x, element);
}

Parts ExpandCholesky(Steps& steps, hlo::CholeskyOp op, Parts a) {
  Matrices matrices(steps);
  const mlir::Type element = Ranked(a.real).getElementType();
  a = matrices.ConvertTo(a, steps.builder().getF64Type());
  a.imaginary = matrices.OffDiagonal(a.imaginary);
  const Value blocks = matrices.Blocks(a);
  Parts factor =
      matrices.FromBlocks(steps.Create<hlo::CholeskyOp>(blocks.getType(), blocks, op.getLower()));
  factor.imaginary = matrices.OffDiagonal(factor.imaginary);
  return matrices.ConvertTo(factor, element);
}

}  // namespace quern::frontend
