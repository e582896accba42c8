#include "verifier/machine/integer_ops.h"

#include <cassert>

#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

bool IntegerHolds(Predicate predicate, int width, uint64_t a, uint64_t b) {
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
    case Predicate::kISle:
      return sa <= sb;
    default:
      assert(false);
      return false;
  }
}

static bool IsDivision(BinaryOp op) { return op >= BinaryOp::kUDiv && op <= BinaryOp::kSRem; }

DivisionFault FaultOfDivision(BinaryOp op, int width, uint64_t a, uint64_t b) {
  if (!IsDivision(op)) return DivisionFault::kNone;
  if (b == 0) return DivisionFault::kByZero;
  const bool is_signed = op == BinaryOp::kSDiv || op == BinaryOp::kSRem;
  const bool overflow = is_signed && Signed(b, width) == -1 && a == uint64_t{1} << (width - 1);
  return overflow ? DivisionFault::kOverflow : DivisionFault::kNone;
}

static IntegerResult Shift(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  if (b >= static_cast<uint64_t>(width)) return {0, true};
  const int64_t value = Signed(a, width);
  if (op == BinaryOp::kShl) {
    const uint64_t result = (a << b) & Mask(width);
    return {result, (flags.nuw && (result >> b) != a) ||
                        (flags.nsw && Signed(result, width) >> b != value)};
  }
  const uint64_t result =
      op == BinaryOp::kLShr ? a >> b : static_cast<uint64_t>(value >> b) & Mask(width);
  return {result, flags.exact && ((a >> b) << b) != a};
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
      assert(op == BinaryOp::kMul);
      exact = sa * sb;
      unsigned_wrap = ua * ub > Mask(width);
      break;
  }
  const uint64_t result = static_cast<uint64_t>(exact) & Mask(width);
  return {result, (flags.nuw && unsigned_wrap) || (flags.nsw && Signed(result, width) != exact)};
}

static IntegerResult Divide(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
  assert(FaultOfDivision(op, width, a, b) == DivisionFault::kNone);
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

IntegerResult EvaluateInteger(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b) {
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

bool ChoosesFirst(Intrinsic intrinsic, int width, uint64_t a, uint64_t b) {
  switch (intrinsic) {
    case Intrinsic::kSMin:
      return IntegerHolds(Predicate::kISlt, width, a, b);
    case Intrinsic::kSMax:
      return IntegerHolds(Predicate::kISgt, width, a, b);
    case Intrinsic::kUMin:
      return IntegerHolds(Predicate::kIUlt, width, a, b);
    default:
      assert(intrinsic == Intrinsic::kUMax);
      return IntegerHolds(Predicate::kIUgt, width, a, b);
  }
}

}  // namespace quern::verifier
