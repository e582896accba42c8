// The integer operations of ConcreteDomain.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "verifier/machine/concrete.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/machine/integer_ops.h"

namespace quern::verifier {

void ConcreteDomain::IntegerBinary(BinaryOp op, BinaryFlags flags, const Type& type,
                                   const Register& a, const Register& b, Register* out) {
  const int width = type.bits;
  const bool divides = op >= BinaryOp::kUDiv && op <= BinaryOp::kSRem;
  if (divides && !Defined(type, b, "a divisor")) return;
  const uint64_t least = uint64_t{1} << (width - 1);
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const bool poison = a.poison[i] != 0 || b.poison[i] != 0;
    // A poisoned dividend may be the least number.
    const uint64_t dividend = divides && a.poison[i] != 0 ? least : a.bits[i];
    switch (FaultOfDivision(op, width, dividend, b.bits[i])) {
      case DivisionFault::kByZero:
        return Fail(FaultKind::kDivide, "a division by zero");
      case DivisionFault::kOverflow:
        return Fail(FaultKind::kDivide, "a signed division overflows");
      case DivisionFault::kNone:
        break;
    }
    const IntegerResult result = EvaluateInteger(op, flags, width, dividend, b.bits[i]);
    out->bits[i] = result.bits;
    out->poison[i] = poison || result.poison;
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
    std::memcpy(image.data() + int64_t{i} * from_bytes, a.bits + i, from_bytes);
  }
  for (uint32_t i = 0; i < to.lanes; ++i) {
    out->bits[i] = 0;
    std::memcpy(out->bits + i, image.data() + int64_t{i} * to_bytes, to_bytes);
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
    out->bits[i] = ChoosesFirst(intrinsic, type.bits, x, y) ? x : y;
    out->poison[i] = args[0]->poison[i] | args[1]->poison[i];
  }
}

}  // namespace quern::verifier
