// The integer operations of ConcreteDomain.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "verifier/machine/concrete.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

// What one operation gives at a width: the result, already truncated, and whether it is poison.
struct IntegerResult {
  uint64_t bits = 0;
  bool poison = false;
};

static IntegerResult Shift(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  if (b >= static_cast<uint64_t>(width)) return {0, true};
  const int64_t value = Signed(a, width);
  switch (op) {
    case BinaryOp::kShl: {
      const uint64_t result = (a << b) & Mask(width);
      return {result, (flags.nuw && (result >> b) != a) ||
                          (flags.nsw && Signed(result, width) >> b != value)};
    }
    case BinaryOp::kLShr:
      return {a >> b, flags.exact && ((a >> b) << b) != a};
    default: {
      const uint64_t result = static_cast<uint64_t>(value >> b) & Mask(width);
      return {result, flags.exact && ((a >> b) << b) != a};
    }
  }
}

static IntegerResult Arithmetic(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  const __int128 sa = Signed(a, width);
  const __int128 sb = Signed(b, width);
  const unsigned __int128 ua = a;
  const unsigned __int128 ub = b;
  __int128 exact = 0;
  bool unsigned_wrap = false;
  switch (op) {
    case BinaryOp::kAdd:
      exact = sa + sb;
      unsigned_wrap = ua + ub > Mask(width);
      break;
    case BinaryOp::kSub:
      exact = sa - sb;
      unsigned_wrap = a < b;
      break;
    default:
      exact = sa * sb;
      unsigned_wrap = ua * ub > Mask(width);
      break;
  }
  const uint64_t result = static_cast<uint64_t>(exact) & Mask(width);
  return {result, (flags.nuw && unsigned_wrap) || (flags.nsw && Signed(result, width) != exact)};
}

// Division by zero and overflow are found before.
static IntegerResult Divide(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  const int64_t sa = Signed(a, width);
  const int64_t sb = Signed(b, width);
  switch (op) {
    case BinaryOp::kUDiv:
      return {a / b, flags.exact && a % b != 0};
    case BinaryOp::kURem:
      return {a % b, false};
    case BinaryOp::kSDiv:
      return {static_cast<uint64_t>(sa / sb) & Mask(width), flags.exact && sa % sb != 0};
    default:
      return {static_cast<uint64_t>(sa % sb) & Mask(width), false};
  }
}

static bool IsDivision(BinaryOp op) { return op >= BinaryOp::kUDiv && op <= BinaryOp::kSRem; }

static IntegerResult Evaluate(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  switch (op) {
    case BinaryOp::kShl:
    case BinaryOp::kLShr:
    case BinaryOp::kAShr:
      return Shift(op, flags, width, a, b);
    case BinaryOp::kAnd:
      return {a & b, false};
    case BinaryOp::kOr:
      return {a | b, flags.disjoint && (a & b) != 0};
    case BinaryOp::kXor:
      return {a ^ b, false};
    default:
      return IsDivision(op) ? Divide(op, flags, width, a, b) : Arithmetic(op, flags, width, a, b);
  }
}

void ConcreteDomain::IntegerBinary(BinaryOp op, BinaryFlags flags, const Type& type,
                                   const Register& a, const Register& b, Register* out) {
  const int width = type.bits;
  const bool divides = IsDivision(op);
  if (divides && !Defined(type, b, "a divisor")) return;
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const bool poison = a.poison[i] != 0 || b.poison[i] != 0;
    if (divides) {
      const bool is_signed = op == BinaryOp::kSDiv || op == BinaryOp::kSRem;
      const bool overflow = is_signed && Signed(b.bits[i], width) == -1 &&
                            (a.poison[i] != 0 || a.bits[i] == uint64_t{1} << (width - 1));
      if (b.bits[i] == 0 || overflow) {
        return Fail(FaultKind::kDivide,
                    overflow ? "a signed division overflows" : "a division by zero");
      }
    }
    const IntegerResult result = Evaluate(op, flags, width, a.bits[i], b.bits[i]);
    out->bits[i] = result.bits;
    out->poison[i] = poison || result.poison;
  }
}

