#include "search/testing/scalars.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/small_float.h"
#include "ir/stablehlo/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quern::search {

namespace arith = mlir::arith;
namespace math = mlir::math;

static unsigned Width(mlir::Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
static uint64_t Keep(uint64_t bits, unsigned width) { return bits & ~uint64_t{0} >> (64 - width); }
static int64_t SignExtended(uint64_t bits, unsigned width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

// Nothing for a type of more than 16 bits.
static std::optional<SmallFloat> FormatOf(mlir::FloatType type) {
  return SmallFormatOf(*stablehlo::ToElementType(type));
}

static double Round(double value, mlir::FloatType type) {
  if (auto format = FormatOf(type)) return DecodeSmall(*format, EncodeSmall(*format, value));
  return type.isF32() ? static_cast<float>(value) : value;
}

static uint64_t ToBits(double value, mlir::FloatType type) {
  if (auto format = FormatOf(type)) return EncodeSmall(*format, value);
  return type.isF32() ? std::bit_cast<uint32_t>(static_cast<float>(value))
                      : std::bit_cast<uint64_t>(value);
}

static double FromBits(uint64_t bits, mlir::FloatType type) {
  if (auto format = FormatOf(type)) return DecodeSmall(*format, static_cast<uint32_t>(bits));
  return type.isF32() ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                      : std::bit_cast<double>(bits);
}

// What a double would round away is folded into the last bit that small formats look at.
static double FromInteger(uint64_t bits, unsigned width, bool is_signed, mlir::FloatType type) {
  const int64_t value = is_signed ? SignExtended(bits, width) : static_cast<int64_t>(bits);
  const bool negative = is_signed && value < 0;
  uint64_t size = negative ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (type.isF32()) return negative ? -static_cast<float>(size) : static_cast<float>(size);
  if (!type.isF64() && size >> 53 != 0)
    size = (size & ~uint64_t{0xfff}) | (size & 0xfff ? 2048 : 0);
  return negative ? -static_cast<double>(size) : static_cast<double>(size);
}

// By the letters of the predicate: "olt", "une", "sge", ...
template <typename T>
static bool Holds(T a, T b, llvm::StringRef predicate) {
  if (predicate.ends_with("eq")) return a == b;
  if (predicate.ends_with("ne")) return a != b;
  if (predicate.ends_with("lt")) return a < b;
  if (predicate.ends_with("le")) return a <= b;
  if (predicate.ends_with("gt")) return a > b;
  return a >= b;
}

// Toward zero, into the range; NaN becomes 0.
static uint64_t Truncate(double x, unsigned width, bool is_signed) {
  if (std::isnan(x)) return 0;
  const double end = std::ldexp(1.0, static_cast<int>(width) - (is_signed ? 1 : 0));
  if (x >= end) return Keep(~uint64_t{0}, width) >> (is_signed ? 1 : 0);
  if (is_signed) {
    return x < -end ? uint64_t{1} << (width - 1) : static_cast<uint64_t>(static_cast<int64_t>(x));
  }
  return x <= 0 ? 0 : static_cast<uint64_t>(x);
}

// By squaring, wrapping; to a negative power 0 but for 1 and -1.
static uint64_t Power(uint64_t base, int64_t exponent, unsigned width) {
  const int64_t value = SignExtended(base, width);
  if (exponent < 0) return value == 1 ? 1 : value == -1 ? (exponent % 2 == 0 ? 1 : base) : 0;
  uint64_t result = 1;
  for (auto left = static_cast<uint64_t>(exponent); left != 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return result;
}

static double Least(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return std::min(a, b);
}

static std::optional<double> FloatFunction(mlir::Operation* op, llvm::ArrayRef<Scalar> in) {
  double x[3] = {};
  for (size_t i = 0; i < in.size() && i < 3; ++i) x[i] = in[i].number;
  return llvm::TypeSwitch<mlir::Operation*, std::optional<double>>(op)
      .Case<arith::AddFOp>([&](auto) { return x[0] + x[1]; })
      .Case<arith::SubFOp>([&](auto) { return x[0] - x[1]; })
      .Case<arith::MulFOp>([&](auto) { return x[0] * x[1]; })
      .Case<arith::DivFOp>([&](auto) { return x[0] / x[1]; })
      .Case<arith::RemFOp>([&](auto) { return std::fmod(x[0], x[1]); })
      .Case<arith::NegFOp>([&](auto) { return -x[0]; })
      .Case<arith::MaximumFOp>([&](auto) { return -Least(-x[0], -x[1]); })
      .Case<arith::MinimumFOp>([&](auto) { return Least(x[0], x[1]); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return x[0]; })
      .Case<math::FmaOp>([&](math::FmaOp fma) {
        if (fma.getType().isF64()) return std::fma(x[0], x[1], x[2]);
        return static_cast<double>(std::fmaf(static_cast<float>(x[0]), static_cast<float>(x[1]),
                                             static_cast<float>(x[2])));
      })
      .Case<math::AbsFOp>([&](auto) { return std::fabs(x[0]); })
      .Case<math::AcosOp>([&](auto) { return std::acos(x[0]); })
      .Case<math::AcoshOp>([&](auto) { return std::acosh(x[0]); })
      .Case<math::AsinOp>([&](auto) { return std::asin(x[0]); })
      .Case<math::AsinhOp>([&](auto) { return std::asinh(x[0]); })
      .Case<math::AtanOp>([&](auto) { return std::atan(x[0]); })
      .Case<math::Atan2Op>([&](auto) { return std::atan2(x[0], x[1]); })
      .Case<math::AtanhOp>([&](auto) { return std::atanh(x[0]); })
      .Case<math::CbrtOp>([&](auto) { return std::cbrt(x[0]); })
      .Case<math::CeilOp>([&](auto) { return std::ceil(x[0]); })
      .Case<math::CosOp>([&](auto) { return std::cos(x[0]); })
      .Case<math::CoshOp>([&](auto) { return std::cosh(x[0]); })
      .Case<math::ErfOp>([&](auto) { return std::erf(x[0]); })
      .Case<math::ErfcOp>([&](auto) { return std::erfc(x[0]); })
      .Case<math::ExpOp>([&](auto) { return std::exp(x[0]); })
      .Case<math::Exp2Op>([&](auto) { return std::exp2(x[0]); })
      .Case<math::ExpM1Op>([&](auto) { return std::expm1(x[0]); })
      .Case<math::FloorOp>([&](auto) { return std::floor(x[0]); })
      .Case<math::LogOp>([&](auto) { return std::log(x[0]); })
      .Case<math::Log1pOp>([&](auto) { return std::log1p(x[0]); })
      .Case<math::PowFOp>([&](auto) { return std::pow(x[0], x[1]); })
      .Case<math::RoundOp>([&](auto) { return std::round(x[0]); })
      .Case<math::RoundEvenOp>([&](auto) { return std::nearbyint(x[0]); })
      .Case<math::RsqrtOp>([&](auto) { return 1 / std::sqrt(x[0]); })
      .Case<math::SinOp>([&](auto) { return std::sin(x[0]); })
      .Case<math::SinhOp>([&](auto) { return std::sinh(x[0]); })
      .Case<math::SqrtOp>([&](auto) { return std::sqrt(x[0]); })
      .Case<math::TanOp>([&](auto) { return std::tan(x[0]); })
      .Case<math::TanhOp>([&](auto) { return std::tanh(x[0]); })
      .Default(std::nullopt);
}

// Arguments: the op, its operands' bits, and their width.
static std::optional<uint64_t> IntegerFunction(mlir::Operation* op, llvm::ArrayRef<Scalar> in,
                                               unsigned width) {
  const uint64_t a = in.empty() ? 0 : in[0].bits, b = in.size() < 2 ? 0 : in[1].bits;
  const int64_t sa = SignExtended(a, width), sb = SignExtended(b, width);
  auto shift = [&](uint64_t shifted) { return b < width ? shifted : 0; };
  return llvm::TypeSwitch<mlir::Operation*, std::optional<uint64_t>>(op)
      .Case<arith::AddIOp>([&](auto) { return a + b; })
      .Case<arith::SubIOp>([&](auto) { return a - b; })
      .Case<arith::MulIOp>([&](auto) { return a * b; })
      .Case<arith::DivUIOp>([&](auto) { return a / b; })
      .Case<arith::RemUIOp>([&](auto) { return a % b; })
      .Case<arith::DivSIOp>([&](auto) {
        return b == 0 ? ~uint64_t{0} : sb == -1 ? -a : static_cast<uint64_t>(sa / sb);
      })
      .Case<arith::RemSIOp>([&](auto) {
        return b == 0 ? a : sb == -1 ? 0 : static_cast<uint64_t>(sa % sb);
      })
      .Case<arith::AndIOp>([&](auto) { return a & b; })
      .Case<arith::OrIOp>([&](auto) { return a | b; })
      .Case<arith::XOrIOp>([&](auto) { return a ^ b; })
      .Case<arith::ShLIOp>([&](auto) { return shift(a << (b & 63)); })
      .Case<arith::ShRUIOp>([&](auto) { return shift(a >> (b & 63)); })
      .Case<arith::ShRSIOp>([&](auto) { return static_cast<uint64_t>(sa >> (b & 63)); })
      .Case<arith::MaxSIOp>([&](auto) { return sa < sb ? b : a; })
      .Case<arith::MinSIOp>([&](auto) { return sb < sa ? b : a; })
      .Case<arith::MaxUIOp>([&](auto) { return std::max(a, b); })
      .Case<arith::MinUIOp>([&](auto) { return std::min(a, b); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return static_cast<uint64_t>(sa); })
      .Case<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>([&](auto) { return a; })
      .Case<math::AbsIOp>([&](auto) { return sa < 0 ? -a : a; })
      .Case<math::CtPopOp>([&](auto) { return static_cast<uint64_t>(std::popcount(a)); })
      .Case<math::CountLeadingZerosOp>(
          [&](auto) { return static_cast<uint64_t>(std::countl_zero(a)) - (64 - width); })
      .Case<math::IPowIOp>([&](auto) { return Power(a, sb, width); })
      .Default(std::nullopt);
}

// What goes from floats to integers, back, or is both.
static std::optional<Scalar> Mixed(mlir::Operation* op, llvm::ArrayRef<Scalar> in) {
  const mlir::Type to = op->getResult(0).getType();
  const mlir::Type from = op->getNumOperands() == 0 ? to : op->getOperand(0).getType();
  using Result = std::optional<Scalar>;
  return llvm::TypeSwitch<mlir::Operation*, Result>(op)
      .Case<arith::ConstantOp>([](arith::ConstantOp constant) -> Result {
        if (auto number = llvm::dyn_cast<mlir::FloatAttr>(constant.getValue())) {
          auto type = llvm::cast<mlir::FloatType>(number.getType());
          return Scalar{.number =
                            FromBits(number.getValue().bitcastToAPInt().getZExtValue(), type)};
        }
        return Scalar{
            .bits = llvm::cast<mlir::IntegerAttr>(constant.getValue()).getValue().getZExtValue()};
      })
      .Case<arith::SelectOp>([&](auto) { return in[0].bits != 0 ? in[1] : in[2]; })
      .Case<arith::CmpFOp>([&](arith::CmpFOp compare) {
        const double a = in[0].number, b = in[1].number;
        llvm::StringRef predicate = arith::stringifyCmpFPredicate(compare.getPredicate());
        const bool unordered = std::isnan(a) || std::isnan(b);
        return Scalar{.bits = unordered ? predicate.starts_with("u") : Holds(a, b, predicate)};
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        llvm::StringRef predicate = arith::stringifyCmpIPredicate(compare.getPredicate());
        const unsigned width = Width(from);
        return Scalar{.bits = predicate.starts_with("s")
                                  ? Holds(SignExtended(in[0].bits, width),
                                          SignExtended(in[1].bits, width), predicate)
                                  : Holds(in[0].bits, in[1].bits, predicate)};
      })
      .Case<arith::SIToFPOp, arith::UIToFPOp>([&](auto) {
        return Scalar{.number = FromInteger(in[0].bits, Width(from), llvm::isa<arith::SIToFPOp>(op),
                                            llvm::cast<mlir::FloatType>(to))};
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) {
        return Scalar{.bits = Truncate(in[0].number, Width(to), llvm::isa<arith::FPToSIOp>(op))};
      })
      .Case<arith::BitcastOp>([&](auto) {
        Scalar result = in[0];
        if (auto type = llvm::dyn_cast<mlir::FloatType>(from)) {
          result.bits = ToBits(in[0].number, type);
        }
        if (auto type = llvm::dyn_cast<mlir::FloatType>(to)) {
          result.number = FromBits(result.bits, type);
        }
        return result;
      })
      .Default(std::nullopt);
}

absl::StatusOr<Scalar> Evaluate(mlir::Operation* op, llvm::ArrayRef<Scalar> operands) {
  const mlir::Type to = op->getResult(0).getType();
  std::optional<Scalar> result = Mixed(op, operands);
  if (!result) {
    if (std::optional<double> number = FloatFunction(op, operands)) {
      result = Scalar{.number = *number};
    } else if (op->getNumOperands() > 0 && op->getOperand(0).getType().isIntOrIndex()) {
      auto bits = IntegerFunction(op, operands, Width(op->getOperand(0).getType()));
      if (bits) result = Scalar{.bits = *bits};
    }
  }
  if (!result) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown op ", op->getName().getStringRef().str()));
  }
  if (auto type = llvm::dyn_cast<mlir::FloatType>(to)) {
    result->number = Round(result->number, type);
  } else {
    result->bits = Keep(result->bits, Width(to));
  }
  return *result;
}

static bool HasWords(ElementType element) {
  return element == ElementType::kI64 || element == ElementType::kUI64;
}

Scalar ScalarAt(const Tensor& tensor, int64_t index) {
  const ElementType element = tensor.type().element;
  if (IsFloat(element)) return {.number = tensor.At(index)};
  if (HasWords(element)) return {.bits = tensor.as<uint64_t>()[index]};
  return {.bits = Keep(static_cast<uint64_t>(static_cast<int64_t>(tensor.At(index))),
                       BitWidth(element))};
}

void SetScalar(Tensor& tensor, int64_t index, Scalar value) {
  const ElementType element = tensor.type().element;
  if (IsFloat(element)) {
    tensor.Set(index, value.number);
  } else if (HasWords(element)) {
    tensor.as<uint64_t>()[index] = value.bits;
  } else if (KindOf(element) == ElementKind::kSigned) {
    tensor.Set(index, static_cast<double>(SignExtended(value.bits, BitWidth(element))));
  } else {
    tensor.Set(index, static_cast<double>(value.bits));
  }
}

}  // namespace quern::search
