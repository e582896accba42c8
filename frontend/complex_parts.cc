#include "frontend/complex_parts.h"

#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

namespace hlo = ::quern::stablehlo;
using hlo::ComparisonDirection;
using mlir::Value;

namespace {

// Real tensors of one type, as numbers of formulas.
struct Number {
  Steps* steps;
  Value value;

  template <typename Op>
  Number Of() const {
    return {steps, steps->Create<Op>(value.getType(), value)};
  }
  template <typename Op>
  Number With(Number other) const {
    return {steps, steps->Binary<Op>(value, other.value)};
  }
  Number Is(double number) const { return {steps, steps->Constant(Ranked(value), number)}; }
  Value Compare(ComparisonDirection direction, Number other, bool total = false) const {
    mlir::MLIRContext* context = value.getContext();
    const auto truth = Ranked(value).clone(mlir::IntegerType::get(context, 1));
    const auto order =
        total ? hlo::ComparisonTypeAttr::get(context, hlo::ComparisonType::TOTALORDER) : nullptr;
    return steps->Create<hlo::CompareOp>(
        truth, value, other.value, hlo::ComparisonDirectionAttr::get(context, direction), order);
  }
  Value IsBelow(Number other) const { return Compare(ComparisonDirection::LT, other); }
  Value Equals(Number other) const { return Compare(ComparisonDirection::EQ, other); }
  Value Equals(double number) const { return Equals(Is(number)); }
  Number ConvertTo(mlir::Type element) const { return {steps, steps->ConvertTo(value, element)}; }
  // This where `condition` holds.
  Number If(Value condition, Number otherwise) const {
    return {steps,
            steps->Create<hlo::SelectOp>(value.getType(), condition, value, otherwise.value)};
  }
  Number WithSignOf(Number other) const {
    return (-*this).If(other.Compare(ComparisonDirection::LT, other.Is(0), /*total=*/true), *this);
  }

  Number operator-() const { return Of<hlo::NegateOp>(); }
  friend Number operator+(Number a, Number b) { return a.With<hlo::AddOp>(b); }
  friend Number operator-(Number a, Number b) { return a.With<hlo::SubtractOp>(b); }
  friend Number operator*(Number a, Number b) { return a.With<hlo::MulOp>(b); }
  friend Number operator/(Number a, Number b) { return a.With<hlo::DivOp>(b); }
  friend Number operator*(Number a, double b) { return a * a.Is(b); }
  friend Number operator/(Number a, double b) { return a / a.Is(b); }
  friend Number operator+(double a, Number b) { return b.Is(a) + b; }
  friend Number operator-(double a, Number b) { return b.Is(a) - b; }
};

Number Abs(Number x) { return x.Of<hlo::AbsOp>(); }
Number Atan2(Number y, Number x) { return y.With<hlo::Atan2Op>(x); }
Number Cos(Number x) { return x.Of<hlo::CosineOp>(); }
Number Cosh(Number x) { return x.Of<chlo::CoshOp>(); }
Number Exp(Number x) { return x.Of<hlo::ExponentialOp>(); }
Number Log(Number x) { return x.Of<hlo::LogOp>(); }
Number Log1p(Number x) { return x.Of<hlo::LogPlusOneOp>(); }
Number Sin(Number x) { return x.Of<hlo::SineOp>(); }
Number Sinh(Number x) { return x.Of<chlo::SinhOp>(); }
Number Sqrt(Number x) { return x.Of<hlo::SqrtOp>(); }
Number Asinh(Number x) { return x.Of<chlo::AsinhOp>(); }

struct Z {
  Number x, y;

  friend Z operator-(Z z) { return {-z.x, -z.y}; }
  friend Z operator+(Z a, Z b) { return {a.x + b.x, a.y + b.y}; }
  friend Z operator-(Z a, Z b) { return {a.x - b.x, a.y - b.y}; }
  friend Z operator*(Z a, Z b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
  friend Z operator+(double a, Z b) { return {a + b.x, b.y}; }
  friend Z operator-(double a, Z b) { return {a - b.x, -b.y}; }
  Z If(Value condition, Z otherwise) const {
    return {x.If(condition, otherwise.x), y.If(condition, otherwise.y)};
  }
};
Z Conjugate(Z z) { return {z.x, -z.y}; }
Z TimesI(Z z) { return {-z.y, z.x}; }
Z OverI(Z z) { return {z.y, -z.x}; }

// The larger part in size, and the other one as a part of it; 0 where that is not a number.
struct Scaled {
  Number large, ratio;

