// Integers, comparisons and conversions as terms.
#include <algorithm>
#include <limits>
#include <optional>

#include "bundle/status.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/spec/scalar.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

static constexpr Type kTruth = {Type::kInt, 1, 1};

Value SymbolicAlgebra::Convert(ElementType from, ElementType to, Value x) {
  const Type source = TypeOf(from), target = TypeOf(to);
  if (from == to) return x;
  if (to == ElementType::kBool) {
    const auto predicate = IsFloat(from) ? Predicate::kUne : Predicate::kNe;
    return terms_.Apply({.family = Op::kCompare,
                         .code = static_cast<uint8_t>(predicate),
                         .type = kTruth,
                         .from = source},
                        {x, TermTable::Bits(source, 0)});
  }
  if (IsFloat(from) && IsFloat(to)) {
    if (source.bits == target.bits) {  // f16 and bf16: through what holds both
      const Type both = TypeOf(ElementType::kF32);
      return Make(CastOp::kFPTrunc, both, target, Make(CastOp::kFPExt, source, both, x));
    }
    return Make(source.bits < target.bits ? CastOp::kFPExt : CastOp::kFPTrunc, source, target, x);
  }
  const bool is_signed = IsSigned(IsFloat(from) ? to : from);
  if (IsFloat(from)) {
    return Make(is_signed ? CastOp::kFPToSISat : CastOp::kFPToUISat, source, target, x);
  }
  if (IsFloat(to)) {
    if (x.kind == Value::kInt && x.id != 0 && is_signed) {
      // As the wide integer that it is, which rounds the same.
      return Make(CastOp::kSIToFP, {Type::kInt, 64, 1}, target, x);
    }
    return Make(is_signed ? CastOp::kSIToFP : CastOp::kUIToFP, source, target, x);
  }
  if (source.bits == target.bits) return x;
  if (x.kind == Value::kInt && x.id != 0) {
    const std::optional<Interval> range = affine_.Bounds(TermTable::AffineOf(x));
    const int64_t greatest = SignedMax(std::min(source.bits, target.bits));
    if (range.has_value() && range->low >= 0 && range->high <= greatest) return x;
  }
  if (source.bits > target.bits) return Make(CastOp::kTrunc, source, target, x);
  return Make(is_signed ? CastOp::kSExt : CastOp::kZExt, source, target, x);
}

// Of numbers that are affine, as kernels see them; nullopt: others.
absl::StatusOr<std::optional<bool>> SymbolicAlgebra::CompareIndices(const SpecNode& node,
                                                                    ElementType element,
                                                                    const Values& x) {
  static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::optional<Affine> operands[2];
  for (int i : {0, 1}) {
    if (IsFloat(element) || x[i].kind != Value::kInt) return std::optional<bool>();
    const std::optional<Interval> range = affine_.Bounds(TermTable::AffineOf(x[i]));
    const int64_t greatest = SignedMax(TypeOf(element).bits);
    const int64_t least = IsSigned(element) ? -greatest - 1 : 0;
    const bool fits = range.has_value() && range->low >= least && range->high <= greatest;
    if (!fits) return std::optional<bool>();
    operands[i] = TermTable::AffineOf(x[i]);
  }
  const std::optional<Affine> difference = affine_.Subtract(*operands[0], *operands[1]);
  if (!difference.has_value()) return std::optional<bool>();
  int64_t low = kLeast, high = kMost;
  bool inside = true;
  switch (node.comparison) {
    case Comparison::kEq:
    case Comparison::kNe:
      low = high = 0;
      inside = node.comparison == Comparison::kEq;
      break;
    case Comparison::kGe:
      low = 0;
      break;
    case Comparison::kGt:
      low = 1;
      break;
    case Comparison::kLe:
      high = 0;
      break;
    case Comparison::kLt:
      high = -1;
      break;
  }
  QUERN_ASSIGN_OR_RETURN(const bool within, Within(*difference, low, high));
  return std::optional<bool>(within == inside);
}

