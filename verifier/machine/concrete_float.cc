// The floating-point operations of ConcreteDomain, and conversions.
#include <bit>
#include <cassert>
#include <cfenv>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "verifier/machine/concrete.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

template <class T>
static T Arithmetic(BinaryOp op, T x, T y) {
  switch (op) {
    case BinaryOp::kFAdd:
      return x + y;
    case BinaryOp::kFSub:
      return x - y;
    case BinaryOp::kFMul:
      return x * y;
    case BinaryOp::kFDiv:
      return x / y;
    case BinaryOp::kFRem:
      return std::fmod(x, y);
    default:
      assert(false && "not an operation on floats");
      return std::numeric_limits<T>::quiet_NaN();
  }
}

template <class T, class Bits>
static void NativeLanes(BinaryOp op, uint32_t lanes, const uint64_t* a, const uint64_t* b,
                        uint64_t* out) {
  for (uint32_t i = 0; i < lanes; ++i) {
    out[i] = std::bit_cast<Bits>(Arithmetic<T>(op, std::bit_cast<T>(static_cast<Bits>(a[i])),
                                               std::bit_cast<T>(static_cast<Bits>(b[i]))));
  }
}

void ConcreteDomain::FloatBinary(BinaryOp op, const Type& type, const Register& a,
                                 const Register& b, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) out->poison[i] = a.poison[i] | b.poison[i];
  if (type.kind == Type::kFloat) {
    return NativeLanes<float, uint32_t>(op, type.lanes, a.bits, b.bits, out->bits);
  }
  if (type.kind == Type::kDouble) {
    return NativeLanes<double, uint64_t>(op, type.lanes, a.bits, b.bits, out->bits);
  }
  for (uint32_t i = 0; i < type.lanes; ++i) {
    out->bits[i] = FromDouble(type.kind, Arithmetic<double>(op, ToDouble(type.kind, a.bits[i]),
                                                            ToDouble(type.kind, b.bits[i])));
  }
}

void ConcreteDomain::Binary(BinaryOp op, BinaryFlags flags, const Type& type, const Register& a,
                            const Register& b, Register* out) {
  if (type.is_float()) return FloatBinary(op, type, a, b, out);
  IntegerBinary(op, flags, type, a, b, out);
}

void ConcreteDomain::Negate(const Type& type, const Register& a, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    out->bits[i] = a.bits[i] ^ (uint64_t{1} << (type.bits - 1));
    out->poison[i] = a.poison[i];
  }
}

// nullopt: poison.
static std::optional<uint64_t> ToInteger(double value, bool is_signed, int bits) {
  const double whole = std::trunc(value);
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (!(whole >= low && whole < end)) return std::nullopt;
  if (is_signed) return static_cast<uint64_t>(static_cast<int64_t>(whole)) & Mask(bits);
  return static_cast<uint64_t>(whole);
}

static uint64_t Saturated(double value, bool is_signed, int bits) {
  if (const auto exact = ToInteger(value, is_signed, bits)) return *exact;
  if (std::isnan(value)) return 0;
  const uint64_t most = Mask(bits) >> (is_signed ? 1 : 0);
  return value > 0 ? most : is_signed ? most + 1 : 0;
}

// A 64-bit integer above 2^53 would be rounded twice on its way to a small float.
static std::optional<uint64_t> FromInteger(Type::Kind kind, uint64_t bits, int64_t value,
                                           bool is_signed) {
  if (kind == Type::kFloat) {
    return std::bit_cast<uint32_t>(is_signed ? static_cast<float>(value)
                                             : static_cast<float>(bits));
  }
  const double wide = is_signed ? static_cast<double>(value) : static_cast<double>(bits);
  if (kind != Type::kDouble && std::fabs(wide) > 0x1p53) return std::nullopt;
  return FromDouble(kind, wide);
}

void ConcreteDomain::Cast(CastOp op, CastFlags flags, const Type& from, const Type& to,
                          const Register& a, Register* out) {
  if (op == CastOp::kBitcast) return Bitcast(from, to, a, out);
  for (uint32_t i = 0; i < to.lanes; ++i) {
    const uint64_t bits = a.bits[i];
    const int64_t value = from.kind == Type::kInt ? Signed(bits, from.bits) : 0;
    bool poison = a.poison[i] != 0;
    std::optional<uint64_t> result;
    switch (op) {
      case CastOp::kTrunc:
        result = bits & Mask(to.bits);
        poison |=
            (flags.nuw && *result != bits) || (flags.nsw && Signed(*result, to.bits) != value);
        break;
      case CastOp::kZExt:
        result = bits;
        poison |= flags.nneg && value < 0;
        break;
      case CastOp::kSExt:
        result = static_cast<uint64_t>(value) & Mask(to.bits);
        break;
      case CastOp::kFPTrunc:
      case CastOp::kFPExt:
        result = FromDouble(to.kind, ToDouble(from.kind, bits));
        break;
      case CastOp::kFPToUI:
      case CastOp::kFPToSI:
        result = ToInteger(ToDouble(from.kind, bits), op == CastOp::kFPToSI, to.bits);
        poison |= !result.has_value();
        result = result.value_or(0);
        break;
      case CastOp::kFPToUISat:
      case CastOp::kFPToSISat:
        result = Saturated(ToDouble(from.kind, bits), op == CastOp::kFPToSISat, to.bits);
        break;
      default:
        result = FromInteger(to.kind, bits, value, op == CastOp::kSIToFP);
        poison |= flags.nneg && value < 0;
        break;
    }
    if (!result.has_value()) {
      return Fail(FaultKind::kUnsupported, "converting an integer above 2^53 to this type");
    }
    out->bits[i] = *result;
    out->poison[i] = poison;
  }
}