  explicit Scaled(Z z)
      : large(Abs(z.x).With<hlo::MaxOp>(Abs(z.y))),
        ratio(Abs(z.x).With<hlo::MinOp>(Abs(z.y)) / large) {
    const Number zero = large.Is(0), infinity = large.Is(std::numeric_limits<double>::infinity());
    ratio = zero.If(large.Equals(zero), zero.If(large.Equals(infinity), ratio));
  }
};
Number Hypot(Z z) {
  const Scaled s(z);
  return s.large * Sqrt(1 + s.ratio * s.ratio);
}

// By the larger part of the divisor (R. Smith, 1962), which does not overflow on the way.
Z Quotient(Z a, Z b) {
  const Value by_imaginary = Abs(b.x).IsBelow(Abs(b.y));
  const Number large = b.y.If(by_imaginary, b.x), small = b.x.If(by_imaginary, b.y);
  const Number ratio = small / large, divisor = large + small * ratio;
  const Z swapped = {a.x * ratio + a.y, a.y * ratio - a.x};
  const Z straight = {a.x + a.y * ratio, a.y - a.x * ratio};
  const Z top = swapped.If(by_imaginary, straight);
  return {top.x / divisor, top.y / divisor};
}

Z Exp(Z z) {
  const Number size = Exp(z.x);
  return {size * Cos(z.y), z.y.If(z.y.Equals(0), size * Sin(z.y))};
}
Z Log(Z z) {
  const Scaled s(z);
  return {Log(s.large) + Log1p(s.ratio * s.ratio) * 0.5, Atan2(z.y, z.x)};
}
Z Sqrt(Z z) {
  const Number root = Sqrt(Abs(z.x) * 0.5 + Hypot(z) * 0.5);
  const Number other = (root.Is(0)).If(root.Equals(0), Abs(z.y) / (root * 2));
  const Value left = z.x.IsBelow(z.x.Is(0));
  return {other.If(left, root), root.If(left, other).WithSignOf(z.y)};
}
Z Tanh(Z z) {
  // W. Kahan, "Branch cuts for complex elementary functions", 1987.
  const Number t = z.y.Of<hlo::TanOp>(), s = Sinh(z.x), b = 1 + t * t, top = Sqrt(1 + s * s);
  const Number divisor = 1 + b * s * s;
  const Z near = {b * top * s / divisor, t / divisor};
  const Z far = {z.x.Is(1).WithSignOf(z.x), Sin(z.y) * Cos(z.y) * 4 * Exp(Abs(z.x) * -2)};
  return far.If(z.x.Is(20).IsBelow(Abs(z.x)), near);
}
Z Asin(Z z) {
  const Z low = Sqrt(1 - z), high = Sqrt(1 + z);
  return {Atan2(z.x, (low * high).x), Asinh((Conjugate(low) * high).y)};
}
Z Acos(Z z) {
  const Z low = Sqrt(1 - z), high = Sqrt(1 + z);
  return {Atan2(low.x, high.x) * 2, Asinh((Conjugate(high) * low).y)};
}
Z Acosh(Z z) {
  const Z low = Sqrt(-1 + z), high = Sqrt(1 + z);
  return {Asinh((Conjugate(low) * high).x), Atan2(low.y, high.x) * 2};
}
Z Atanh(Z z) {
  const Number below = 1 - z.x, square = z.y * z.y;
  return {Log1p(z.x * 4 / (below * below + square)) * 0.25,
          Atan2(z.y * 2, below * (1 + z.x) - square) * 0.5};
}
Z Expm1(Z z) {
  const Number half = Sin(z.y / 2);
  return {z.x.Of<hlo::ExponentialMinusOneOp>() * Cos(z.y) - half * half * 2,
          z.y.If(z.y.Equals(0), Exp(z.x) * Sin(z.y))};
}
Z Log1p(Z z) {
  const Z moved = 1 + z;
  const Number near = Log1p(z.x * (2 + z.x) + z.y * z.y) * 0.5;
  const Number half = z.x.Is(0.5);
  const Z far = Log(moved);
  return {near.If(Abs(z.x).IsBelow(half), far.x).If(Abs(z.y).IsBelow(half), far.x), far.y};
}
// Of the exponential that is at most 1 in size.
Z Logistic(Z z) {
  const Value left = z.x.IsBelow(z.x.Is(0));
  const Z power = Exp(z.If(left, -z));
  return Quotient(power.If(left, {z.x.Is(1), z.x.Is(0)}), 1 + power);
}
Z Rsqrt(Z z) {
  const Z root = Sqrt(z);
  const Number size = Hypot(z);
  return {root.x / size, -root.y / size};
}
Z Sign(Z z) {
  const Number size = Hypot(z);
  return z.If(size.Equals(0), {z.x / size, z.y / size});
}
Z Power(Z base, Z exponent) {
  const Z zero = {base.x.Is(0), base.x.Is(0)};
  return zero.If(Hypot(base).Equals(0), Exp(exponent * Log(base)));
}

// What is computed in f64 and rounded once.
std::optional<Z> Wide(mlir::Operation* op, llvm::ArrayRef<Z> z) {
  return llvm::TypeSwitch<mlir::Operation*, std::optional<Z>>(op)
      .Case<hlo::ExponentialOp>([&](auto) { return Exp(z[0]); })
      .Case<hlo::LogOp>([&](auto) { return Log(z[0]); })
      .Case<hlo::SqrtOp>([&](auto) { return Sqrt(z[0]); })
      .Case<hlo::RsqrtOp>([&](auto) { return Rsqrt(z[0]); })
      .Case<hlo::SignOp>([&](auto) { return Sign(z[0]); })
      .Case<hlo::LogisticOp>([&](auto) { return Logistic(z[0]); })
      .Case<hlo::ExponentialMinusOneOp>([&](auto) { return Expm1(z[0]); })
      .Case<hlo::LogPlusOneOp>([&](auto) { return Log1p(z[0]); })
      .Case<hlo::CbrtOp>([&](auto) {
        const Z log = Log(z[0]);
        return Exp(Z{log.x / 3, log.y / 3});
      })
      .Case<hlo::SineOp>(
          [&](auto) { return Z{Sin(z[0].x) * Cosh(z[0].y), Cos(z[0].x) * Sinh(z[0].y)}; })
      .Case<hlo::CosineOp>(
          [&](auto) { return Z{Cos(z[0].x) * Cosh(z[0].y), -(Sin(z[0].x) * Sinh(z[0].y))}; })
      .Case<chlo::SinhOp>(
          [&](auto) { return Z{Sinh(z[0].x) * Cos(z[0].y), Cosh(z[0].x) * Sin(z[0].y)}; })
      .Case<chlo::CoshOp>(
          [&](auto) { return Z{Cosh(z[0].x) * Cos(z[0].y), Sinh(z[0].x) * Sin(z[0].y)}; })
      .Case<hlo::TanhOp>([&](auto) { return Tanh(z[0]); })
      .Case<hlo::TanOp, chlo::TanOp>([&](auto) { return OverI(Tanh(TimesI(z[0]))); })
      .Case<chlo::AsinOp>([&](auto) { return Asin(z[0]); })
      .Case<chlo::AcosOp>([&](auto) { return Acos(z[0]); })
      .Case<chlo::AcoshOp>([&](auto) { return Acosh(z[0]); })
      .Case<chlo::AtanhOp>([&](auto) { return Atanh(z[0]); })
      .Case<chlo::AsinhOp>([&](auto) { return OverI(Asin(TimesI(z[0]))); })
      .Case<chlo::AtanOp>([&](auto) { return OverI(Atanh(TimesI(z[0]))); })
      .Case<hlo::DivOp>([&](auto) { return Quotient(z[0], z[1]); })
      .Case<hlo::PowOp>([&](auto) { return Power(z[0], z[1]); })
      .Case<hlo::Atan2Op>([&](auto) {
        return OverI(Log(Quotient(z[1] + TimesI(z[0]), Sqrt(z[1] * z[1] + z[0] * z[0]))));
      })
      .Default(std::optional<Z>());
}

Z Numbers(Steps& steps, Parts z) { return {{&steps, z.real}, {&steps, z.imaginary}}; }
Parts PartsOf(Z z) { return {z.x.value, z.y.value}; }
Z ConvertTo(Z z, mlir::Type element) { return {z.x.ConvertTo(element), z.y.ConvertTo(element)}; }
mlir::Type F64(Steps& steps) { return steps.builder().getF64Type(); }

}  // namespace

Parts ComplexSteps::Multiply(Parts a, Parts b) {
  return PartsOf(Numbers(steps_, a) * Numbers(steps_, b));
}

Parts ComplexSteps::Divide(Parts a, Parts b) {
  const auto wide = [&](Parts z) { return ConvertTo(Numbers(steps_, z), F64(steps_)); };
  return PartsOf(ConvertTo(Quotient(wide(a), wide(b)), Ranked(a.real).getElementType()));
}

mlir::Value ComplexSteps::Magnitude(Parts z) {
  const Z wide = ConvertTo(Numbers(steps_, z), F64(steps_));
  return Hypot(wide).ConvertTo(Ranked(z.real).getElementType()).value;
}

mlir::Value ComplexSteps::Less(Parts a, Parts b) {
  const Z left = Numbers(steps_, a), right = Numbers(steps_, b);
  Value tie = steps_.Binary<hlo::AndOp>(left.x.Equals(right.x), left.y.IsBelow(right.y));
  return steps_.Binary<hlo::OrOp>(left.x.IsBelow(right.x), tie);
}

mlir::Value ComplexSteps::Compare(ComparisonDirection direction, Parts a, Parts b) {
  const Z left = Numbers(steps_, a), right = Numbers(steps_, b);
  const auto equal = [&] {
    return steps_.Binary<hlo::AndOp>(left.x.Equals(right.x), left.y.Equals(right.y));
  };
  switch (direction) {
    case ComparisonDirection::EQ:
      return equal();
    case ComparisonDirection::NE:
      return steps_.Binary<hlo::OrOp>(left.x.Compare(ComparisonDirection::NE, right.x),
                                      left.y.Compare(ComparisonDirection::NE, right.y));
    case ComparisonDirection::LT:
      return Less(a, b);
    case ComparisonDirection::GT:
      return Less(b, a);
    case ComparisonDirection::LE:
      return steps_.Binary<hlo::OrOp>(Less(a, b), equal());
    case ComparisonDirection::GE:
      return steps_.Binary<hlo::OrOp>(Less(b, a), equal());
  }
  return {};
}

std::optional<Parts> ComplexSteps::Function(mlir::Operation* op, llvm::ArrayRef<Parts> operands) {
  llvm::SmallVector<Z, 3> z;
  for (Parts operand : operands) z.push_back(Numbers(steps_, operand));
  const auto larger = [&](Z a, Z b) { return b.If(Less(PartsOf(a), PartsOf(b)), a); };
  const auto smaller = [&](Z a, Z b) { return b.If(Less(PartsOf(b), PartsOf(a)), a); };
  std::optional<Z> exact =
      llvm::TypeSwitch<mlir::Operation*, std::optional<Z>>(op)
          .Case<hlo::AddOp>([&](auto) { return z[0] + z[1]; })
          .Case<hlo::SubtractOp>([&](auto) { return z[0] - z[1]; })
          .Case<hlo::MulOp>([&](auto) { return z[0] * z[1]; })
          .Case<hlo::NegateOp>([&](auto) { return -z[0]; })
          .Case<chlo::ConjOp>([&](auto) { return Conjugate(z[0]); })
          .Case<chlo::SquareOp>([&](auto) { return z[0] * z[0]; })
          .Case<hlo::MaxOp>([&](auto) { return larger(z[0], z[1]); })
          .Case<hlo::MinOp>([&](auto) { return smaller(z[0], z[1]); })
          .Case<hlo::ClampOp>([&](auto) { return smaller(larger(z[1], z[0]), z[2]); })
          .Default(std::optional<Z>());
  if (exact) return PartsOf(*exact);
  const mlir::Type element = Ranked(operands.front().real).getElementType();
  for (Z& operand : z) operand = ConvertTo(operand, F64(steps_));
  std::optional<Z> wide = Wide(op, z);
  if (!wide) return std::nullopt;
  return PartsOf(ConvertTo(*wide, element));
}

}  // namespace quern::frontend
