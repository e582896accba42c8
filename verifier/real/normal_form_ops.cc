// The operations of which normal forms know more than that they are functions.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/real/function_names.h"
#include "verifier/real/normal_form.h"

namespace quern::verifier {

absl::StatusOr<Form> Normaliser::Binary(const Value& value, const Counters& counters) {
  const Op op = terms_.term(value).op;
  const auto code = static_cast<BinaryOp>(op.code);
  const int n = static_cast<int>(counters.size());
  if (code == BinaryOp::kFRem) return Function("fmod", value, /*continuous=*/false, counters);
  QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
  QUERN_ASSIGN_OR_RETURN(Form b, Operand(value, 1, counters));
  switch (code) {
    case BinaryOp::kAdd:
    case BinaryOp::kFAdd:
      return forms_.Add(a, b, n);
    case BinaryOp::kSub:
    case BinaryOp::kFSub: {
      QUERN_ASSIGN_OR_RETURN(b, forms_.Scale(b, Coefficient(-1)));
      return forms_.Add(a, b, n);
    }
    case BinaryOp::kMul:
    case BinaryOp::kFMul:
      return forms_.Multiply(a, b, n);
    case BinaryOp::kFDiv: {
      QUERN_ASSIGN_OR_RETURN(b, forms_.Invert(b, n));
      return forms_.Multiply(a, b, n);
    }
    case BinaryOp::kShl: {
      const auto bits = TermTable::ConstantBits(op.type, terms_.term(value).args[1]);
      if (!bits.has_value() || *bits >= op.type.bits || *bits > 62) break;
      return forms_.Scale(a, Coefficient(int64_t{1} << *bits));
    }
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return forms_.Set(absl::StrCat(Name(code), op.type.bits), a, b, n);
    case BinaryOp::kXor:
      // In one order. The key is all that the order needs.
      if (counters.empty() && forms_.ToString(b) < forms_.ToString(a)) std::swap(a, b);
      break;
    default:
      break;
  }
  return forms_.Function(absl::StrCat(Name(code), op.type.bits), Modulus(op.type), {a, b}, n);
}

// Each predicate as one of "eq", "ne", "lt" and "le" of floats that are not NaN; whether the
// operands swap.
static std::pair<std::string, bool> RealPredicate(Predicate predicate) {
  switch (predicate) {
    case Predicate::kOeq:
    case Predicate::kUeq:
      return {"eq", false};
    case Predicate::kOne:
    case Predicate::kUne:
      return {"ne", false};
    case Predicate::kOgt:
    case Predicate::kUgt:
      return {"lt", true};
    case Predicate::kOge:
    case Predicate::kUge:
      return {"le", true};
    case Predicate::kOlt:
    case Predicate::kUlt:
      return {"lt", false};
    case Predicate::kOle:
    case Predicate::kUle:
      return {"le", false};
    default:
      return {"", false};
  }
}

absl::StatusOr<Form> Normaliser::Compare(const Value& value, const Counters& counters) {
  const Op op = terms_.term(value).op;
  const auto predicate = static_cast<Predicate>(op.code);
  std::string name = absl::StrCat(Name(predicate), op.from.bits);
  bool swap = false;
  if (op.from.is_float()) {
    if (predicate == Predicate::kFFalse || predicate == Predicate::kUno) {
      return forms_.Constant(1, Coefficient(0));
    }
    if (predicate == Predicate::kFTrue || predicate == Predicate::kOrd) {
      return forms_.Constant(1, Coefficient(1));
    }
    std::tie(name, swap) = RealPredicate(predicate);
  } else if (op.from.kind != Type::kInt) {
    return Unsupported("a comparison of addresses");
  }
  QUERN_ASSIGN_OR_RETURN(Form a, ExactOperand(value, 0, counters));
  QUERN_ASSIGN_OR_RETURN(Form b, ExactOperand(value, 1, counters));
  if (swap) std::swap(a, b);
  return forms_.Function(name, 1, {a, b}, static_cast<int>(counters.size()));
}

absl::StatusOr<Form> Normaliser::Cast(const Value& value, const Counters& counters) {
  const Term term = terms_.term(value);
  const Op& op = term.op;
  const auto cast = static_cast<CastOp>(op.code);
  const std::string key = absl::StrCat(Name(cast), " ", Name(op.from), " ", Name(op.type));
  switch (cast) {
    case CastOp::kFPExt:
    case CastOp::kFPTrunc:
      return Operand(value, 0, counters);
    case CastOp::kSIToFP:
    case CastOp::kUIToFP: {
      // The integer itself; its own width decides where it wraps.
      const Value arg = term.args[0];
      if (arg.kind == Value::kInt) {
        const Affine affine = TermTable::AffineOf(arg);
        const std::optional<Interval> range = affine.is_constant()
                                                  ? Interval{affine.constant, affine.constant}
                                                  : terms_.affine().Bounds(affine);
        const int64_t half = int64_t{1} << std::max(op.from.bits - 2, 0);  // of the range
        const bool is_signed = cast == CastOp::kSIToFP;
        if (range.has_value() && op.from.bits > 1 && range->high / 2 < half &&
            range->low >= (is_signed ? -half * 2 : 0)) {
          return forms_.Index(0, affine, counters);
        }
      }
      return Function(absl::StrCat("number ", Name(cast), " ", Name(op.from)), value,
                      /*continuous=*/true, counters);
    }
    case CastOp::kFPToSI:
    case CastOp::kFPToUI:
    case CastOp::kFPToSISat:
    case CastOp::kFPToUISat:
      return Function(key, value, /*continuous=*/false, counters);
    case CastOp::kBitcast:
      // Also the sign of a zero is in the bits of a float.
      if (op.from.is_float()) {
        QUERN_ASSIGN_OR_RETURN(Form bits, OpaqueOf(term.args[0], op.from, counters));
        return forms_.Function(key, Modulus(op.type), {bits}, static_cast<int>(counters.size()));
      }
      return Function(key, value, /*continuous=*/true, counters);
    default:
      return Function(key, value, /*continuous=*/true, counters);
  }
}

absl::StatusOr<Form> Normaliser::Select(const Value& value, const Counters& counters) {
  const Term term = terms_.term(value);
  const int n = static_cast<int>(counters.size());
  QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 1, counters));
  QUERN_ASSIGN_OR_RETURN(Form b, Operand(value, 2, counters));
  if (a == b) return a;
  const Value condition = term.args[0];
  if (term.op.type.is_float() && condition.kind == Value::kTerm &&
      terms_.term(condition).op.family == Op::kCompare) {
    const Term compare = terms_.term(condition);
    const auto [name, swap] = RealPredicate(static_cast<Predicate>(compare.op.code));
    if (compare.op.from == term.op.type && (name == "lt" || name == "le")) {
      const Value low = compare.args[swap ? 1 : 0], high = compare.args[swap ? 0 : 1];
      // low < high ? high : low; equal terms, or equal numbers where one is a zero.
      const auto same = [&](const Value& x, const Value& y) {
        if (x == y) return true;
        const auto p = TermTable::ConstantBits(term.op.type, x);
        const auto q = TermTable::ConstantBits(term.op.type, y);
        return p.has_value() && q.has_value() &&
               ToDouble(term.op.type.kind, *p) == ToDouble(term.op.type.kind, *q);
      };
      if (same(term.args[1], high) && same(term.args[2], low)) return forms_.Max(a, b, n);
      if (same(term.args[1], low) && same(term.args[2], high)) return forms_.Min(a, b, n);
      // x < 0 ? -x : x, and x < 0 ? x : -x.
      const bool below = low.kind != Value::kInt;
      const Value zero = below ? high : low, x = below ? low : high;
      const auto is_negation = [&](const Value& y) {
        return y.kind == Value::kTerm && terms_.term(y).op.family == Op::kNegate &&
               terms_.term(y).args[0] == x;
      };
      const auto bits = TermTable::ConstantBits(term.op.type, zero);
      if (bits.has_value() && ToDouble(term.op.type.kind, *bits) == 0) {
        const Value when_negative = term.args[below ? 1 : 2];
        const Value when_positive = term.args[below ? 2 : 1];
        if (is_negation(when_negative) && when_positive == x) return forms_.Max(a, b, n);
        if (is_negation(when_positive) && when_negative == x) return forms_.Min(a, b, n);
      }
    }
  }
  QUERN_ASSIGN_OR_RETURN(Form c, Operand(value, 0, counters));
  if (const auto known = forms_.AsConstant(c)) return known->is_zero() ? b : a;
  return forms_.Function("select", Modulus(term.op.type), {c, a, b}, n);
}

