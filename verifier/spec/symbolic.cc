#include "verifier/spec/symbolic.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

static constexpr Type kTruth = {Type::kInt, 1, 1};
static constexpr Type kFloat32 = {Type::kFloat, 32, 1};

Type SymbolicAlgebra::TypeOf(ElementType element) {
  return element == ElementType::kBool ? kTruth : TermTable::TypeOf(element);
}

absl::Status SymbolicAlgebra::TooLarge() {
  return absl::ResourceExhaustedError("an index of the module is too large");
}

absl::Status SymbolicAlgebra::Unsupported(const SpecNode& node, const std::string& why) {
  return absl::UnimplementedError(absl::StrCat(node.where, ": ", why));
}

absl::StatusOr<Affine> SymbolicAlgebra::Add(Affine a, Affine b) {
  const std::optional<Affine> sum = affine_.Add(a, b);
  return sum.has_value() ? absl::StatusOr<Affine>(*sum) : TooLarge();
}

absl::StatusOr<Affine> SymbolicAlgebra::Multiply(Affine a, int64_t b) {
  const std::optional<Affine> product = affine_.Scale(a, b);
  return product.has_value() ? absl::StatusOr<Affine>(*product) : TooLarge();
}

absl::StatusOr<Affine> SymbolicAlgebra::Divide(Affine a, int64_t b) {
  if (b == 0) return Number(0);  // in an empty tensor, which has no elements to ask for
  const auto division = affine_.Divide(a, b);
  if (!division.has_value()) return absl::OutOfRangeError("an index is not affine");
  return division->quotient;
}

absl::StatusOr<Affine> SymbolicAlgebra::Remainder(Affine a, int64_t b) {
  if (b == 0) return Number(0);
  const auto division = affine_.Divide(a, b);
  if (!division.has_value()) return absl::OutOfRangeError("an index is not affine");
  return division->remainder;
}

Value SymbolicAlgebra::Make(BinaryOp op, const Type& type, Value a, Value b) {
  return terms_.Apply(
      {.family = Op::kBinary, .code = static_cast<uint8_t>(op), .type = type, .from = {}}, {a, b});
}

Value SymbolicAlgebra::Make(Intrinsic op, const Type& type, absl::Span<const Value> args) {
  return terms_.Apply(
      {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(op), .type = type, .from = {}}, args);
}

Value SymbolicAlgebra::Make(CastOp op, const Type& from, const Type& to, Value x) {
  return terms_.Apply(
      {.family = Op::kCast, .code = static_cast<uint8_t>(op), .type = to, .from = from}, {x});
}

Value SymbolicAlgebra::Float(const Type& type, double value) {
  return TermTable::Bits(type, FromDouble(type.kind, value));
}

Value SymbolicAlgebra::Call(const char* name, ElementType element, absl::Span<const Value> args) {
  Values wide;
  for (const Value& arg : args) wide.push_back(Convert(element, ElementType::kF32, arg));
  const Value result = terms_.Apply(
      {.family = Op::kCall, .type = kFloat32, .from = {}, .name = terms_.Name(name)}, wide);
  return Convert(ElementType::kF32, element, result);
}

absl::StatusOr<Value> SymbolicAlgebra::Argument(const SpecNode& node, Affine offset) {
  const Value leaf = terms_.MakeLeaf(node.number, offset);
  if (node.type.element != ElementType::kBool) return leaf;
  return Make(CastOp::kTrunc, TermTable::TypeOf(ElementType::kBool), kTruth, leaf);
}

absl::StatusOr<Value> SymbolicAlgebra::Constant(const SpecNode& node, Affine offset) {
  if (!offset.is_constant()) {
    return Unsupported(node, "a constant that is no splat, at an index that is not one number");
  }
  const Scalar value = Load(*node.constant, offset.constant);
  const Type type = TypeOf(node.type.element);
  if (IsFloat(node.type.element)) return Float(type, value.number);
  return TermTable::Bits(type, static_cast<uint64_t>(int64_t{value.integer}));
}

absl::StatusOr<Value> SymbolicAlgebra::Iota(const SpecNode& node, Affine coordinate) {
  const std::optional<Interval> range = affine_.Bounds(coordinate);
  if (!range.has_value() || range->high > std::numeric_limits<int32_t>::max()) return TooLarge();
  return Convert(ElementType::kI32, node.type.element, TermTable::Integer(coordinate));
}

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
  if (from == ElementType::kBool) {
    return Make(IsFloat(to) ? CastOp::kUIToFP : CastOp::kZExt, source, target, x);
  }
  if (IsFloat(from) && IsFloat(to)) {
    return Make(source.bits < target.bits ? CastOp::kFPExt : CastOp::kFPTrunc, source, target, x);
  }
  return Make(IsFloat(from) ? CastOp::kFPToSI : CastOp::kSIToFP, source, target, x);
}

