#include "verifier/symbolic/integers.h"

#include <bit>
#include <limits>
#include <utility>

#include "verifier/machine/integer_bits.h"
#include "verifier/machine/integer_ops.h"

namespace quern::verifier {

static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

static bool IsZeroOrOne(const Type& type) { return type.bits == 1; }

static Value Truth(bool value) { return TermTable::Integer(AffineTable::Number(value ? 1 : 0)); }

std::optional<Value> Integers::Arithmetic(BinaryOp op, BinaryFlags flags, const Type& type, Value a,
                                          Value b) {
  const auto combine = [&](Affine x, Affine y) -> std::optional<Affine> {
    switch (op) {
      case BinaryOp::kAdd:
        return affine_.Add(x, y);
      case BinaryOp::kSub:
        return affine_.Subtract(x, y);
      default:
        if (!y.is_constant()) std::swap(x, y);
        if (!y.is_constant()) return std::nullopt;
        return affine_.Scale(x, y.constant);
    }
  };
  const Affine x = TermTable::AffineOf(a);
  const Affine y = TermTable::AffineOf(b);
  if (op == BinaryOp::kMul && !x.is_constant() && !y.is_constant()) return Halve(x, y);
  const int64_t top = SignedMax(type.bits);
  if (flags.nuw) {
    const std::optional<Affine> ux = Unsigned(a, type);
    const std::optional<Affine> uy = Unsigned(b, type);
    const std::optional<Affine> sum = ux && uy ? combine(*ux, *uy) : std::nullopt;
    split_.reset();
    const Interval range = {0, type.bits == 64 ? kMax : 2 * top + 1};
    if (!sum.has_value() || !Within(*sum, range, "no-wrap")) return TermTable::Poison();
  }
  const std::optional<Affine> sx = Signed(a, type);
  const std::optional<Affine> sy = Signed(b, type);
  if (!sx.has_value() || !sy.has_value()) return std::nullopt;
  const std::optional<Affine> result = combine(*sx, *sy);
  if (result.has_value() && Within(*result, {-top - 1, top}, "no-wrap")) {
    if (IsZeroOrOne(type)) return TermTable::Bits(type, static_cast<uint64_t>(result->constant));
    return TermTable::Integer(*result);
  }
  if (flags.nsw) return TermTable::Poison();
  if (result.has_value() && type.bits < 64 && Within(*result, {0, 2 * top + 1}, "no-wrap")) {
    return TermTable::Integer(*result);
  }
  return Halve(x, y);
}

std::optional<Value> Integers::Divide(BinaryOp op, bool exact, const Type& type, Value a,
                                      int64_t divisor, bool is_signed) {
  const std::optional<Affine> dividend = is_signed ? Signed(a, type) : Unsigned(a, type);
  if (!dividend.has_value()) return std::nullopt;
  const bool remainder = op == BinaryOp::kURem || op == BinaryOp::kSRem || op == BinaryOp::kAnd;
  const bool truncating = op == BinaryOp::kSDiv || op == BinaryOp::kSRem;
  if (!affine_.Bounds(*dividend).has_value()) return std::nullopt;
  if (truncating && !Within(*dividend, {0, kMax}, "no-wrap")) {
    return Halve(*dividend);
  }
  const std::optional<AffineTable::Division> division = Divide(*dividend, divisor);
  if (!division.has_value()) return SplitBlocked();
  if (exact && division->remainder != AffineTable::Number(0)) return TermTable::Poison();
  const Affine result = remainder ? division->remainder : division->quotient;
  if (result.is_constant()) return TermTable::Bits(type, static_cast<uint64_t>(result.constant));
  return TermTable::Integer(result);
}

std::optional<Value> Integers::Or(bool disjoint, const Type& type, Value a, Value b) {
  for (const bool swapped : {false, true}) {
    const Affine high = TermTable::AffineOf(swapped ? b : a);
    const std::optional<Affine> low = Unsigned(swapped ? a : b, type);
    split_.reset();
    if (!low.has_value()) continue;
    // `high` is a multiple of 2^zeros.
    const uint64_t step =
        static_cast<uint64_t>(affine_.gcd(high.linear)) | static_cast<uint64_t>(high.constant);
    const int zeros = std::countr_zero(step);
    if (Within(*low, {0, zeros >= 63 ? kMax : (int64_t{1} << zeros) - 1}, "no-wrap")) {
      return Arithmetic(BinaryOp::kAdd, {}, type, swapped ? b : a, TermTable::Integer(*low));
    }
  }
  if (disjoint) return TermTable::Poison();
  return Halve(TermTable::AffineOf(a), TermTable::AffineOf(b));
}

std::optional<Value> Integers::Binary(BinaryOp op, BinaryFlags flags, const Type& type, Value a,
                                      Value b) {
  const std::optional<uint64_t> x = TermTable::ConstantBits(type, a);
  const std::optional<uint64_t> y = TermTable::ConstantBits(type, b);
  if (x.has_value() && y.has_value()) {
    if (FaultOfDivision(op, type.bits, *x, *y) != DivisionFault::kNone) return std::nullopt;
    const IntegerResult result = EvaluateInteger(op, flags, type.bits, *x, *y);
    return result.poison ? TermTable::Poison() : TermTable::Bits(type, result.bits);
  }
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
      return Arithmetic(op, flags, type, a, b);
    case BinaryOp::kShl:
      if (!y.has_value()) return Halve(TermTable::AffineOf(b));
      if (*y >= type.bits) return TermTable::Poison();
      if (*y + 1 < type.bits) {
        return Arithmetic(BinaryOp::kMul, flags, type, a, TermTable::Bits(type, uint64_t{1} << *y));
      }
      return Halve(TermTable::AffineOf(a));
    case BinaryOp::kLShr:
    case BinaryOp::kAShr:
      if (!y.has_value()) return Halve(TermTable::AffineOf(b));
      if (*y >= type.bits) return TermTable::Poison();
      if (*y == 63) return Halve(TermTable::AffineOf(a));
      return Divide(op, flags.exact, type, a, int64_t{1} << *y, op == BinaryOp::kAShr);
    case BinaryOp::kUDiv:
    case BinaryOp::kURem:
    case BinaryOp::kSDiv:
    case BinaryOp::kSRem: {
      if (!y.has_value()) return Halve(TermTable::AffineOf(b));
      const bool is_signed = op == BinaryOp::kSDiv || op == BinaryOp::kSRem;
      const std::optional<Affine> divisor = is_signed ? Signed(b, type) : Unsigned(b, type);
      if (!divisor.has_value() || divisor->constant <= 0) return std::nullopt;
      return Divide(op, flags.exact, type, a, divisor->constant, is_signed);
    }
    case BinaryOp::kAnd: {
      if (!x.has_value() && !y.has_value()) {
        return Halve(TermTable::AffineOf(a), TermTable::AffineOf(b));
      }
      const uint64_t mask = x.has_value() ? *x : *y;
      const Value other = x.has_value() ? b : a;
      const uint64_t ones = Mask(type.bits);
      if (mask == ones) return other;
      if (std::has_single_bit(mask + 1) && mask < uint64_t{1} << 62) {
        return Divide(op, false, type, other, static_cast<int64_t>(mask) + 1, false);
      }
      const uint64_t low = ~mask & ones;  // the bits that are cleared
      if (std::has_single_bit(low + 1) && low < uint64_t{1} << 62) {
        const std::optional<Value> rest =
            Divide(op, false, type, other, static_cast<int64_t>(low) + 1, false);
        if (!rest.has_value()) return std::nullopt;
        return Arithmetic(BinaryOp::kSub, {}, type, other, *rest);
      }
      return Halve(TermTable::AffineOf(other));
    }
    case BinaryOp::kOr:
      return Or(flags.disjoint, type, a, b);
    case BinaryOp::kXor: {
      if (y == Mask(type.bits) && !IsZeroOrOne(type)) {
        return Arithmetic(BinaryOp::kSub, {}, type, b, a);  // -1 - a
      }
      return Halve(TermTable::AffineOf(a), TermTable::AffineOf(b));
    }
    default:
      return std::nullopt;
  }
}

