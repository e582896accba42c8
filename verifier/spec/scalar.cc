#include "verifier/spec/scalar.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cfenv>
#include <cmath>
#include <limits>

#pragma STDC FP_CONTRACT OFF

namespace quern::verifier {

bool IsChecked(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kI32 ||
         type == ElementType::kBool;
}

Scalar Load(const Tensor& tensor, int64_t element) {
  switch (tensor.type().element) {
    case ElementType::kF32:
      return {.number = tensor.as<float>()[element]};
    case ElementType::kBF16:
      return {.number = BF16ToF32(tensor.as<uint16_t>()[element])};
    case ElementType::kI32:
      return {.integer = tensor.as<int32_t>()[element]};
    case ElementType::kBool:
      return {.integer = tensor.as<uint8_t>()[element] != 0};
    default:
      assert(false);  // the reader lets no other type in
  }
  return {};
}

void Store(Scalar value, int64_t element, Tensor& tensor) {
  switch (tensor.type().element) {
    case ElementType::kF32:
      tensor.as<float>()[element] = value.number;
      break;
    case ElementType::kBF16:
      tensor.as<uint16_t>()[element] = F32ToBF16(value.number);
      break;
    case ElementType::kI32:
      tensor.as<int32_t>()[element] = value.integer;
      break;
    case ElementType::kBool:
      tensor.as<uint8_t>()[element] = static_cast<uint8_t>(value.integer);
      break;
    default:
      assert(false);
  }
}

double ToDouble(Scalar value, ElementType type) {
  return IsFloat(type) ? double{value.number} : double{static_cast<double>(value.integer)};
}

float RoundTo(ElementType type, float value) {
  if (type != ElementType::kBF16) return value;
  const float rounded = BF16ToF32(F32ToBF16(value));
  if (rounded != value && !std::isnan(value)) std::feraiseexcept(FE_INEXACT);
  return rounded;
}

bool IsDefined(const SpecNode& node, ElementType element) {
  const bool floating = IsFloat(element), boolean = element == ElementType::kBool;
  switch (node.op) {
    case SpecOp::kCeil:
    case SpecOp::kCosine:
    case SpecOp::kExponential:
    case SpecOp::kExponentialMinusOne:
    case SpecOp::kFloor:
    case SpecOp::kIsFinite:
    case SpecOp::kLog:
    case SpecOp::kLogPlusOne:
    case SpecOp::kLogistic:
    case SpecOp::kRsqrt:
    case SpecOp::kSine:
    case SpecOp::kSqrt:
    case SpecOp::kTanh:
      return floating;
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
    default:
      return true;
  }
}

static int32_t Wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

static int32_t IntegerPower(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return base == 1 ? 1 : 0;
  }
  uint32_t result = 1, factor = static_cast<uint32_t>(base);
  for (auto bits = static_cast<uint32_t>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<int32_t>(result);
}

static float Maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static float Minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Before the rounding to bf16. Each step is a statement of its own.
static float ApplyFloat(SpecOp op, std::span<const Scalar> operands) {
  const float a = operands[0].number;
  const float b = operands.size() > 1 ? operands[1].number : 0;
  switch (op) {
    case SpecOp::kAbs:
      return std::fabs(a);
    case SpecOp::kAdd:
      return a + b;
    case SpecOp::kCeil:
      return std::ceil(a);
    case SpecOp::kClamp:
      return Minimum(Maximum(b, a), operands[2].number);
    case SpecOp::kCosine:
      return std::cos(a);
    case SpecOp::kDivide:
      return a / b;
    case SpecOp::kExponential:
      return std::exp(a);
    case SpecOp::kExponentialMinusOne:
      return std::expm1(a);
    case SpecOp::kFloor:
      return std::floor(a);
    case SpecOp::kLog:
      return std::log(a);
    case SpecOp::kLogPlusOne:
      return std::log1p(a);
    case SpecOp::kLogistic: {
      const float power = std::exp(-a);
      const float sum = 1 + power;
      return 1 / sum;
    }
    case SpecOp::kMaximum:
      return Maximum(a, b);
    case SpecOp::kMinimum:
      return Minimum(a, b);
    case SpecOp::kMultiply:
      return a * b;
    case SpecOp::kNegate:
      return -a;
    case SpecOp::kPower:
      return std::pow(a, b);
    case SpecOp::kRemainder:
      return std::fmod(a, b);
    case SpecOp::kRsqrt: {
      const float root = std::sqrt(a);
      return 1 / root;
    }
    case SpecOp::kSign:
      return a > 0 ? 1.0f : a < 0 ? -1.0f : a;
    case SpecOp::kSine:
      return std::sin(a);
    case SpecOp::kSqrt:
      return std::sqrt(a);
    case SpecOp::kSubtract:
      return a - b;
    case SpecOp::kTanh:
      return std::tanh(a);
    default:
      return std::numeric_limits<float>::quiet_NaN();  // excluded by IsDefined
  }
}

static int32_t ApplyInteger(SpecOp op, bool boolean, std::span<const Scalar> operands) {
  const int32_t a = operands[0].integer;
  const int32_t b = operands.size() > 1 ? operands[1].integer : 0;
  switch (op) {
    case SpecOp::kAbs:
      return a < 0 ? Wrap(-int64_t{a}) : a;
    case SpecOp::kAdd:
      return boolean ? a | b : Wrap(int64_t{a} + b);
    case SpecOp::kAnd:
      return a & b;
    case SpecOp::kClamp:
      return std::min(std::max(b, a), operands[2].integer);
    case SpecOp::kDivide:
      return b == 0 ? -1 : Wrap(int64_t{a} / b);
    case SpecOp::kMaximum:
      return std::max(a, b);
    case SpecOp::kMinimum:
      return std::min(a, b);
    case SpecOp::kMultiply:
      return boolean ? a & b : Wrap(int64_t{a} * b);
    case SpecOp::kNegate:
      return Wrap(-int64_t{a});
    case SpecOp::kNot:
      return boolean ? 1 - a : ~a;
    case SpecOp::kOr:
      return a | b;
    case SpecOp::kPower:
      return IntegerPower(a, b);
    case SpecOp::kRemainder:
      return b == 0 ? a : Wrap(int64_t{a} % b);
    case SpecOp::kSign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case SpecOp::kSubtract:
      return Wrap(int64_t{a} - b);
    case SpecOp::kXor:
      return a ^ b;
    default:
      return 0;  // excluded by IsDefined
  }
}

template <typename T>
static bool Compare(Comparison comparison, T a, T b) {
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

// IEEE 754's totalOrder as an order of integers. A bf16 orders as the f32 of its value does.
static int32_t TotalOrder(float value) {
  const auto bits = std::bit_cast<int32_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<int32_t>::max() : bits;
}

static Scalar Convert(ElementType from, ElementType to, Scalar x) {
  if (to == ElementType::kBool) {
    return {.integer = IsFloat(from) ? x.number != 0 : x.integer != 0};
  }
  if (to == ElementType::kI32) {
    if (!IsFloat(from)) return x;
    if (std::isnan(x.number)) return {.integer = 0};
    if (x.number >= 0x1p31f) return {.integer = std::numeric_limits<int32_t>::max()};
    if (x.number < -0x1p31f) return {.integer = std::numeric_limits<int32_t>::min()};
    return {.integer = static_cast<int32_t>(x.number)};
  }
  if (IsFloat(from)) return {.number = RoundTo(to, x.number)};
  if (to == ElementType::kF32) return {.number = static_cast<float>(x.integer)};
  // To odd in f32, so that the rounding to bf16 is the only one.
  const bool exact = x.integer > -(1 << 24) && x.integer < 1 << 24;
  const int32_t low = x.integer & 0xff;
  const int32_t odd = exact ? x.integer : (x.integer - low) | (low != 0 ? 0x80 : 0);
  return {.number = RoundTo(to, static_cast<float>(odd))};
}

Scalar Apply(const SpecNode& node, ElementType element, std::span<const Scalar> operands) {
  const bool floating = IsFloat(element);
  switch (node.op) {
    case SpecOp::kSelect:
      return operands[operands[0].integer != 0 ? 1 : 2];
    case SpecOp::kConvert:
      return Convert(element, node.type.element, operands[0]);
    case SpecOp::kIsFinite:
      return {.integer = std::isfinite(operands[0].number)};
    case SpecOp::kCompare:
      if (!floating) {
        return {.integer = Compare(node.comparison, operands[0].integer, operands[1].integer)};
      }
      if (node.total_order) {
        return {.integer = Compare(node.comparison, TotalOrder(operands[0].number),
                                   TotalOrder(operands[1].number))};
      }
      return {.integer = Compare(node.comparison, operands[0].number, operands[1].number)};
    default:
      if (floating) return {.number = RoundTo(element, ApplyFloat(node.op, operands))};
      return {.integer = ApplyInteger(node.op, element == ElementType::kBool, operands)};
  }
}

}  // namespace quern::verifier