absl::StatusOr<Value> SymbolicAlgebra::Compare(const SpecNode& node, ElementType element,
                                               const Values& x) {
  if (node.total_order) return Unsupported(node, "a total order is not supported by the prover");
  const bool floating = IsFloat(element), truth = element == ElementType::kBool;
  Predicate predicate = Predicate::kEq;
  switch (node.comparison) {
    case Comparison::kEq:
      predicate = floating ? Predicate::kOeq : Predicate::kEq;
      break;
    case Comparison::kNe:
      predicate = floating ? Predicate::kUne : Predicate::kNe;
      break;
    case Comparison::kGe:
      predicate = floating ? Predicate::kOge : truth ? Predicate::kIUge : Predicate::kISge;
      break;
    case Comparison::kGt:
      predicate = floating ? Predicate::kOgt : truth ? Predicate::kIUgt : Predicate::kISgt;
      break;
    case Comparison::kLe:
      predicate = floating ? Predicate::kOle : truth ? Predicate::kIUle : Predicate::kISle;
      break;
    case Comparison::kLt:
      predicate = floating ? Predicate::kOlt : truth ? Predicate::kIUlt : Predicate::kISlt;
      break;
  }
  return terms_.Apply({.family = Op::kCompare,
                       .code = static_cast<uint8_t>(predicate),
                       .type = kTruth,
                       .from = TypeOf(element)},
                      x);
}

absl::StatusOr<Value> SymbolicAlgebra::ApplyFloat(const SpecNode& node, ElementType element,
                                                  const Values& x) {
  const Type type = TypeOf(element);
  const auto compare = [&](Predicate predicate, Value a, Value b) {
    return terms_.Apply({.family = Op::kCompare,
                         .code = static_cast<uint8_t>(predicate),
                         .type = kTruth,
                         .from = type},
                        {a, b});
  };
  const auto select = [&](Value c, Value a, Value b) {
    return terms_.Apply({.family = Op::kSelect, .type = type, .from = {}}, {c, a, b});
  };
  const auto negate = [&](const Type& of, Value a) {
    return terms_.Apply({.family = Op::kNegate, .type = of, .from = {}}, {a});
  };
  switch (node.op) {
    case SpecOp::kAbs:
      return Make(Intrinsic::kFAbs, type, x);
    case SpecOp::kAdd:
      return Make(BinaryOp::kFAdd, type, x[0], x[1]);
    case SpecOp::kCeil:
      return Make(Intrinsic::kCeil, type, x);
    case SpecOp::kClamp:
      return Make(Intrinsic::kMinimum, type, {Make(Intrinsic::kMaximum, type, {x[1], x[0]}), x[2]});
    case SpecOp::kCosine:
      return Call("cosf", element, x);
    case SpecOp::kDivide:
      return Make(BinaryOp::kFDiv, type, x[0], x[1]);
    case SpecOp::kExponential:
      return Call("expf", element, x);
    case SpecOp::kExponentialMinusOne:
      return Call("expm1f", element, x);
    case SpecOp::kFloor:
      return Make(Intrinsic::kFloor, type, x);
    case SpecOp::kIsFinite:
      return compare(Predicate::kOlt, Make(Intrinsic::kFAbs, type, x),
                     Float(type, std::numeric_limits<double>::infinity()));
    case SpecOp::kLog:
      return Call("logf", element, x);
    case SpecOp::kLogPlusOne:
      return Call("log1pf", element, x);
    case SpecOp::kLogistic: {
      const Value wide = Convert(element, ElementType::kF32, x[0]);
      const Value power = Call("expf", ElementType::kF32, {negate(kFloat32, wide)});
      const Value one = Float(kFloat32, 1);
      const Value sum = Make(BinaryOp::kFAdd, kFloat32, one, power);
      return Convert(ElementType::kF32, element, Make(BinaryOp::kFDiv, kFloat32, one, sum));
    }
    case SpecOp::kMaximum:
      return Make(Intrinsic::kMaximum, type, x);
    case SpecOp::kMinimum:
      return Make(Intrinsic::kMinimum, type, x);
    case SpecOp::kMultiply:
      return Make(BinaryOp::kFMul, type, x[0], x[1]);
    case SpecOp::kNegate:
      return negate(type, x[0]);
    case SpecOp::kPower:
      return Call("powf", element, x);
    case SpecOp::kRemainder:
      return Make(BinaryOp::kFRem, type, x[0], x[1]);
    case SpecOp::kRsqrt: {
      const Value wide = Convert(element, ElementType::kF32, x[0]);
      const Value root = Make(Intrinsic::kSqrt, kFloat32, {wide});
      return Convert(ElementType::kF32, element,
                     Make(BinaryOp::kFDiv, kFloat32, Float(kFloat32, 1), root));
    }
    case SpecOp::kSign: {
      const Value zero = Float(type, 0);
      const Value rest = select(compare(Predicate::kOlt, x[0], zero), Float(type, -1), x[0]);
      return select(compare(Predicate::kOgt, x[0], zero), Float(type, 1), rest);
    }
    case SpecOp::kSine:
      return Call("sinf", element, x);
    case SpecOp::kSqrt:
      return Make(Intrinsic::kSqrt, type, x);
    case SpecOp::kSubtract:
      return Make(BinaryOp::kFSub, type, x[0], x[1]);
    case SpecOp::kTanh:
      return Call("tanhf", element, x);
    default:
      return Unsupported(node, "is not supported by the prover on floats");
  }
}