std::optional<Value> Integers::Cast(CastOp op, CastFlags flags, const Type& from, const Type& to,
                                    Value a) {
  const Affine form = TermTable::AffineOf(a);
  switch (op) {
    case CastOp::kBitcast:
      return a;
    case CastOp::kZExt: {
      const std::optional<Affine> value = Unsigned(a, from);
      if (!value.has_value()) return std::nullopt;
      const int64_t top = IsZeroOrOne(from) ? 0 : SignedMax(from.bits);
      if (flags.nneg && !Within(*value, {0, top}, "no-wrap")) return TermTable::Poison();
      return TermTable::Integer(*value);
    }
    case CastOp::kSExt: {
      const std::optional<Affine> value = Signed(a, from);
      if (!value.has_value()) return std::nullopt;
      return TermTable::Integer(*value);
    }
    case CastOp::kTrunc: {
      const std::optional<Affine> value = Signed(a, from);
      if (!value.has_value() || !affine_.Bounds(*value).has_value()) return std::nullopt;
      const int64_t top = SignedMax(to.bits);
      const bool fits_signed =
          Within(*value, IsZeroOrOne(to) ? Interval{-1, 0} : Interval{-top - 1, top}, "no-wrap");
      const bool fits_unsigned =
          to.bits < 64 && Within(*value, {0, IsZeroOrOne(to) ? 1 : 2 * top + 1}, "no-wrap");
      if ((flags.nsw && !fits_signed) || (flags.nuw && !fits_unsigned)) return TermTable::Poison();
      if (value->is_constant()) {
        return TermTable::Bits(to, static_cast<uint64_t>(value->constant));
      }
      if (!IsZeroOrOne(to) && (fits_signed || fits_unsigned)) return TermTable::Integer(*value);
      return Halve(form);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Value> Integers::Compare(Predicate predicate, bool same_sign, const Type& type,
                                       Value a, Value b) {
  if (same_sign) {
    const std::optional<Affine> x = Signed(a, type), y = Signed(b, type);
    if (!x.has_value() || !y.has_value()) return std::nullopt;
    const std::optional<bool> p = Less(*x, AffineTable::Number(0), false);
    if (!p.has_value()) return std::nullopt;
    const std::optional<bool> q = Less(*y, AffineTable::Number(0), false);
    if (!q.has_value()) return std::nullopt;
    if (*p != *q) return TermTable::Poison();
  }
  const bool is_unsigned = predicate >= Predicate::kIUgt && predicate <= Predicate::kIUle;
  // Unsigned numbers of 64 bits are known as signed ones.
  const bool as_signed = !is_unsigned || type.bits == 64;
  const std::optional<Affine> x = as_signed ? Signed(a, type) : Unsigned(a, type);
  if (!x.has_value()) return std::nullopt;
  const std::optional<Affine> y = as_signed ? Signed(b, type) : Unsigned(b, type);
  if (!y.has_value()) return std::nullopt;
  if (is_unsigned && as_signed) {
    const std::optional<bool> p = Less(*x, AffineTable::Number(0), false);
    if (!p.has_value()) return std::nullopt;
    const std::optional<bool> q = Less(*y, AffineTable::Number(0), false);
    if (!q.has_value()) return std::nullopt;
    const bool wants_less = predicate == Predicate::kIUlt || predicate == Predicate::kIUle;
    if (*p != *q) return Truth(*q == wants_less);  // a negative number is the greater one
  }
  std::optional<bool> result;
  bool negate = false;
  switch (predicate) {
    case Predicate::kNe:
      negate = true;
      [[fallthrough]];
    case Predicate::kEq:
      result = Equal(*x, *y);
      break;
    case Predicate::kIUge:
    case Predicate::kISge:
      negate = true;
      [[fallthrough]];
    case Predicate::kIUlt:
    case Predicate::kISlt:
      result = Less(*x, *y, false);
      break;
    case Predicate::kIUgt:
    case Predicate::kISgt:
      negate = true;
      [[fallthrough]];
    case Predicate::kIUle:
    case Predicate::kISle:
      result = Less(*x, *y, true);
      break;
    default:
      return std::nullopt;
  }
  if (!result.has_value()) return std::nullopt;
  return Truth(*result != negate);
}

}  // namespace quern::verifier