static bool IntegerHolds(Predicate predicate, int width, uint64_t a, uint64_t b) {
  const int64_t sa = Signed(a, width);
  const int64_t sb = Signed(b, width);
  switch (predicate) {
    case Predicate::kEq:
      return a == b;
    case Predicate::kNe:
      return a != b;
    case Predicate::kIUgt:
      return a > b;
    case Predicate::kIUge:
      return a >= b;
    case Predicate::kIUlt:
      return a < b;
    case Predicate::kIUle:
      return a <= b;
    case Predicate::kISgt:
      return sa > sb;
    case Predicate::kISge:
      return sa >= sb;
    case Predicate::kISlt:
      return sa < sb;
    default:
      return sa <= sb;
  }
}

static bool FloatHolds(Predicate predicate, double a, double b) {
  const int outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
  return (static_cast<int>(predicate) & outcome) != 0;
}

void ConcreteDomain::Compare(Predicate predicate, bool same_sign, const Type& type,
                             const Register& a, const Register& b, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const uint64_t x = a.bits[i];
    const uint64_t y = b.bits[i];
    bool poison = a.poison[i] != 0 || b.poison[i] != 0;
    if (type.is_float()) {
      out->bits[i] = FloatHolds(predicate, ToDouble(type.kind, x), ToDouble(type.kind, y));
    } else {
      // Where objects lie is not fixed; only null is known to differ from them.
      const bool unordered = type.kind == Type::kPointer && x >> 44 != y >> 44;
      const bool null = x == 0 || y == 0;
      if (unordered && !poison && !(null && predicate <= Predicate::kNe)) {
        return Fail(FaultKind::kUnsupported, "comparing addresses of different objects");
      }
      poison |= same_sign && ((x ^ y) >> (type.bits - 1) & 1) != 0;
      out->bits[i] = IntegerHolds(predicate, type.bits, x, y);
    }
    out->poison[i] = poison;
  }
}

// Lanes of another number or kind over the same bytes.
void ConcreteDomain::Bitcast(const Type& from, const Type& to, const Register& a, Register* out) {
  if (from.bits == to.bits) return Copy(to, a, out);
  const int from_bytes = from.lane_bytes();
  const int to_bytes = to.lane_bytes();
  std::vector<uint8_t> image(from.bytes());
  for (uint32_t i = 0; i < from.lanes; ++i) {
    std::memcpy(image.data() + i * from_bytes, a.bits + i, from_bytes);
  }
  for (uint32_t i = 0; i < to.lanes; ++i) {
    out->bits[i] = 0;
    std::memcpy(out->bits + i, image.data() + i * to_bytes, to_bytes);
    out->poison[i] = 0;
    for (int byte = i * to_bytes; byte < static_cast<int>(i + 1) * to_bytes; ++byte) {
      out->poison[i] |= a.poison[byte / from_bytes];
    }
  }
}

void ConcreteDomain::IntegerLanewise(Intrinsic intrinsic, const Type& type,
                                     std::span<const Register* const> args, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const uint64_t x = args[0]->bits[i];
    const int64_t sx = Signed(x, type.bits);
    if (intrinsic == Intrinsic::kAbs) {
      const bool least = x == uint64_t{1} << (type.bits - 1);
      out->bits[i] = (sx < 0 ? uint64_t{0} - x : x) & Mask(type.bits);
      out->poison[i] = args[0]->poison[i] != 0 || (least && args[1]->bits[0] != 0);
      continue;
    }
    const uint64_t y = args[1]->bits[i];
    const int64_t sy = Signed(y, type.bits);
    const bool first = intrinsic == Intrinsic::kSMin   ? sx < sy
                       : intrinsic == Intrinsic::kSMax ? sx > sy
                       : intrinsic == Intrinsic::kUMin ? x < y
                                                       : x > y;
    out->bits[i] = first ? x : y;
    out->poison[i] = args[0]->poison[i] | args[1]->poison[i];
  }
}

}  // namespace quern::verifier
