// Floats as terms.
#include <limits>

#include "verifier/spec/scalar.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

static constexpr Type kTruth = {Type::kInt, 1, 1};

Value SymbolicAlgebra::Call(const SpecNode& node, const std::string& name, ElementType element,
                            absl::Span<const Value> args) {
  const ElementType wide = SumType(element);
  Values wider;
  for (const Value& arg : args) wider.push_back(Convert(element, wide, arg));
  std::string symbol = wide == ElementType::kF64 ? name : name + "f";
  if (node.mathlib && wide == ElementType::kF32) symbol = "quern_" + name + "_f32";
  const Value result = terms_.Apply(
      {.family = Op::kCall, .type = TypeOf(wide), .from = {}, .name = terms_.Name(symbol)}, wider);
  return Convert(wide, element, result);
}

// Only what a rounding to another type and back is: with the exponents of f32, bf16 is.
absl::StatusOr<Value> SymbolicAlgebra::ReducePrecision(const SpecNode& node, ElementType element,
                                                       Value x) {
  const Type type = TypeOf(element);
  const bool single = element == ElementType::kF32 && node.exponent_bits >= 8;
  const bool brief = element == ElementType::kBF16 && node.exponent_bits >= 8;
  if (single && node.mantissa_bits == 7) {
    const Type narrow = TypeOf(ElementType::kBF16);
    return Make(CastOp::kFPExt, narrow, type, Make(CastOp::kFPTrunc, type, narrow, x));
  }
  if ((single && node.mantissa_bits >= 23) || (brief && node.mantissa_bits >= 7)) return x;
  return Unsupported(node, "this precision has no term");
}

absl::StatusOr<Value> SymbolicAlgebra::ApplyFloat(const SpecNode& node, ElementType element,
                                                  const Values& x) {
  const Type type = TypeOf(element);
  const ElementType wide = SumType(element);
  const Type wide_type = TypeOf(wide);
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
      return Call(node, "cos", element, x);
    case SpecOp::kDivide:
      return Make(BinaryOp::kFDiv, type, x[0], x[1]);
    case SpecOp::kExponential:
      return Call(node, "exp", element, x);
    case SpecOp::kExponentialMinusOne:
      return Call(node, "expm1", element, x);
    case SpecOp::kFloor:
      return Make(Intrinsic::kFloor, type, x);
    case SpecOp::kIsFinite:
      return compare(Predicate::kOlt, Make(Intrinsic::kFAbs, type, x),
                     Float(type, std::numeric_limits<double>::infinity()));
    case SpecOp::kLog:
      return Call(node, "log", element, x);
    case SpecOp::kLogPlusOne:
      return Call(node, "log1p", element, x);
    case SpecOp::kLogistic: {
      const Value power =
          Call(node, "exp", wide, {negate(wide_type, Convert(element, wide, x[0]))});
      const Value one = Float(wide_type, 1);
      const Value sum = Make(BinaryOp::kFAdd, wide_type, one, power);
      return Convert(wide, element, Make(BinaryOp::kFDiv, wide_type, one, sum));
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
      return Call(node, "pow", element, x);
    case SpecOp::kRemainder:
      return Make(BinaryOp::kFRem, type, x[0], x[1]);
    case SpecOp::kRsqrt: {
      const Value root = Make(Intrinsic::kSqrt, wide_type, {Convert(element, wide, x[0])});
      return Convert(wide, element, Make(BinaryOp::kFDiv, wide_type, Float(wide_type, 1), root));
    }
    case SpecOp::kSign: {
      const Value zero = Float(type, 0);
      const Value rest = select(compare(Predicate::kOlt, x[0], zero), Float(type, -1), x[0]);
      return select(compare(Predicate::kOgt, x[0], zero), Float(type, 1), rest);
    }
    case SpecOp::kSine:
      return Call(node, "sin", element, x);
    case SpecOp::kSqrt:
      return Make(Intrinsic::kSqrt, type, x);
    case SpecOp::kSubtract:
      return Make(BinaryOp::kFSub, type, x[0], x[1]);
    case SpecOp::kTanh:
      return Call(node, "tanh", element, x);
    case SpecOp::kAcos:
      return Call(node, "acos", element, x);
    case SpecOp::kAcosh:
      return Call(node, "acosh", element, x);
    case SpecOp::kAsin:
      return Call(node, "asin", element, x);
    case SpecOp::kAsinh:
      return Call(node, "asinh", element, x);
    case SpecOp::kAtan:
      return Call(node, "atan", element, x);
    case SpecOp::kAtan2:
      return Call(node, "atan2", element, x);
    case SpecOp::kAtanh:
      return Call(node, "atanh", element, x);
    case SpecOp::kCbrt:
      return Call(node, "cbrt", element, x);
    case SpecOp::kCosh:
      return Call(node, "cosh", element, x);
    case SpecOp::kErf:
      return Call(node, "erf", element, x);
    case SpecOp::kErfc:
      return Call(node, "erfc", element, x);
    case SpecOp::kSinh:
      return Call(node, "sinh", element, x);
    case SpecOp::kTan:
      return Call(node, "tan", element, x);
    case SpecOp::kReducePrecision:
      return ReducePrecision(node, element, x[0]);
    case SpecOp::kRound:
      return Make(Intrinsic::kRound, type, x);
    case SpecOp::kRoundEven:
      return Make(Intrinsic::kRoundEven, type, x);
    default:
      return Unsupported(node, "is not supported by the prover on floats");
  }
}

}  // namespace quern::verifier
