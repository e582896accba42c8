#include "verifier/symbolic/fold.h"

#include <array>
#include <initializer_list>

#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/machine/integer_ops.h"

namespace quern::verifier {

static std::optional<Value> FoldBinary(const Op& op, absl::Span<const Value> args) {
  if (op.type.kind != Type::kInt) return std::nullopt;
  const BinaryOp code = static_cast<BinaryOp>(op.code);
  const std::optional<uint64_t> a = TermTable::ConstantBits(op.type, args[0]);
  const std::optional<uint64_t> b = TermTable::ConstantBits(op.type, args[1]);
  if (a.has_value() && b.has_value()) {
    if (FaultOfDivision(code, op.type.bits, *a, *b) != DivisionFault::kNone) return std::nullopt;
    const IntegerResult result = EvaluateInteger(code, {}, op.type.bits, *a, *b);
    if (result.poison) return std::nullopt;
    return TermTable::Bits(op.type, result.bits);
  }
  const uint64_t ones = Mask(op.type.bits);
  for (const int i : {0, 1}) {
    const std::optional<uint64_t> constant = i == 0 ? a : b;
    if (!constant.has_value()) continue;
    const Value other = args[1 - i];
    if (code == BinaryOp::kAnd && *constant == ones) return other;
    if (code == BinaryOp::kAnd && *constant == 0) return args[i];
    if (code == BinaryOp::kOr && *constant == ones) return args[i];
    if (code == BinaryOp::kOr && *constant == 0) return other;
    if (code == BinaryOp::kXor && *constant == 0) return other;
    if (code == BinaryOp::kAdd && *constant == 0) return other;
    if (code == BinaryOp::kMul && *constant == 1) return other;
  }
  return std::nullopt;
}

// What an input's byte holds that has fewer bits than it; nothing if it is another value.
static std::optional<ElementType> HeldByByte(const TermTable& terms, Value v) {
  if (v.kind != Value::kLeaf) return std::nullopt;
  const ElementType element = terms.argument_type(terms.leaf(v).argument);
  return BitWidth(element) < 8 ? std::optional(element) : std::nullopt;
}

static bool IsCast(const TermTable& terms, Value v, std::initializer_list<CastOp> casts) {
  if (v.kind != Value::kTerm || terms.term(v).op.family != Op::kCast) return false;
  for (CastOp cast : casts) {
    if (static_cast<CastOp>(terms.term(v).op.code) == cast) return true;
  }
  return false;
}

static Value Truth(TermTable& terms, Value byte) {
  return terms.Apply({.family = Op::kCast,
                      .code = static_cast<uint8_t>(CastOp::kTrunc),
                      .type = {Type::kInt, 1, 1},
                      .from = {Type::kInt, 8, 1}},
                     {byte});
}

static Value Not(TermTable& terms, Value truth) {
  const Type type = {Type::kInt, 1, 1};
  return terms.Apply(
      {.family = Op::kBinary, .code = static_cast<uint8_t>(BinaryOp::kXor), .type = type},
      {truth, TermTable::Bits(type, 1)});
}

// A comparison of indices that their ranges decide, where neither wraps.
static std::optional<bool> Decide(AffineTable& affine, Predicate predicate, int width, Value a,
                                  Value b) {
  if (width == 1 || a.kind != Value::kInt || b.kind != Value::kInt) return std::nullopt;
  const int64_t greatest = static_cast<int64_t>(Mask(width - 1));
  const bool is_unsigned = predicate == Predicate::kIUgt || predicate == Predicate::kIUge ||
                           predicate == Predicate::kIUlt || predicate == Predicate::kIUle;
  const int64_t least = is_unsigned ? 0 : -greatest - 1;
  for (const Value& value : {a, b}) {
    const std::optional<Interval> range = affine.Bounds(TermTable::AffineOf(value));
    if (!range || range->low < least || range->high > greatest) return std::nullopt;
  }
  const std::optional<Affine> difference =
      affine.Subtract(TermTable::AffineOf(a), TermTable::AffineOf(b));
  const std::optional<Interval> range =
      difference ? affine.Bounds(*difference) : std::optional<Interval>();
  if (!range) return std::nullopt;
  const auto holds = [&](int64_t at) {  // of a difference with this sign
    return IntegerHolds(predicate, 64, static_cast<uint64_t>(at < 0 ? 0 : at > 0 ? 2 : 1), 1);
  };
  const bool at_low = holds(range->low), at_high = holds(range->high);
  if (at_low != at_high) return std::nullopt;
  if (range->low < 0 && range->high > 0 && holds(0) != at_low) return std::nullopt;
  return at_low;
}

static std::optional<Value> FoldCompare(TermTable& terms, const Op& op,
                                        absl::Span<const Value> args) {
  const Predicate predicate = static_cast<Predicate>(op.code);
  if (op.from.kind != Type::kInt) return std::nullopt;
  const std::optional<uint64_t> a = TermTable::ConstantBits(op.from, args[0]);
  const std::optional<uint64_t> b = TermTable::ConstantBits(op.from, args[1]);
  if (a.has_value() && b.has_value()) {
    return TermTable::Bits({Type::kInt, 1, 1},
                           IntegerHolds(predicate, op.from.bits, *a, *b) ? 1 : 0);
  }
  if (const std::optional<bool> holds =
          Decide(terms.affine(), predicate, op.from.bits, args[0], args[1]);
      holds.has_value()) {
    return TermTable::Bits({Type::kInt, 1, 1}, *holds ? 1 : 0);
  }
  if (b != uint64_t{0} || (predicate != Predicate::kEq && predicate != Predicate::kNe)) {
    return std::nullopt;
  }
  std::optional<Value> truth;
  if (op.from.bits == 1) truth = args[0];
  if (HeldByByte(terms, args[0]) == ElementType::kBool) truth = Truth(terms, args[0]);
  if (IsCast(terms, args[0], {CastOp::kZExt, CastOp::kSExt}) &&
      terms.term(args[0]).op.from.bits == 1) {
    truth = terms.term(args[0]).args[0];
  }
  if (!truth.has_value()) return std::nullopt;
  return predicate == Predicate::kNe ? *truth : Not(terms, *truth);
}

// `v`, a float of type `wide`, as one of type `to` if it is one for all inputs: widened from there,
// a constant, or made of such by what rounds nothing. A NaN may become another NaN.
static std::optional<Value> Narrowed(TermTable& terms, const Type& wide, const Type& to, Value v,
                                     int depth = 0) {
  static constexpr int kMaxDepth = 16;
  if (const auto bits = TermTable::ConstantBits(wide, v)) {
    const double number = ToDouble(wide.kind, *bits);
    const uint64_t narrow = FromDouble(to.kind, number);
    if (ToDouble(to.kind, narrow) != number) return std::nullopt;
    return TermTable::Bits(to, narrow);
  }
  if (v.kind != Value::kTerm || depth == kMaxDepth) return std::nullopt;
  const Term term = terms.term(v);
  if (IsCast(terms, v, {CastOp::kFPExt})) {
    if (term.op.from == to) return term.args[0];
    return std::nullopt;
  }
  int first = 0;  // of what must be narrow
  switch (term.op.family) {
    case Op::kNegate:
      break;
    case Op::kSelect:
      first = 1;
      break;
    case Op::kIntrinsic:
      switch (static_cast<Intrinsic>(term.op.code)) {
        case Intrinsic::kFAbs:
        case Intrinsic::kMinimum:
        case Intrinsic::kMaximum:
        case Intrinsic::kFloor:
        case Intrinsic::kCeil:
        case Intrinsic::kTruncate:
        case Intrinsic::kRound:
        case Intrinsic::kRoundEven:
          break;
        default:
          return std::nullopt;
      }
      break;
    default:
      return std::nullopt;
  }
  std::array<Value, 3> args = term.args;
  for (int i = first; i < term.count; ++i) {
    const std::optional<Value> arg = Narrowed(terms, wide, to, args[i], depth + 1);
    if (!arg.has_value()) return std::nullopt;
    args[i] = *arg;
  }
  Op narrow = term.op;
  narrow.type = to;
  return terms.Apply(narrow, absl::MakeSpan(args.data(), term.count));
}

// A conversion of an integer to double, which holds it, and on to `op.type`, in one.
static std::optional<Value> RoundedOnce(TermTable& terms, const Op& op, Value arg) {
  if (op.from.kind != Type::kDouble || !IsCast(terms, arg, {CastOp::kSIToFP, CastOp::kUIToFP})) {
    return std::nullopt;
  }
  const Term term = terms.term(arg);
  const Value number = term.args[0];
  if (term.op.from.bits > 53) {
    const auto range = number.kind == Value::kInt
                           ? terms.affine().Bounds(TermTable::AffineOf(number))
                           : std::nullopt;
    constexpr int64_t kExact = int64_t{1} << 53;
    if (!range || range->low < -kExact || range->high > kExact) return std::nullopt;
  }
  Op direct = term.op;
  direct.type = op.type;
  return terms.Apply(direct, {number});
}

static std::optional<Value> FoldFloatCast(TermTable& terms, const Op& op, Value arg) {
  switch (static_cast<CastOp>(op.code)) {
    case CastOp::kFPTrunc:
      if (const auto once = RoundedOnce(terms, op, arg)) return once;
      if (arg.kind != Value::kTerm || IsCast(terms, arg, {CastOp::kFPExt})) return std::nullopt;
      return Narrowed(terms, op.from, op.type, arg);
    case CastOp::kFPToSI:
    case CastOp::kFPToUI:
    case CastOp::kFPToSISat:
    case CastOp::kFPToUISat: {
      Op direct = op;
      const bool is_signed = static_cast<CastOp>(op.code) == CastOp::kFPToSI;
      const bool plain = is_signed || static_cast<CastOp>(op.code) == CastOp::kFPToUI;
      if (plain && terms.Fits(arg, op.from, op.type, is_signed)) {
        direct.code = static_cast<uint8_t>(is_signed ? CastOp::kFPToSISat : CastOp::kFPToUISat);
        return terms.Apply(direct, {arg});
      }
      if (!IsCast(terms, arg, {CastOp::kFPExt})) return std::nullopt;
      direct.from = terms.term(arg).op.from;
      return terms.Apply(direct, {terms.term(arg).args[0]});
    }
    default:
      return std::nullopt;
  }
}

// Of floats widened from one type, there.
static std::optional<Value> FoldFloatCompare(TermTable& terms, const Op& op,
                                             absl::Span<const Value> args) {
  for (const Value& arg : args) {
    if (!IsCast(terms, arg, {CastOp::kFPExt})) continue;
    Op narrow = op;
    narrow.from = terms.term(arg).op.from;
    const auto a = Narrowed(terms, op.from, narrow.from, args[0]);
    const auto b = Narrowed(terms, op.from, narrow.from, args[1]);
    if (a.has_value() && b.has_value()) return terms.Apply(narrow, {*a, *b});
  }
  return std::nullopt;
}

static std::optional<Value> FoldCast(TermTable& terms, const Op& op, Value arg) {
  const CastOp cast = static_cast<CastOp>(op.code);
  if (op.from.is_float()) {
    if (const auto value = FoldFloatCast(terms, op, arg)) return value;
  }
  if (const std::optional<uint64_t> bits = TermTable::ConstantBits(op.from, arg);
      bits.has_value()) {
    switch (cast) {
      case CastOp::kTrunc:
      case CastOp::kZExt:
      case CastOp::kBitcast:
        return TermTable::Bits(op.type, *bits);
      case CastOp::kSExt:
        return TermTable::Bits(op.type, static_cast<uint64_t>(Signed(*bits, op.from.bits)));
      default:
        return std::nullopt;
    }
  }
  if (cast == CastOp::kBitcast) {
    if (terms.TypeOf(arg) == op.type || arg.kind == Value::kInt) return arg;
    if (!IsCast(terms, arg, {CastOp::kBitcast})) return std::nullopt;
    const Value inner = terms.term(arg).args[0];
    if (terms.TypeOf(inner) == op.type) return inner;
    Op direct = op;
    direct.from = terms.term(arg).op.from;
    return terms.Apply(direct, {inner});
  }
  if (cast == CastOp::kTrunc && IsCast(terms, arg, {CastOp::kZExt, CastOp::kSExt}) &&
      terms.term(arg).op.from == op.type) {
    return terms.term(arg).args[0];
  }
  // A byte that holds fewer bits, extended as it is.
  if (op.type.bits == 8 && IsCast(terms, arg, {CastOp::kTrunc})) {
    const Value byte = terms.term(arg).args[0];
    const std::optional<ElementType> held = HeldByByte(terms, byte);
    const CastOp extend = held == ElementType::kI4 ? CastOp::kSExt : CastOp::kZExt;
    if (held && cast == extend && op.from.bits == BitWidth(*held)) return byte;
  }
  return std::nullopt;
}

std::optional<Value> Fold(TermTable& terms, const Op& op, absl::Span<const Value> args) {
  switch (op.family) {
    case Op::kBinary:
      return FoldBinary(op, args);
    case Op::kCompare:
      return op.from.is_float() ? FoldFloatCompare(terms, op, args) : FoldCompare(terms, op, args);
    case Op::kCast:
      return FoldCast(terms, op, args[0]);
    case Op::kSelect:
      if (args[1] == args[2]) return args[1];
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace quern::verifier