absl::StatusOr<Value> SymbolicAlgebra::ApplyInteger(const SpecNode& node, ElementType element,
                                                    const Values& x) {
  const Type type = TypeOf(element);
  const bool truth = element == ElementType::kBool;
  const Value all = TermTable::Bits(type, ~uint64_t{0});
  switch (node.op) {
    case SpecOp::kAbs:
      return Make(Intrinsic::kAbs, type, {x[0], TermTable::Bits(kTruth, 0)});
    case SpecOp::kAdd:
      return Make(truth ? BinaryOp::kOr : BinaryOp::kAdd, type, x[0], x[1]);
    case SpecOp::kAnd:
      return Make(BinaryOp::kAnd, type, x[0], x[1]);
    case SpecOp::kClamp:
      return Make(truth ? Intrinsic::kUMin : Intrinsic::kSMin, type,
                  {Make(truth ? Intrinsic::kUMax : Intrinsic::kSMax, type, {x[1], x[0]}), x[2]});
    case SpecOp::kDivide:
      return Make(BinaryOp::kSDiv, type, x[0], x[1]);
    case SpecOp::kMaximum:
      if (truth) return Make(BinaryOp::kOr, type, x[0], x[1]);
      return Make(Intrinsic::kSMax, type, x);
    case SpecOp::kMinimum:
      if (truth) return Make(BinaryOp::kAnd, type, x[0], x[1]);
      return Make(Intrinsic::kSMin, type, x);
    case SpecOp::kMultiply:
      return Make(truth ? BinaryOp::kAnd : BinaryOp::kMul, type, x[0], x[1]);
    case SpecOp::kNegate:
      return Make(BinaryOp::kSub, type, TermTable::Bits(type, 0), x[0]);
    case SpecOp::kNot:
      return Make(BinaryOp::kXor, type, x[0], all);
    case SpecOp::kOr:
      return Make(BinaryOp::kOr, type, x[0], x[1]);
    case SpecOp::kRemainder:
      return Make(BinaryOp::kSRem, type, x[0], x[1]);
    case SpecOp::kSubtract:
      return Make(BinaryOp::kSub, type, x[0], x[1]);
    case SpecOp::kXor:
      return Make(BinaryOp::kXor, type, x[0], x[1]);
    default:
      return Unsupported(node, "is not supported by the prover on integers");
  }
}

absl::StatusOr<Value> SymbolicAlgebra::Apply(const SpecNode& node, ElementType element,
                                             const Values& operands) {
  switch (node.op) {
    case SpecOp::kSelect:
      return terms_.Apply({.family = Op::kSelect, .type = TypeOf(element), .from = {}}, operands);
    case SpecOp::kConvert:
      return Convert(element, node.type.element, operands[0]);
    case SpecOp::kCompare:
      return Compare(node, element, operands);
    default:
      return IsFloat(element) ? ApplyFloat(node, element, operands)
                              : ApplyInteger(node, element, operands);
  }
}

}  // namespace quern::verifier
