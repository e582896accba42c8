// What is known of integers of the inputs: enough to see that sums of narrow products do not wrap.
#include <algorithm>

#include "verifier/machine/integer_bits.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

using Wide = __int128;
struct WideInterval {
  Wide low = 0;
  Wide high = 0;
};

static WideInterval Product(const WideInterval& a, const WideInterval& b) {
  const Wide corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

static Interval TypeRange(const Type& type) {
  if (type.bits == 1) return {0, 1};
  const int64_t greatest = SignedMax(type.bits);
  return {-greatest - 1, greatest};
}

// The exact result if the type holds it, else any number of the type.
static Interval Within(const Type& type, const WideInterval& exact) {
  const Interval all = TypeRange(type);
  if (exact.low < all.low || exact.high > all.high) return all;
  return {static_cast<int64_t>(exact.low), static_cast<int64_t>(exact.high)};
}

// Whether `condition` holds wherever `v` is `bits`: it is that comparison, or a disjunction with
// it.
bool TermTable::HoldsWhere(Value condition, Value v, const Type& type, uint64_t bits) const {
  if (condition.kind != Value::kTerm) return false;
  const Term& term = terms_[condition.id];
  if (term.op.family == Op::kBinary && static_cast<BinaryOp>(term.op.code) == BinaryOp::kOr) {
    return HoldsWhere(term.args[0], v, type, bits) || HoldsWhere(term.args[1], v, type, bits);
  }
  if (term.op.family != Op::kCompare || term.op.from != type) return false;
  if (static_cast<Predicate>(term.op.code) != Predicate::kEq) return false;
  return (term.args[0] == v && ConstantBits(type, term.args[1]) == bits) ||
         (term.args[1] == v && ConstantBits(type, term.args[0]) == bits);
}

bool TermTable::NeverIs(Value v, const Type& type, uint64_t bits) const {
  if (const std::optional<uint64_t> known = ConstantBits(type, v)) return *known != bits;
  if (v.kind != Value::kTerm || terms_[v.id].op.family != Op::kSelect) return false;
  const Term& select = terms_[v.id];
  return NeverIs(select.args[1], type, bits) &&
         (NeverIs(select.args[2], type, bits) ||
          HoldsWhere(select.args[0], select.args[2], type, bits));
}

Interval TermTable::RangeOf(Value v, const Type& type) const {
  static constexpr int kMaxWalked = 256;
  const Interval all = TypeRange(type);
  if (type.kind != Type::kInt) return all;
  if (v.kind == Value::kInt) {
    const std::optional<Interval> bounds = affine_->Bounds(AffineOf(v));
    const bool inside = bounds.has_value() && bounds->low >= all.low && bounds->high <= all.high;
    return inside ? *bounds : all;
  }
  const std::optional<Type> own = TypeOf(v);
  if (!own.has_value() || *own != type || Size(v) > kMaxWalked) return all;
  const auto wide = [this, &type](Value x) -> WideInterval {
    const Interval range = RangeOf(x, type);
    return {range.low, range.high};
  };
  if (v.kind == Value::kRun) {
    const Run& run = runs_[v.id];
    const bool sum = run.op.family == Op::kBinary &&
                     static_cast<BinaryOp>(run.op.code) == BinaryOp::kAdd && run.count == 1;
    Wide steps = v.payload;
    for (int64_t extent : run.inner) {
      steps *= extent;
      if (steps > INT32_MAX) return all;
    }
    if (!sum || steps > INT32_MAX) return all;
    const WideInterval first = wide(run.init), each = wide(run.elements[0]);
    const WideInterval most = {first.low + std::min<Wide>(0, steps * each.low),
                               first.high + std::max<Wide>(0, steps * each.high)};
    return Within(type, most);  // of all the sums on the way, too
  }
  if (v.kind != Value::kTerm) return all;
  const Term& term = terms_[v.id];
  if (term.op.family == Op::kCast) {
    const Interval inner = RangeOf(term.args[0], term.op.from);
    const CastOp cast = static_cast<CastOp>(term.op.code);
    if (cast == CastOp::kSExt && term.op.from.bits > 1) return inner;
    if (cast == CastOp::kZExt) {
      if (inner.low >= 0) return inner;
      return {0, static_cast<int64_t>(Mask(term.op.from.bits))};  // narrower than the type
    }
    if (cast == CastOp::kTrunc) return Within(type, {inner.low, inner.high});
    return all;
  }
  if (term.op.family == Op::kIntrinsic) {
    // At most a constant that is not negative, as an unsigned number.
    if (static_cast<Intrinsic>(term.op.code) != Intrinsic::kUMin) return all;
    for (int i = 0; i < term.count; ++i) {
      const Interval most = RangeOf(term.args[i], type);
      if (most.low >= 0) return {0, most.high};
    }
    return all;
  }
  if (term.op.family != Op::kBinary) return all;
  const WideInterval a = wide(term.args[0]), b = wide(term.args[1]);
  switch (static_cast<BinaryOp>(term.op.code)) {
    case BinaryOp::kAdd:
      return Within(type, {a.low + b.low, a.high + b.high});
    case BinaryOp::kSub:
      return Within(type, {a.low - b.high, a.high - b.low});
    case BinaryOp::kMul:
      return Within(type, Product(a, b));
    default:
      return all;
  }
}

}  // namespace quern::verifier
