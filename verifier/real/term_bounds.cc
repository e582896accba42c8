#include "verifier/real/term_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/real/function_names.h"

namespace quern::verifier {

static bool IsFinite(const Bound& bound) {
  for (const double number :
       {bound.real.low, bound.real.high, bound.computed.low, bound.computed.high, bound.error}) {
    if (!std::isfinite(number)) return false;
  }
  return true;
}

// Nothing but one infinity.
static bool IsInfinity(const Bound& bound) {
  const double number = bound.real.low;
  return std::isinf(number) && bound.real.high == number && bound.computed.low == number &&
         bound.computed.high == number;
}

Bound TermBounds::Stepped(const Bound& x, double (*f)(double)) {
  const RealInterval both = Hull(x.real, x.computed);
  steps_ |= x.error > 0 && f(both.low) != f(both.high);
  const RealInterval image{f(x.computed.low), f(x.computed.high)};
  return {image, image, 0};
}

absl::StatusOr<Bound> TermBounds::Named(const std::string& name, const Term& term, double units) {
  const Type& type = term.op.type;
  std::vector<Bound> x;
  const bool passes = name == "max" || name == "min" || name == "exp";
  for (int i = 0; i < term.count; ++i) {
    QUERN_ASSIGN_OR_RETURN(Bound arg,
                           passes ? Any(term.args[i], type) : Finite(term.args[i], type));
    x.push_back(arg);
  }
  if (name == "max") return Max(x[0], x[1]);
  if (name == "min") return Min(x[0], x[1]);
  if (name == "abs") return Abs(x[0]);
  if (name == "fma") {
    Bound product = Product(x[0], x[1], term.args[0] == term.args[1]);
    return Rounded(type, {Plus(product.real, x[2].real), Plus(product.computed, x[2].computed),
                          Up(product.error + x[2].error)});
  }
  if (name == "sqrt" || name.starts_with("log")) LearnRange(term.args[0], type, &x[0]);
  if (name == "sqrt") return SquareRoot(type, x[0]);
  for (const auto& [step, f] : std::initializer_list<std::pair<const char*, double (*)(double)>>{
           {"floor", std::floor},
           {"ceil", std::ceil},
           {"trunc", std::trunc},
           {"round", std::round},
           {"roundeven", std::rint}}) {
    if (name == step) return Stepped(x[0], f);
  }
  // On a CPU the intrinsics of these become calls of the C library.
  if (type.kind != Type::kFloat && type.kind != Type::kDouble) return NoRule(name);
  const RealInterval both = x.empty() ? RealInterval() : Hull(x[0].real, x[0].computed);
  const auto library = [&](const Bound& b) { return Rounded(type, b, units); };
  const auto unit_range = [&](Bound b) {
    for (RealInterval* range : {&b.real, &b.computed}) *range = {-1, 1};
    return b;
  };
  if (name == "exp") {
    if (IsInfinity(x[0]) && x[0].real.low < 0) return Bound();  // exactly 0
    if (!IsFinite(x[0])) return OutOfRange("an exponent may be infinite");
    return library(Exp(x[0]));
  }
  if (name == "exp2") return library(Increasing(std::exp2, Up(std::exp2(both.high)), x[0]));
  if (name == "expm1") return library(Increasing(std::expm1, Up(std::exp(both.high)), x[0]));
  if (name == "tanh") return library(Increasing(std::tanh, 1, x[0]));
  if (name == "erf") return library(Increasing(std::erf, 1.2, x[0]));
  if (name == "atan") return library(Increasing(std::atan, 1, x[0]));
  if (name == "asinh") return library(Increasing(std::asinh, 1, x[0]));
  if (name == "sin" || name == "cos") return library(unit_range({{}, {}, x[0].error}));
  if (name == "log" || name == "log2" || name == "log10" || name == "log1p") {
    const double least = name == "log1p" ? Down(1 + both.low) : both.low;
    if (!(least > 0)) return OutOfRange("the argument of a logarithm may be zero or negative");
    // log2's slope is the steepest: 1 / (x ln 2) < 1.5 / x.
    const double slope = Up(1.5 / least);
    if (name == "log") return library(Increasing(std::log, slope, x[0]));
    if (name == "log2") return library(Increasing(std::log2, slope, x[0]));
    if (name == "log10") return library(Increasing(std::log10, slope, x[0]));
    return library(Increasing(std::log1p, slope, x[0]));
  }
  return NoRule(name);
}

RealInterval TermBounds::IntegerRange(const Type& type) {
  if (type.bits == 1) return {0, 1};
  const double half = std::ldexp(1.0, type.bits - 1);
  return {-half, half};  // as signed
}

absl::StatusOr<Bound> TermBounds::Binary(const Term& term) {
  const Op& op = term.op;
  QUERN_ASSIGN_OR_RETURN(Bound a, Any(term.args[0], op.type));
  QUERN_ASSIGN_OR_RETURN(Bound b, Any(term.args[1], op.type));
  if (!op.type.is_float()) return Bound{IntegerRange(op.type), IntegerRange(op.type), 0};
  // Infinity, as a constant, and a finite number.
  const auto code = static_cast<BinaryOp>(op.code);
  if (IsFinite(b) && IsInfinity(a) && (code == BinaryOp::kFAdd || code == BinaryOp::kFSub)) {
    return a;
  }
  if (IsFinite(a) && IsInfinity(b) && code == BinaryOp::kFAdd) return b;
  if (IsFinite(a) && IsInfinity(b) && code == BinaryOp::kFSub) return Negate(b);
  if (!IsFinite(a) || !IsFinite(b)) return OutOfRange("a value may be infinite");
  switch (code) {
    case BinaryOp::kFAdd:
      return Add(op.type, a, b);
    case BinaryOp::kFSub: {
      QUERN_ASSIGN_OR_RETURN(Bound difference, Add(op.type, a, Negate(b)));
      if (IsAtMost(term.args[0], term.args[1])) {
        for (RealInterval* range : {&difference.real, &difference.computed}) {
          range->high = std::min(range->high, 0.0);
        }
      }
      return difference;
    }
    case BinaryOp::kFMul:
      return Rounded(op.type, Product(a, b, term.args[0] == term.args[1]));
    case BinaryOp::kFDiv: {
      LearnRange(term.args[1], op.type, &b);
      absl::StatusOr<Bound> quotient = Divide(op.type, a, b);
      if (quotient.ok()) return quotient;
      return absl::Status(quotient.status().code(),
                          absl::StrCat(std::string(quotient.status().message()), ", dividing by ",
                                       terms_.ToString(term.args[1])));
    }
    default:
      return NoRule(Name(code));
  }
}

// What the predicate says of all numbers of two intervals, if one thing.
static std::optional<bool> Decide(Predicate predicate, const RealInterval& a,
                                  const RealInterval& b) {
  const bool below = a.high<b.low, above = a.low> b.high;
  const bool not_above = a.high <= b.low, not_below = a.low >= b.high;
  const auto choose = [](bool yes, bool no) {
    return yes || no ? std::optional<bool>(yes) : std::nullopt;
  };
  switch (predicate) {
    case Predicate::kOlt:
    case Predicate::kUlt:
    case Predicate::kISlt:
      return choose(below, not_below);
    case Predicate::kOle:
    case Predicate::kUle:
    case Predicate::kISle:
      return choose(not_above, above);
    case Predicate::kOgt:
    case Predicate::kUgt:
    case Predicate::kISgt:
      return choose(above, not_above);
    case Predicate::kOge:
    case Predicate::kUge:
    case Predicate::kISge:
      return choose(not_below, below);
    case Predicate::kOeq:
    case Predicate::kUeq:
    case Predicate::kEq:
      return choose(not_above && not_below, below || above);
    case Predicate::kOne:
    case Predicate::kUne:
    case Predicate::kNe:
      return choose(below || above, not_above && not_below);
    default:
      return std::nullopt;
  }
}

absl::StatusOr<Bound> TermBounds::Compare(const Term& term) {
  // A comparison with an infinite constant is fine.
  QUERN_ASSIGN_OR_RETURN(const Bound a, Any(term.args[0], term.op.from));
  QUERN_ASSIGN_OR_RETURN(const Bound b, Any(term.args[1], term.op.from));
  const RealInterval x = Hull(a.real, a.computed), y = Hull(b.real, b.computed);
  const Type& from = term.op.from;
  const auto is_number = [&](const RealInterval& range) {
    const RealInterval all = IntegerRange(from);
    return from.is_float() || (from.bits > 1 && range.low >= all.low && range.high < all.high);
  };
  const std::optional<bool> truth = is_number(x) && is_number(y)
                                        ? Decide(static_cast<Predicate>(term.op.code), x, y)
                                        : std::nullopt;
  if (truth.has_value()) {
    const double number = *truth ? 1 : 0;
    return Bound{{number, number}, {number, number}, 0};
  }
  steps_ |= a.error > 0 || b.error > 0;
  return Bound{{0, 1}, {0, 1}, 0};
}

absl::StatusOr<Bound> TermBounds::Select(const Term& term) {
  QUERN_ASSIGN_OR_RETURN(const Bound condition, Any(term.args[0], {Type::kInt, 1, 1}));
  const Type& type = term.op.type;
  if (condition.real.low > 0) return Any(term.args[1], type);
  if (condition.real.high == 0) return Any(term.args[2], type);
  QUERN_ASSIGN_OR_RETURN(const Bound a, Any(term.args[1], type));
  QUERN_ASSIGN_OR_RETURN(const Bound b, Any(term.args[2], type));
  return Bound{Hull(a.real, b.real), Hull(a.computed, b.computed), std::max(a.error, b.error),
               std::max(Floor(a), Floor(b)), std::max(Relative(a), Relative(b))};
}

absl::StatusOr<Bound> TermBounds::Cast(const Term& term) {
  const Op& op = term.op;
  const auto cast = static_cast<CastOp>(op.code);
  QUERN_ASSIGN_OR_RETURN(Bound x, Finite(term.args[0], op.from));
  switch (cast) {
    case CastOp::kFPExt:
      return x;
    case CastOp::kFPTrunc:
      return Rounded(op.type, x);
    case CastOp::kSIToFP:
    case CastOp::kUIToFP:
      if (cast == CastOp::kSIToFP && op.from.bits == 1) x = Negate(x);  // true is -1
      if (cast == CastOp::kUIToFP && x.real.low < 0) {
        const double all = std::ldexp(1.0, op.from.bits);
        x = {{0, all}, {0, all}, 0};
      }
      if (Magnitude(x.real) * FormatOf(op.type)->unit <= 0.5) return x;  // exact
      return Rounded(op.type, x, 1, /*tiny=*/false);
    case CastOp::kFPToSI:
    case CastOp::kFPToUI:
      return OutOfRange("a conversion to an integer may be out of range");
    case CastOp::kFPToSISat:
    case CastOp::kFPToUISat: {
      x = Stepped(x, std::trunc);
      const bool is_signed = cast == CastOp::kFPToSISat;
      const double end = std::ldexp(1.0, op.type.bits - (is_signed ? 1 : 0));
      const double low = is_signed ? -end : 0;
      const RealInterval range{std::clamp(x.computed.low, low, end),
                               std::clamp(x.computed.high, low, end)};
      return Bound{range, range, 0};
    }
    case CastOp::kBitcast:
      steps_ |= x.error > 0;
      if (op.type.is_float()) return NoRule("the bits of an integer as a float");
      return Bound{IntegerRange(op.type), IntegerRange(op.type), 0};
    case CastOp::kZExt: {
      // A truth or a byte that is one; else as of any integer.
      const bool truth = op.from.bits == 1;
      const RealInterval range = truth ? RealInterval{0, 1} : IntegerRange(op.type);
      return Bound{range, range, 0};
    }
    default:
      return Bound{IntegerRange(op.type), IntegerRange(op.type), 0};
  }
}

absl::StatusOr<Bound> TermBounds::OfTerm(const Term& term) {
  const Op& op = term.op;
  switch (op.family) {
    case Op::kBinary:
      return Binary(term);
    case Op::kNegate: {
      QUERN_ASSIGN_OR_RETURN(Bound a, Finite(term.args[0], op.type));
      return Negate(a);
    }
    case Op::kCompare:
      return Compare(term);
    case Op::kCast:
      return Cast(term);
    case Op::kSelect:
      return Select(term);
    case Op::kHeld: {
      const auto found = held_.find(op.name);
      if (found == held_.end()) return NoRule("what a temporary holds");
      QUERN_ASSIGN_OR_RETURN(Bound a, Any(term.args[0], op.type));
      const Held& held = found->second;
      return Bound{a.real,
                   {Down(a.real.low - held.error), Up(a.real.high + held.error)},
                   held.error,
                   held.floor,
                   held.relative};
    }
    case Op::kCarried:
      return NoRule("what a loop carries");
    case Op::kCall:
      return Named(RealFunctionOf(terms_.name(op.name)), term, UnitsOf(terms_.name(op.name)));
    case Op::kIntrinsic:
      if (!op.type.is_float()) {
        for (int i = 0; i < term.count; ++i) {
          QUERN_RETURN_IF_ERROR(Any(term.args[i], op.type).status());
        }
        break;
      }
      return Named(RealFunctionOf(static_cast<Intrinsic>(op.code)), term, kLibraryUnits);
  }
  return Bound{IntegerRange(op.type), IntegerRange(op.type), 0};
}

static std::string NameOf(const Run& run) {
  const bool function = run.op.family == Op::kIntrinsic && run.op.type.is_float();
  return function ? RealFunctionOf(static_cast<Intrinsic>(run.op.code)) : "";
}

bool TermBounds::Passes(const Run& run) const {
  const std::string name = NameOf(run);
  return name == "max" || name == "min";
}

absl::StatusOr<Bound> TermBounds::Step(const Run& run, const Bound& sum,
                                       absl::Span<const Bound> elements) {
  const Type& type = run.op.type;
  if (!type.is_float()) return Bound{IntegerRange(type), IntegerRange(type), 0};
  const std::string name = NameOf(run);
  if (name == "max") return Max(sum, elements[0]);
  if (name == "min") return Min(sum, elements[0]);
  if (name == "fma") {
    const Bound product = Product(elements[0], elements[1], run.elements[0] == run.elements[1]);
    return Rounded(type, {Plus(sum.real, product.real), Plus(sum.computed, product.computed),
                          Up(sum.error + product.error)});
  }
  if (run.op.family == Op::kBinary) {
    const auto code = static_cast<BinaryOp>(run.op.code);
    if (code == BinaryOp::kFAdd) return Add(type, sum, elements[0]);
    if (code == BinaryOp::kFMul) return Rounded(type, Product(sum, elements[0], /*same=*/false));
  }
  return NoRule(terms_.ToString(run.elements[0]));
}

absl::StatusOr<Bound> TermBounds::Finite(const Value& value, const Type& type) {
  QUERN_ASSIGN_OR_RETURN(Bound bound, Any(value, type));
  if (!IsFinite(bound)) return OutOfRange("a value may be infinite");
  return bound;
}

absl::StatusOr<Bound> TermBounds::Of(const Value& value, const Type& type) {
  return Finite(value, type);
}

}  // namespace quern::verifier
