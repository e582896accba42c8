// Integers, comparisons and conversions of concrete values.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cfenv>
#include <cmath>
#include <limits>

#include "verifier/machine/float_bits.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

// The low bits as a value of the type.
static Scalar Wrapped(ElementType type, uint64_t bits) {
  if (type == ElementType::kBool) return {.integer = static_cast<int64_t>(bits & 1)};
  return FromBits(bits, type);
}

// Both of one type. True values order as numbers do.
static bool IsLess(ElementType type, int64_t a, int64_t b) {
  return IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

static uint64_t Power(bool is_signed, int64_t base, int64_t exponent) {
  if (is_signed && exponent < 0) {
    if (base == -1) return exponent % 2 == 0 ? 1 : ~uint64_t{0};
    return base == 1 ? 1 : 0;
  }
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (auto bits = static_cast<uint64_t>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= factor;
    factor *= factor;
  }
  return result;
}

// Of the bits of the type, which `a` and `b` are.
static uint64_t Quotient(bool is_signed, int64_t a, int64_t b, bool remainder) {
  if (b == 0) return remainder ? static_cast<uint64_t>(a) : ~uint64_t{0};
  if (is_signed && b == -1) return remainder ? 0 : -static_cast<uint64_t>(a);
  if (is_signed) return static_cast<uint64_t>(remainder ? a % b : a / b);
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  return remainder ? x % y : x / y;
}

static uint64_t Shift(SpecOp op, ElementType element, int64_t a, int64_t amount) {
  const int width = BitWidth(element);
  const bool all = amount < 0 || amount >= width;  // an amount is an unsigned number
  const uint64_t bits = static_cast<uint64_t>(a) & (~uint64_t{0} >> (64 - width));
  if (op == SpecOp::kShiftLeft) return all ? 0 : bits << amount;
  if (op == SpecOp::kShiftRightLogical) return all ? 0 : bits >> amount;
  const auto extended = static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
  return static_cast<uint64_t>(extended >> (all ? 63 : amount));
}

Scalar ApplyInteger(const SpecNode& node, ElementType element, std::span<const Scalar> operands) {
  const int64_t a = operands[0].integer;
  const int64_t b = operands.size() > 1 ? operands[1].integer : 0;
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  const bool boolean = element == ElementType::kBool, is_signed = IsSigned(element);
  const auto least = [&](int64_t p, int64_t q) { return IsLess(element, p, q) ? p : q; };
  const auto most = [&](int64_t p, int64_t q) { return IsLess(element, p, q) ? q : p; };
  const int width = BitWidth(element);
  const uint64_t bits = x & (~uint64_t{0} >> (64 - width));
  switch (node.op) {
    case SpecOp::kAbs:
      return Wrapped(element, is_signed && a < 0 ? -x : x);
    case SpecOp::kAdd:
      return Wrapped(element, boolean ? x | y : x + y);
    case SpecOp::kAnd:
      return {.integer = a & b};
    case SpecOp::kClamp:
      return {.integer = least(most(b, a), operands[2].integer)};
    case SpecOp::kCountLeadingZeros:
      return {.integer = std::countl_zero(bits) - (64 - width)};
    case SpecOp::kDivide:
    case SpecOp::kRemainder:
      return Wrapped(element, Quotient(is_signed, a, b, node.op == SpecOp::kRemainder));
    case SpecOp::kMaximum:
      return {.integer = most(a, b)};
    case SpecOp::kMinimum:
      return {.integer = least(a, b)};
    case SpecOp::kMultiply:
      return Wrapped(element, boolean ? x & y : x * y);
    case SpecOp::kNegate:
      return Wrapped(element, -x);
    case SpecOp::kNot:
      return Wrapped(element, ~x);
    case SpecOp::kOr:
      return {.integer = a | b};
    case SpecOp::kPopulationCount:
      return {.integer = std::popcount(bits)};
    case SpecOp::kPower:
      return Wrapped(element, Power(is_signed, a, b));
    case SpecOp::kShiftLeft:
    case SpecOp::kShiftRightArithmetic:
    case SpecOp::kShiftRightLogical:
      return Wrapped(element, Shift(node.op, element, a, b));
    case SpecOp::kSign:
      return Wrapped(element, a == 0 ? 0 : is_signed && a < 0 ? ~uint64_t{0} : 1);
    case SpecOp::kSubtract:
      return Wrapped(element, x - y);
    case SpecOp::kXor:
      return {.integer = a ^ b};
    default:
      assert(false);  // excluded by IsDefined
      return {};
  }
}

template <typename T>
static bool Holds(Comparison comparison, T a, T b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a != b;
    case Comparison::kGe:
      return a >= b;
    case Comparison::kGt:
      return a > b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kLt:
      return a < b;
  }
  return false;
}