// Sums, differences and multiples of affine numbers that do not wrap; nullopt: others.
std::optional<Value> SymbolicAlgebra::OfIndices(SpecOp op, ElementType element, const Values& x) {
  if (x.size() != 2 || x[0].kind != Value::kInt || x[1].kind != Value::kInt) return std::nullopt;
  if ((x[0].id == 0 && x[1].id == 0) || element == ElementType::kBool) return std::nullopt;
  const Affine a = TermTable::AffineOf(x[0]), b = TermTable::AffineOf(x[1]);
  const int64_t greatest = SignedMax(TypeOf(element).bits);
  const auto fits = [&](Affine number) {
    const std::optional<Interval> range = affine_.Bounds(number);
    const int64_t least = IsSigned(element) ? -greatest - 1 : 0;
    return range.has_value() && range->low >= least && range->high <= greatest;
  };
  if (!fits(a) || !fits(b)) return std::nullopt;
  std::optional<Affine> result;
  if (op == SpecOp::kAdd) result = affine_.Add(a, b);
  if (op == SpecOp::kSubtract) result = affine_.Subtract(a, b);
  if (op == SpecOp::kMultiply && b.is_constant()) result = affine_.Scale(a, b.constant);
  if (op == SpecOp::kMultiply && a.is_constant()) result = affine_.Scale(b, a.constant);
  if (!result.has_value() || !fits(*result)) return std::nullopt;
  return TermTable::Integer(*result);
}

absl::StatusOr<Value> SymbolicAlgebra::Compare(const SpecNode& node, ElementType element,
                                               const Values& x) {
  QUERN_ASSIGN_OR_RETURN(const std::optional<bool> known, CompareIndices(node, element, x));
  if (known.has_value()) return TermTable::Bits(kTruth, *known ? 1 : 0);
  if (node.total_order) return Unsupported(node, "a total order is not supported by the prover");
  const bool floating = IsFloat(element), is_signed = IsSigned(element);
  Predicate predicate = Predicate::kEq;
  switch (node.comparison) {
    case Comparison::kEq:
      predicate = floating ? Predicate::kOeq : Predicate::kEq;
      break;
    case Comparison::kNe:
      predicate = floating ? Predicate::kUne : Predicate::kNe;
      break;
    case Comparison::kGe:
      predicate = floating ? Predicate::kOge : is_signed ? Predicate::kISge : Predicate::kIUge;
      break;
    case Comparison::kGt:
      predicate = floating ? Predicate::kOgt : is_signed ? Predicate::kISgt : Predicate::kIUgt;
      break;
    case Comparison::kLe:
      predicate = floating ? Predicate::kOle : is_signed ? Predicate::kISle : Predicate::kIUle;
      break;
    case Comparison::kLt:
      predicate = floating ? Predicate::kOlt : is_signed ? Predicate::kISlt : Predicate::kIUlt;
      break;
  }
  return terms_.Apply({.family = Op::kCompare,
                       .code = static_cast<uint8_t>(predicate),
                       .type = kTruth,
                       .from = TypeOf(element)},
                      x);
}

// By the width or more, only the sign is left, or nothing. LLVM's shifts have no value there.
Value SymbolicAlgebra::Shift(SpecOp op, const Type& type, Value a, Value amount) {
  const bool arithmetic = op == SpecOp::kShiftRightArithmetic;
  const BinaryOp code = op == SpecOp::kShiftLeft ? BinaryOp::kShl
                        : arithmetic             ? BinaryOp::kAShr
                                                 : BinaryOp::kLShr;
  const auto last = static_cast<uint64_t>(type.bits - 1);
  const Value most = TermTable::Bits(type, last);
  const std::optional<uint64_t> known = TermTable::ConstantBits(type, amount);
  const Value by = known.has_value() ? (*known > last ? most : amount)
                                     : Make(Intrinsic::kUMin, type, {amount, most});
  if (arithmetic) return Make(code, type, a, by);
  const Value zero = TermTable::Bits(type, 0);
  const Value inside = terms_.Apply({.family = Op::kCompare,
                                     .code = static_cast<uint8_t>(Predicate::kIUle),
                                     .type = kTruth,
                                     .from = type},
                                    {amount, TermTable::Bits(type, last)});
  if (TermTable::ConstantBits(kTruth, inside) == uint64_t{0}) return zero;
  return terms_.Apply({.family = Op::kSelect, .type = type, .from = {}},
                      {inside, Make(code, type, a, by), zero});
}