absl::StatusOr<Form> Normaliser::Named(const std::string& name, const Value& value,
                                       const Counters& counters) {
  const Term term = terms_.term(value);
  const int n = static_cast<int>(counters.size());
  if (!term.op.type.is_float()) {
    // Integers: all are functions.
    const auto intrinsic = static_cast<Intrinsic>(term.op.code);
    const std::string key = absl::StrCat(Name(intrinsic), term.op.type.bits);
    if (term.op.family == Op::kCall) return Unsupported(terms_.ToString(value));
    switch (intrinsic) {
      case Intrinsic::kSMin:
      case Intrinsic::kSMax:
      case Intrinsic::kUMin:
      case Intrinsic::kUMax: {
        QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
        QUERN_ASSIGN_OR_RETURN(Form b, Operand(value, 1, counters));
        return forms_.Set(key, a, b, n);
      }
      default:
        return Function(key, value, /*continuous=*/true, counters);
    }
  }
  if (name.empty()) return Unsupported(terms_.ToString(value));
  if (name == "fma") {
    QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
    QUERN_ASSIGN_OR_RETURN(Form b, Operand(value, 1, counters));
    QUERN_ASSIGN_OR_RETURN(Form c, Operand(value, 2, counters));
    QUERN_ASSIGN_OR_RETURN(a, forms_.Multiply(a, b, n));
    return forms_.Add(a, c, n);
  }
  if (name == "abs") {
    QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
    QUERN_ASSIGN_OR_RETURN(Form b, forms_.Scale(a, Coefficient(-1)));
    return forms_.Max(a, b, n);
  }
  if (name == "max" || name == "min") {
    QUERN_ASSIGN_OR_RETURN(Form a, Operand(value, 0, counters));
    QUERN_ASSIGN_OR_RETURN(Form b, Operand(value, 1, counters));
    return name == "max" ? forms_.Max(a, b, n) : forms_.Min(a, b, n);
  }
  if (name == "exp") {
    QUERN_ASSIGN_OR_RETURN(const Form a, Operand(value, 0, counters));
    if (a == forms_.Infinity(/*negative=*/true)) return forms_.Constant(0, Coefficient(0));
  }
  if (name == "copysign") {  // of a zero, too
    std::vector<Form> arguments;
    for (int i = 0; i < term.count; ++i) {
      QUERN_ASSIGN_OR_RETURN(Form argument, OpaqueOf(term.args[i], term.op.type, counters));
      arguments.push_back(std::move(argument));
    }
    return forms_.Function(name, 0, arguments, n);
  }
  return Function(name, value, IsContinuous(name), counters);
}

}  // namespace quern::verifier