// IEEE 754's totalOrder as an order of integers. Numbers of other types order as doubles do.
static int64_t TotalOrder(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

bool CompareScalars(const SpecNode& node, ElementType element, Scalar a, Scalar b) {
  if (IsFloat(element)) {
    if (node.total_order) {
      return Holds(node.comparison, TotalOrder(a.number), TotalOrder(b.number));
    }
    return Holds(node.comparison, a.number, b.number);
  }
  if (IsSigned(element)) return Holds(node.comparison, a.integer, b.integer);
  return Holds(node.comparison, static_cast<uint64_t>(a.integer), static_cast<uint64_t>(b.integer));
}

static int64_t Truncated(ElementType to, double x) {
  if (std::isnan(x)) return 0;
  const int width = BitWidth(to);
  if (IsSigned(to)) {
    const double limit = std::ldexp(1.0, width - 1);
    const int64_t greatest = std::numeric_limits<int64_t>::max() >> (64 - width);
    if (x >= limit) return greatest;
    return x < -limit ? -greatest - 1 : static_cast<int64_t>(x);
  }
  if (x >= std::ldexp(1.0, width)) return static_cast<int64_t>(~uint64_t{0} >> (64 - width));
  return x <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x));
}

// Rounds once: the number is made odd in its 53rd bit if bits below are lost.
static double Rounded(ElementType to, bool is_signed, int64_t integer) {
  const auto exact = [&](int64_t x) {
    return is_signed ? static_cast<double>(x) : static_cast<double>(static_cast<uint64_t>(x));
  };
  if (to == ElementType::kF64) return exact(integer);
  const uint64_t magnitude =
      is_signed && integer < 0 ? -static_cast<uint64_t>(integer) : static_cast<uint64_t>(integer);
  const uint64_t low = magnitude < uint64_t{1} << 53 ? 0 : magnitude & 0xfff;
  const uint64_t odd = (magnitude - low) | (low != 0 ? 0x800 : 0);
  const auto number = static_cast<double>(odd);
  return RoundTo(to, is_signed && integer < 0 ? -number : number);
}

Scalar Convert(ElementType from, ElementType to, Scalar x) {
  if (to == ElementType::kBool) {
    return {.integer = IsFloat(from) ? x.number != 0 : x.integer != 0};
  }
  if (IsFloat(to)) {
    if (IsFloat(from)) return {.number = RoundTo(to, x.number)};
    return {.number = Rounded(to, IsSigned(from), x.integer)};
  }
  if (IsFloat(from)) return {.integer = Truncated(to, x.number)};
  return Wrapped(to, static_cast<uint64_t>(x.integer));
}

// As the reference implementation of StableHLO: rounds the significand to nearest even, then what
// the exponent cannot express becomes an infinity or a zero.
double ReducePrecision(ElementType type, double value, int64_t exponent_bits,
                       int64_t mantissa_bits) {
  if (std::isnan(value) && mantissa_bits == 0) {  // there is no NaN
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  int mantissa = 52, exponent = 11;
  if (type == ElementType::kF32) mantissa = 23, exponent = 8;
  if (type == ElementType::kBF16) mantissa = 7, exponent = 8;
  if (type == ElementType::kF16) mantissa = 10, exponent = 5;
  uint64_t bits = BitsOf({.number = value}, type);
  const uint64_t sign = bits >> (mantissa + exponent) << (mantissa + exponent);
  bits -= sign;
  if (mantissa_bits < mantissa) {
    const uint64_t last = uint64_t{1} << (mantissa - mantissa_bits);
    bits += ((bits & last) != 0 ? 1 : 0) + (last >> 1) - 1;
    bits &= ~(last - 1);
  }
  const uint64_t infinity = ((uint64_t{1} << exponent) - 1) << mantissa;
  if (exponent_bits < exponent) {
    const int64_t bias = (int64_t{1} << (exponent - 1)) - 1;
    const int64_t reduced = (int64_t{1} << (exponent_bits - 1)) - 1;
    const auto biased = static_cast<int64_t>(bits >> mantissa);
    if (biased > bias + reduced) bits = infinity;
    if (biased <= bias - reduced) bits = 0;
  }
  const double result = FromBits(sign | bits, type).number;
  if (result != value) std::feraiseexcept(FE_INEXACT);
  return result;
}

}  // namespace quern::verifier
