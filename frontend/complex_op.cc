#include "frontend/complex_op.h"

#include <complex>
#include <vector>

#include "frontend/complex_linear.h"
#include "frontend/expand_fft.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using mlir::RankedTensorType;
using mlir::Value;

// Both parts of a constant; nothing for one without data.
static std::optional<Parts> SplitConstant(Steps& steps, hlo::ConstantOp op) {
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense) return std::nullopt;
  const RankedTensorType type = PartType(op.getType());
  std::vector<llvm::APFloat> real, imaginary;
  const auto add = [&](const std::complex<llvm::APFloat>& value) {
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  };
  if (dense.isSplat()) {
    add(dense.getSplatValue<std::complex<llvm::APFloat>>());
  } else {
    for (const auto& value : dense.getValues<std::complex<llvm::APFloat>>()) add(value);
  }
  const auto constant = [&](llvm::ArrayRef<llvm::APFloat> values) {
    return steps.Create<hlo::ConstantOp>(type, mlir::DenseElementsAttr::get(type, values));
  };
  return Parts{constant(real), constant(imaginary)};
}

// The op on the real parts, and on the imaginary ones.
Parts ComplexOp::Twice(mlir::Operation* op) {
  llvm::SmallVector<Value> real, imaginary;
  for (Value operand : op->getOperands()) {
    const Parts parts = parts_of_(operand);
    real.push_back(parts.real);
    imaginary.push_back(parts.imaginary ? parts.imaginary : operand);
  }
  const RankedTensorType type = PartType(op->getResult(0).getType());
  return {steps_.Again(op, real, type)->getResult(0),
          steps_.Again(op, imaginary, type)->getResult(0)};
}

std::optional<Parts> ComplexOp::Products(mlir::Operation* op) {
  const Parts a = parts_of_(op->getOperand(0)), b = parts_of_(op->getOperand(1));
  if (!a.imaginary || !b.imaginary) return std::nullopt;
  const RankedTensorType type = PartType(op->getResult(0).getType());
  const auto product = [&](Value left, Value right) {
    return steps_.Again(op, {left, right}, type)->getResult(0);
  };
  return Parts{
      steps_.Binary<hlo::SubtractOp>(product(a.real, b.real), product(a.imaginary, b.imaginary)),
      steps_.Binary<hlo::AddOp>(product(a.real, b.imaginary), product(a.imaginary, b.real))};
}

Parts ComplexOp::Convert(hlo::ConvertOp op) {
  const RankedTensorType type = PartType(op.getType());
  const Parts from = parts_of_(op.getOperand());
  return {steps_.ConvertTo(from.real, type.getElementType()),
          from.imaginary ? steps_.ConvertTo(from.imaginary, type.getElementType())
                         : steps_.Zeros(type)};
}

// Each part has half the bits: a number's first part is two parts of one of the narrower numbers.
Parts ComplexOp::Bitcast(hlo::BitcastConvertOp op) {
  const Parts from = parts_of_(op.getOperand());
  const RankedTensorType type = PartType(op.getType()), operand = Ranked(from.real);
  if (operand.getElementType() == type.getElementType()) return from;
  const auto cast = [&](Value value, RankedTensorType to) -> Value {
    return steps_.Create<hlo::BitcastConvertOp>(to, value);
  };
  const auto halves = [&](Value first, Value second, int64_t which) {
    const int64_t last = Ranked(first).getRank() - 1;
    return steps_.Concatenate(
        {steps_.Slice(first, last, which, which + 1), steps_.Slice(second, last, which, which + 1)},
        last);
  };
  if (type.getRank() > operand.getRank()) {
    const Value first = cast(from.real, type), second = cast(from.imaginary, type);
    return {halves(first, second, 0), halves(first, second, 1)};
  }
  return {cast(halves(from.real, from.imaginary, 0), type),
          cast(halves(from.real, from.imaginary, 1), type)};
}

std::optional<Parts> ComplexOp::Complex(mlir::Operation* op) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<Parts>>(op)
      .Case<hlo::ReshapeOp, hlo::TransposeOp, hlo::SliceOp, hlo::BroadcastInDimOp, hlo::ReverseOp,
            hlo::ConcatenateOp, hlo::PadOp, hlo::DynamicSliceOp, hlo::DynamicUpdateSliceOp,
            hlo::GatherOp, hlo::SelectOp>([&](auto move) { return Twice(move); })
      .Case<hlo::DotGeneralOp, hlo::ConvolutionOp>([&](auto product) { return Products(product); })
      .Case([&](hlo::ConstantOp constant) { return SplitConstant(steps_, constant); })
      .Case([&](hlo::IotaOp iota) {
        const RankedTensorType type = PartType(iota.getType());
        return Parts{steps_.Again(op, {}, type)->getResult(0), steps_.Zeros(type)};
      })
      .Case([&](hlo::ComplexOp complex) { return Parts{complex.getLhs(), complex.getRhs()}; })
      .Case([&](hlo::ConvertOp convert) { return Convert(convert); })
      .Case([&](hlo::FftOp fft) { return ExpandFft(steps_, fft, parts_of_(fft.getOperand())); })
      .Case([&](hlo::BitcastConvertOp cast) { return Bitcast(cast); })
      .Case([&](hlo::TriangularSolveOp solve) {
        return ExpandSolve(steps_, solve, parts_of_(solve.getA()), parts_of_(solve.getB()));
      })
      .Case([&](hlo::CholeskyOp cholesky) {
        return ExpandCholesky(steps_, cholesky, parts_of_(cholesky.getA()));
      })
      .Default([&](mlir::Operation*) { return Elementwise(op); });
}

std::optional<Parts> ComplexOp::Elementwise(mlir::Operation* op) {
  llvm::SmallVector<Parts, 3> operands;
  const RankedTensorType type = PartType(op->getResult(0).getType());
  for (Value operand : op->getOperands()) {
    Parts parts = parts_of_(operand);
    if (!parts.imaginary) return std::nullopt;
    if (Ranked(parts.real) != type) {  // a scalar bound of clamp
      parts = {steps_.Broadcast(parts.real, type, {}), steps_.Broadcast(parts.imaginary, type, {})};
    }
    operands.push_back(parts);
  }
  return operands.empty() ? std::nullopt : ComplexSteps(steps_).Function(op, operands);
}

Value ComplexOp::Real(mlir::Operation* op) {
  const Parts from = parts_of_(op->getOperand(0));
  const RankedTensorType type = Ranked(op->getResult(0));
  ComplexSteps complex(steps_);
  return llvm::TypeSwitch<mlir::Operation*, Value>(op)
      .Case<hlo::RealOp, chlo::ConjOp>([&](auto) { return from.real; })
      .Case<hlo::ImagOp>([&](auto) { return from.imaginary ? from.imaginary : steps_.Zeros(type); })
      .Case<hlo::AbsOp>([&](auto) { return complex.Magnitude(from); })
      .Case([&](hlo::CompareOp compare) {
        return complex.Compare(compare.getComparisonDirection(), from, parts_of_(compare.getRhs()));
      })
      .Case([&](hlo::ConvertOp) {
        if (!type.getElementType().isInteger(1))
          return steps_.ConvertTo(from.real, type.getElementType());
        const Value zeros = steps_.Zeros(Ranked(from.real));
        return complex.Compare(hlo::ComparisonDirection::NE, from, {zeros, zeros});
      })
      .Case([&](hlo::FftOp fft) {
        std::optional<Parts> parts = ExpandFft(steps_, fft, from);
        return parts ? parts->real : Value();
      })
      .Default(Value());
}

}  // namespace quern::frontend
