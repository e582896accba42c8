#include "verifier/symbolic/fold.h"

#include <initializer_list>

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

static bool IsBoolLeaf(const TermTable& terms, Value v) {
  return v.kind == Value::kLeaf &&
         terms.argument_type(terms.leaf(v).argument) == ElementType::kBool;
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
  if (IsBoolLeaf(terms, args[0])) truth = Truth(terms, args[0]);
  if (IsCast(terms, args[0], {CastOp::kZExt, CastOp::kSExt}) &&
      terms.term(args[0]).op.from.bits == 1) {
    truth = terms.term(args[0]).args[0];
  }
  if (!truth.has_value()) return std::nullopt;
  return predicate == Predicate::kNe ? *truth : Not(terms, *truth);
}

static std::optional<Value> FoldCast(TermTable& terms, const Op& op, Value arg) {
  const CastOp cast = static_cast<CastOp>(op.code);
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
  if (cast == CastOp::kZExt && op.type.bits == 8 && IsCast(terms, arg, {CastOp::kTrunc}) &&
      IsBoolLeaf(terms, terms.term(arg).args[0])) {
    return terms.term(arg).args[0];
  }
  return std::nullopt;
}

std::optional<Value> Fold(TermTable& terms, const Op& op, absl::Span<const Value> args) {
  switch (op.family) {
    case Op::kBinary:
      return FoldBinary(op, args);
    case Op::kCompare:
      return FoldCompare(terms, op, args);
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