// x / 0 is all ones and x % 0 is x; the least number divided by -1 wraps. LLVM's divisions have no
// value there.
Value SymbolicAlgebra::Quotient(bool remainder, bool is_signed, const Type& type, Value a,
                                Value b) {
  const BinaryOp code = is_signed ? (remainder ? BinaryOp::kSRem : BinaryOp::kSDiv)
                                  : (remainder ? BinaryOp::kURem : BinaryOp::kUDiv);
  const Value zero = TermTable::Bits(type, 0), one = TermTable::Bits(type, 1);
  const Value ones = TermTable::Bits(type, ~uint64_t{0});
  const auto equal = [&](Value x) {
    return terms_.Apply({.family = Op::kCompare,
                         .code = static_cast<uint8_t>(Predicate::kEq),
                         .type = kTruth,
                         .from = type},
                        {b, x});
  };
  const auto select = [&](Value c, Value then, Value otherwise) {
    if (const auto known = TermTable::ConstantBits(kTruth, c)) return *known ? then : otherwise;
    return terms_.Apply({.family = Op::kSelect, .type = type, .from = {}}, {c, then, otherwise});
  };
  const Value by_zero = equal(zero);
  if (!is_signed) {
    const Value quotient = Make(code, type, a, select(by_zero, one, b));
    return select(by_zero, remainder ? a : ones, quotient);
  }
  const Value by_minus_one = equal(ones);
  const Value unsafe = Make(BinaryOp::kOr, kTruth, by_zero, by_minus_one);
  const Value quotient = Make(code, type, a, select(unsafe, one, b));
  if (remainder) return select(by_zero, a, quotient);
  const Value negated = Make(BinaryOp::kSub, type, zero, a);
  return select(by_zero, ones, select(by_minus_one, negated, quotient));
}

Value SymbolicAlgebra::Sign(bool is_signed, const Type& type, Value a) {
  const Value zero = TermTable::Bits(type, 0), one = TermTable::Bits(type, 1);
  const auto where = [&](Predicate predicate, Value then, Value otherwise) {
    const Value holds = terms_.Apply({.family = Op::kCompare,
                                      .code = static_cast<uint8_t>(predicate),
                                      .type = kTruth,
                                      .from = type},
                                     {a, zero});
    return terms_.Apply({.family = Op::kSelect, .type = type, .from = {}},
                        {holds, then, otherwise});
  };
  if (!is_signed) return where(Predicate::kNe, one, zero);
  const Value negative = where(Predicate::kISlt, TermTable::Bits(type, ~uint64_t{0}), zero);
  return where(Predicate::kISgt, one, negative);
}

absl::StatusOr<Value> SymbolicAlgebra::ApplyInteger(const SpecNode& node, ElementType element,
                                                    const Values& x) {
  const Type type = TypeOf(element);
  const bool truth = element == ElementType::kBool;
  const Value all = TermTable::Bits(type, ~uint64_t{0});
  const bool is_signed = IsSigned(element);
  const Intrinsic least = is_signed ? Intrinsic::kSMin : Intrinsic::kUMin;
  const Intrinsic most = is_signed ? Intrinsic::kSMax : Intrinsic::kUMax;
  if (const std::optional<Value> affine = OfIndices(node.op, element, x)) return *affine;
  switch (node.op) {
    case SpecOp::kAbs:
      if (!is_signed) return x[0];
      return Make(Intrinsic::kAbs, type, {x[0], TermTable::Bits(kTruth, 0)});
    case SpecOp::kAdd:
      return Make(truth ? BinaryOp::kOr : BinaryOp::kAdd, type, x[0], x[1]);
    case SpecOp::kAnd:
      return Make(BinaryOp::kAnd, type, x[0], x[1]);
    case SpecOp::kClamp:
      return Make(least, type, {Make(most, type, {x[1], x[0]}), x[2]});
    case SpecOp::kDivide:
      return Quotient(/*remainder=*/false, is_signed, type, x[0], x[1]);
    case SpecOp::kMaximum:
      if (truth) return Make(BinaryOp::kOr, type, x[0], x[1]);
      return Make(most, type, x);
    case SpecOp::kMinimum:
      if (truth) return Make(BinaryOp::kAnd, type, x[0], x[1]);
      return Make(least, type, x);
    case SpecOp::kMultiply:
      return Make(truth ? BinaryOp::kAnd : BinaryOp::kMul, type, x[0], x[1]);
    case SpecOp::kNegate:
      return Make(BinaryOp::kSub, type, TermTable::Bits(type, 0), x[0]);
    case SpecOp::kNot:
      return Make(BinaryOp::kXor, type, x[0], all);
    case SpecOp::kOr:
      return Make(BinaryOp::kOr, type, x[0], x[1]);
    case SpecOp::kRemainder:
      return Quotient(/*remainder=*/true, is_signed, type, x[0], x[1]);
    case SpecOp::kShiftLeft:
    case SpecOp::kShiftRightArithmetic:
    case SpecOp::kShiftRightLogical:
      return Shift(node.op, type, x[0], x[1]);
    case SpecOp::kSign:
      return Sign(is_signed, type, x[0]);
    case SpecOp::kSubtract:
      return Make(BinaryOp::kSub, type, x[0], x[1]);
    case SpecOp::kXor:
      return Make(BinaryOp::kXor, type, x[0], x[1]);
    default:
      return Unsupported(node, "is not supported by the prover on integers");
  }
}

}  // namespace quern::verifier