// Of minnum and the like: the operand that is returned, or `quiet` for a NaN.
static double MinMax(Intrinsic intrinsic, double x, double y) {
  const bool minimum = intrinsic == Intrinsic::kMinNum || intrinsic == Intrinsic::kMinimum ||
                       intrinsic == Intrinsic::kMinimumNum;
  const bool propagates = intrinsic == Intrinsic::kMinimum || intrinsic == Intrinsic::kMaximum;
  if (std::isnan(x) || std::isnan(y)) {
    if (propagates) return std::nan("");
    return std::isnan(x) ? y : x;
  }
  if (x == y) return std::signbit(x) == minimum ? x : y;  // -0 is below +0
  return (x < y) == minimum ? x : y;
}

// nullopt: not a function of doubles.
static std::optional<double> Unary(Intrinsic intrinsic, double x) {
  switch (intrinsic) {
    case Intrinsic::kSqrt:
      return std::sqrt(x);
    case Intrinsic::kFloor:
      return std::floor(x);
    case Intrinsic::kCeil:
      return std::ceil(x);
    case Intrinsic::kTruncate:
      return std::trunc(x);
    case Intrinsic::kRint:
    case Intrinsic::kNearbyInt:
    case Intrinsic::kRoundEven:
      return std::nearbyint(x);
    case Intrinsic::kRound:
      return std::round(x);
    default:
      return std::nullopt;
  }
}

// Of a kind below double, computed as float: what the code generator calls.
static std::optional<double> Transcendental(Intrinsic intrinsic, bool wide, double x) {
  const float narrow = static_cast<float>(x);
  std::feraiseexcept(FE_INEXACT);
  switch (intrinsic) {
    case Intrinsic::kExp:
      return wide ? std::exp(x) : std::exp(narrow);
    case Intrinsic::kExp2:
      return wide ? std::exp2(x) : std::exp2(narrow);
    case Intrinsic::kLog:
      return wide ? std::log(x) : std::log(narrow);
    case Intrinsic::kLog2:
      return wide ? std::log2(x) : std::log2(narrow);
    case Intrinsic::kLog10:
      return wide ? std::log10(x) : std::log10(narrow);
    case Intrinsic::kSin:
      return wide ? std::sin(x) : std::sin(narrow);
    case Intrinsic::kCos:
      return wide ? std::cos(x) : std::cos(narrow);
    case Intrinsic::kTan:
      return wide ? std::tan(x) : std::tan(narrow);
    case Intrinsic::kTanh:
      return wide ? std::tanh(x) : std::tanh(narrow);
    default:
      return std::nullopt;
  }
}

static std::optional<uint64_t> Evaluate(Intrinsic intrinsic, Type::Kind kind, int bits,
                                        const uint64_t* args) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const double x = ToDouble(kind, args[0]);
  const double y = ToDouble(kind, args[1]);
  switch (intrinsic) {
    case Intrinsic::kFAbs:
      return args[0] & ~sign;
    case Intrinsic::kCopySign:
      return (args[0] & ~sign) | (args[1] & sign);
    case Intrinsic::kFma:
      if (kind == Type::kDouble) {
        return std::bit_cast<uint64_t>(std::fma(x, y, ToDouble(kind, args[2])));
      }
      return std::nullopt;  // code generators disagree on how the small kinds round
    case Intrinsic::kMinNum:
    case Intrinsic::kMaxNum:
    case Intrinsic::kMinimum:
    case Intrinsic::kMaximum:
    case Intrinsic::kMinimumNum:
    case Intrinsic::kMaximumNum:
      return FromDouble(kind, MinMax(intrinsic, x, y));
    case Intrinsic::kPow:
      std::feraiseexcept(FE_INEXACT);
      return FromDouble(kind, kind == Type::kDouble
                                  ? std::pow(x, y)
                                  : std::pow(static_cast<float>(x), static_cast<float>(y)));
    default:
      break;
  }
  std::optional<double> result = Unary(intrinsic, x);
  if (!result.has_value()) result = Transcendental(intrinsic, kind == Type::kDouble, x);
  if (!result.has_value()) return std::nullopt;
  return FromDouble(kind, *result);
}

// The inner loop of most kernels.
static void FmaLanes(uint32_t lanes, std::span<const ConcreteDomain::Register* const> args,
                     ConcreteDomain::Register* out) {
  const auto value = [](uint64_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  };
  for (uint32_t i = 0; i < lanes; ++i) {
    out->bits[i] = std::bit_cast<uint32_t>(
        std::fma(value(args[0]->bits[i]), value(args[1]->bits[i]), value(args[2]->bits[i])));
    out->poison[i] = args[0]->poison[i] | args[1]->poison[i] | args[2]->poison[i];
  }
}

void ConcreteDomain::Lanewise(Intrinsic intrinsic, const Type& type,
                              std::span<const Register* const> args, Register* out) {
  if (!type.is_float()) return IntegerLanewise(intrinsic, type, args, out);
  if (intrinsic == Intrinsic::kFma && type.kind == Type::kFloat) {
    return FmaLanes(type.lanes, args, out);
  }
  for (uint32_t i = 0; i < type.lanes; ++i) {
    uint64_t lanes[3] = {};
    out->poison[i] = 0;
    for (size_t k = 0; k < args.size(); ++k) {
      lanes[k] = args[k]->bits[i];
      out->poison[i] |= args[k]->poison[i];
    }
    const std::optional<uint64_t> result = Evaluate(intrinsic, type.kind, type.bits, lanes);
    if (!result.has_value()) {
      return Fail(FaultKind::kUnsupported,
                  absl::StrCat("llvm.", Name(intrinsic), " on ", Name(type), " is not supported"));
    }
    out->bits[i] = *result;
  }
}

}  // namespace quern::verifier
