#include "verifier/spec/scalar.h"

#include <cassert>
#include <cfenv>
#include <cmath>
#include <limits>

#pragma STDC FP_CONTRACT OFF
#include "verifier/spec/mathlib_functions.h"

namespace quern::verifier {

bool IsDefined(const SpecNode& node, ElementType element) {
  const bool floating = IsFloat(element), boolean = element == ElementType::kBool;
  switch (node.op) {
    case SpecOp::kAcos:
    case SpecOp::kAcosh:
    case SpecOp::kAsin:
    case SpecOp::kAsinh:
    case SpecOp::kAtan:
    case SpecOp::kAtan2:
    case SpecOp::kAtanh:
    case SpecOp::kCbrt:
    case SpecOp::kCeil:
    case SpecOp::kCosh:
    case SpecOp::kCosine:
    case SpecOp::kErf:
    case SpecOp::kErfc:
    case SpecOp::kExponential:
    case SpecOp::kExponentialMinusOne:
    case SpecOp::kFloor:
    case SpecOp::kIsFinite:
    case SpecOp::kLog:
    case SpecOp::kLogPlusOne:
    case SpecOp::kLogistic:
    case SpecOp::kRound:
    case SpecOp::kRoundEven:
    case SpecOp::kRsqrt:
    case SpecOp::kSine:
    case SpecOp::kSinh:
    case SpecOp::kSqrt:
    case SpecOp::kTan:
    case SpecOp::kTanh:
      return floating;
    case SpecOp::kReducePrecision:
      return floating && ByteSize(element) > 1;
    case SpecOp::kAbs:
    case SpecOp::kDivide:
    case SpecOp::kNegate:
    case SpecOp::kPower:
    case SpecOp::kRemainder:
    case SpecOp::kSign:
    case SpecOp::kSubtract:
      return !boolean;
    case SpecOp::kAnd:
    case SpecOp::kNot:
    case SpecOp::kOr:
    case SpecOp::kXor:
      return !floating;
    case SpecOp::kCountLeadingZeros:
    case SpecOp::kPopulationCount:
    case SpecOp::kShiftLeft:
    case SpecOp::kShiftRightArithmetic:
    case SpecOp::kShiftRightLogical:
      return !floating && !boolean;
    case SpecOp::kBitcast:  // of the same width
      return BitWidth(element) == BitWidth(node.type.element);
    default:
      return true;
  }
}

static double Maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static double Minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// What has no exact definition: by the C library in T. Each step is a statement of its own.
template <typename T>
static T Function(SpecOp op, T a, T b) {
  switch (op) {
    case SpecOp::kAcos:
      return std::acos(a);
    case SpecOp::kAcosh:
      return std::acosh(a);
    case SpecOp::kAsin:
      return std::asin(a);
    case SpecOp::kAsinh:
      return std::asinh(a);
    case SpecOp::kAtan:
      return std::atan(a);
    case SpecOp::kAtan2:
      return std::atan2(a, b);
    case SpecOp::kAtanh:
      return std::atanh(a);
    case SpecOp::kCbrt:
      return std::cbrt(a);
    case SpecOp::kCosh:
      return std::cosh(a);
    case SpecOp::kCosine:
      return std::cos(a);
    case SpecOp::kErf:
      return std::erf(a);
    case SpecOp::kErfc:
      return std::erfc(a);
    case SpecOp::kExponential:
      return std::exp(a);
    case SpecOp::kExponentialMinusOne:
      return std::expm1(a);
    case SpecOp::kLog:
      return std::log(a);
    case SpecOp::kLogPlusOne:
      return std::log1p(a);
    case SpecOp::kLogistic: {
      const T power = std::exp(-a);
      const T sum = 1 + power;
      return 1 / sum;
    }
    case SpecOp::kPower:
      return std::pow(a, b);
    case SpecOp::kRsqrt: {
      const T root = std::sqrt(a);
      return 1 / root;
    }
    case SpecOp::kSine:
      return std::sin(a);
    case SpecOp::kSinh:
      return std::sinh(a);
    case SpecOp::kTan:
      return std::tan(a);
    case SpecOp::kTanh:
      return std::tanh(a);
    default:
      assert(false);  // excluded by IsDefined
      return std::numeric_limits<T>::quiet_NaN();
  }
}

static float ByMathlib(SpecOp op, float a, float b) {
  const float arguments[] = {op == SpecOp::kLogistic ? -a : a, b};
  std::feraiseexcept(FE_INEXACT);
  const float result = MathlibFunction(op)->evaluate(arguments);
  if (op != SpecOp::kLogistic) return result;
  const float sum = 1 + result;
  return 1 / sum;
}

// Before the rounding to the type. Of types smaller than f64 the sum, product, quotient and root
// in double round like the exact ones (float_bits.h).
static double ApplyFloat(const SpecNode& node, ElementType element,
                         std::span<const Scalar> operands) {
  const double a = operands[0].number;
  const double b = operands.size() > 1 ? operands[1].number : 0;
  switch (node.op) {
    case SpecOp::kAbs:
      return std::fabs(a);
    case SpecOp::kAdd:
      return a + b;
    case SpecOp::kCeil:
      return std::ceil(a);
    case SpecOp::kClamp:
      return Minimum(Maximum(b, a), operands[2].number);
    case SpecOp::kDivide:
      return a / b;
    case SpecOp::kFloor:
      return std::floor(a);
    case SpecOp::kMaximum:
      return Maximum(a, b);
    case SpecOp::kMinimum:
      return Minimum(a, b);
    case SpecOp::kMultiply:
      return a * b;
    case SpecOp::kNegate:
      return -a;
    case SpecOp::kReducePrecision:
      return ReducePrecision(element, a, node.exponent_bits, node.mantissa_bits);
    case SpecOp::kRemainder:
      return std::fmod(a, b);
    case SpecOp::kRound:
      return std::round(a);
    case SpecOp::kRoundEven:
      return ::roundeven(a);
    case SpecOp::kSign:
      return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    case SpecOp::kSqrt:
      return std::sqrt(a);
    case SpecOp::kSubtract:
      return a - b;
    default:
      break;
  }
  if (element == ElementType::kF64) return Function<double>(node.op, a, b);
  if (node.mathlib) return ByMathlib(node.op, static_cast<float>(a), static_cast<float>(b));
  return Function<float>(node.op, static_cast<float>(a), static_cast<float>(b));
}

Scalar Apply(const SpecNode& node, ElementType element, std::span<const Scalar> operands) {
  switch (node.op) {
    case SpecOp::kSelect:
      return operands[operands[0].integer != 0 ? 1 : 2];
    case SpecOp::kConvert:
      return Convert(element, node.type.element, operands[0]);
    case SpecOp::kBitcast:
      return FromBits(BitsOf(operands[0], element), node.type.element);
    case SpecOp::kIsFinite:
      return {.integer = std::isfinite(operands[0].number)};
    case SpecOp::kCompare:
      return {.integer = CompareScalars(node, element, operands[0], operands[1])};
    default:
      if (IsFloat(element))
        return {.number = RoundTo(element, ApplyFloat(node, element, operands))};
      return ApplyInteger(node, element, operands);
  }
}

}  // namespace quern::verifier
