#include "verifier/real/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/real/function_names.h"

namespace quern::verifier {

static constexpr int64_t kMaxSteps = int64_t{1} << 24;

// Units of rounding that a library function may be off by: 4 units in the last place.
static constexpr double kLibraryUnits = 8;

absl::StatusOr<Bound> Bounds::Named(const std::string& name, const Term& term) {
  const Type& type = term.op.type;
  std::vector<Bound> x;
  const bool passes = name == "max" || name == "min";
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
  if (name == "sqrt") return SquareRoot(type, x[0]);
  for (const auto& [step, f] : std::initializer_list<std::pair<const char*, double (*)(double)>>{
           {"floor", std::floor},
           {"ceil", std::ceil},
           {"trunc", std::trunc},
           {"round", std::round},
           {"roundeven", std::rint}}) {
    if (name != step) continue;
    steps_ |= x[0].error > 0;
    const RealInterval image{f(x[0].computed.low), f(x[0].computed.high)};
    return Bound{image, image, 0};
  }
  // On a CPU the intrinsics of these become calls of the C library.
  if (type.kind != Type::kFloat && type.kind != Type::kDouble) return NoRule(name);
  const RealInterval both = x.empty() ? RealInterval() : Hull(x[0].real, x[0].computed);
  const auto library = [&](const Bound& b) { return Rounded(type, b, kLibraryUnits); };
  const auto unit_range = [&](Bound b) {
    for (RealInterval* range : {&b.real, &b.computed}) *range = {-1, 1};
    return b;
  };
  if (name == "exp") return library(Increasing(std::exp, Up(std::exp(both.high)), x[0]));
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

static RealInterval IntegerRange(const Type& type) {
  if (type.bits == 1) return {0, 1};
  const double half = std::ldexp(1.0, type.bits - 1);
  return {-half, half};  // as signed
}

absl::StatusOr<Bound> Bounds::Cast(const Term& term) {
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
      steps_ |= x.error > 0;
      const bool is_signed = cast == CastOp::kFPToSISat;
      const double end = std::ldexp(1.0, op.type.bits - (is_signed ? 1 : 0));
      const double low = is_signed ? -end : 0;
      const RealInterval range{std::clamp(std::trunc(x.computed.low), low, end),
                               std::clamp(std::trunc(x.computed.high), low, end)};
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

bool Bounds::Fits(const Value& number, const Type& from, const Type& to, bool is_signed) {
  const absl::StatusOr<Bound> x = Finite(number, from);
  const double end = std::ldexp(1.0, to.bits - (is_signed ? 1 : 0));
  const double below = is_signed ? -end - 1 : -1;  // what is above truncates into the range
  return x.ok() && x->computed.low > below && x->computed.high < end;
}

absl::StatusOr<Bound> Bounds::OfTerm(const Term& term) {
  const Op& op = term.op;
  switch (op.family) {
    case Op::kBinary: {
      QUERN_ASSIGN_OR_RETURN(Bound a, Finite(term.args[0], op.type));
      QUERN_ASSIGN_OR_RETURN(Bound b, Finite(term.args[1], op.type));
      if (!op.type.is_float()) break;
      switch (static_cast<BinaryOp>(op.code)) {
        case BinaryOp::kFAdd:
          return Add(op.type, a, b);
        case BinaryOp::kFSub: {
          QUERN_ASSIGN_OR_RETURN(Bound difference, Add(op.type, a, Negate(b)));
          if (greatest_.IsAmong(term.args[0], term.args[1])) {
            for (RealInterval* range : {&difference.real, &difference.computed}) {
              range->high = std::min(range->high, 0.0);
            }
          }
          return difference;
        }
        case BinaryOp::kFMul:
          return Rounded(op.type, Product(a, b, term.args[0] == term.args[1]));
        case BinaryOp::kFDiv:
          return Divide(op.type, a, b);
        default:
          return NoRule(Name(static_cast<BinaryOp>(op.code)));
      }
    }
    case Op::kNegate: {
      QUERN_ASSIGN_OR_RETURN(Bound a, Finite(term.args[0], op.type));
      return Negate(a);
    }
    case Op::kCompare:
      for (int i = 0; i < 2; ++i) {
        // A comparison with an infinite constant is fine.
        QUERN_ASSIGN_OR_RETURN(const Bound compared, Any(term.args[i], op.from));
        steps_ |= compared.error > 0;
      }
      return Bound{{0, 1}, {0, 1}, 0};
    case Op::kCast:
      return Cast(term);
    case Op::kSelect: {
      QUERN_RETURN_IF_ERROR(Any(term.args[0], {Type::kInt, 1, 1}).status());
      QUERN_ASSIGN_OR_RETURN(Bound a, Any(term.args[1], op.type));
      QUERN_ASSIGN_OR_RETURN(Bound b, Any(term.args[2], op.type));
      return Bound{Hull(a.real, b.real), Hull(a.computed, b.computed), std::max(a.error, b.error)};
    }
    case Op::kHeld: {
      const auto found = held_.find(op.name);
      if (found == held_.end()) return NoRule("what a temporary holds");
      QUERN_ASSIGN_OR_RETURN(Bound a, Any(term.args[0], op.type));
      const double error = found->second;
      return Bound{a.real, {Down(a.real.low - error), Up(a.real.high + error)}, error};
    }
    case Op::kCall:
      return Named(RealFunctionOf(terms_.name(op.name)), term);
    case Op::kIntrinsic:
      if (!op.type.is_float()) {
        for (int i = 0; i < term.count; ++i) {
          QUERN_RETURN_IF_ERROR(Any(term.args[i], op.type).status());
        }
        break;
      }
      return Named(RealFunctionOf(static_cast<Intrinsic>(op.code)), term);
  }
  return Bound{IntegerRange(op.type), IntegerRange(op.type), 0};
}

absl::StatusOr<Bound> Bounds::OfRun(const Run& run, int64_t length) {
  const Type& type = run.op.type;
  const bool intrinsic = run.op.family == Op::kIntrinsic;
  const std::string name =
      intrinsic && type.is_float() ? RealFunctionOf(static_cast<Intrinsic>(run.op.code)) : "";
  const bool passes = name == "max" || name == "min";
  QUERN_ASSIGN_OR_RETURN(const Bound init, passes ? Any(run.init, type) : Finite(run.init, type));
  Bound sum = init;
  Bound x[2];
  greatest_.Enter(run, length);
  absl::Status inside;
  for (int i = 0; i < run.count && inside.ok(); ++i) {
    absl::StatusOr<Bound> element =
        passes ? Any(run.elements[i], type) : Finite(run.elements[i], type);
    inside = element.status();
    if (element.ok()) x[i] = *element;
  }
  greatest_.Leave(run);
  QUERN_RETURN_IF_ERROR(inside);
  if (!type.is_float()) return Bound{IntegerRange(type), IntegerRange(type), 0};
  if (name == "max") return Max(sum, x[0]);
  if (name == "min") return Min(sum, x[0]);
  int64_t steps = length;
  for (int64_t extent : run.inner) {
    if (__builtin_mul_overflow(steps, extent, &steps)) return NoRule("so long a sum");
  }
  if (steps > kMaxSteps) return NoRule("so long a sum");
  const bool fma = name == "fma";
  const auto code = static_cast<BinaryOp>(run.op.code);
  if (!fma && (intrinsic || (code != BinaryOp::kFAdd && code != BinaryOp::kFMul))) {
    return NoRule(terms_.ToString(run.elements[0]));
  }
  std::vector<double> key = {static_cast<double>(fma), static_cast<double>(code),
                             static_cast<double>(type.kind), static_cast<double>(steps)};
  for (const Bound* b : {&sum, &x[0], &x[1]}) {
    key.insert(key.end(), {b->real.low, b->real.high, b->computed.low, b->computed.high, b->error});
  }
  key.push_back(fma && run.elements[0] == run.elements[1]);
  const bool holds_one =
      init.real.low >= 0 && init.computed.low >= 0 && greatest_.HoldsExpOfZero(run, length);
  key.push_back(holds_one);
  if (auto found = folds_.find(key); found != folds_.end()) return found->second;
  const Bound product = fma ? Product(x[0], x[1], run.elements[0] == run.elements[1]) : x[0];
  for (int64_t i = 0; i < steps; ++i) {
    if (fma) {
      QUERN_ASSIGN_OR_RETURN(
          sum, Rounded(type, {Plus(sum.real, product.real), Plus(sum.computed, product.computed),
                              Up(sum.error + product.error)}));
    } else if (code == BinaryOp::kFAdd) {
      QUERN_ASSIGN_OR_RETURN(sum, Add(type, sum, product));
    } else {
      QUERN_ASSIGN_OR_RETURN(sum, Rounded(type, Product(sum, product, /*same=*/false)));
    }
  }
  if (holds_one) {
    // exp(0) as the library has it. Rounding to nearest adds nothing less than what is added, but
    // for what the others lack to 0.
    const double one = 1 - 2 * kLibraryUnits * FormatOf(type)->unit;
    const double lacks = 4 * static_cast<double>(steps) * std::min(x[0].computed.low, 0.0);
    sum.real.low = std::max(sum.real.low, 1.0);
    sum.computed.low = std::max(sum.computed.low, Down(one + lacks));
  }
  folds_.emplace(std::move(key), sum);
  return sum;
}

absl::StatusOr<Bound> Bounds::Compute(const Value& value, const Type& type) {
  if (value.kind == Value::kTerm) return OfTerm(Term(terms_.term(value)));
  return OfRun(Run(terms_.run(value)), value.payload);
}

absl::StatusOr<Bound> Bounds::Any(const Value& value, const Type& type) {
  switch (value.kind) {
    case Value::kInt: {
      const std::optional<uint64_t> bits = TermTable::ConstantBits(type, value);
      if (type.is_float()) {
        if (!bits.has_value()) return NoRule("an index as a float");
        const double number = ToDouble(type.kind, *bits);
        if (std::isnan(number)) return OutOfRange("a constant is NaN");
        return Bound{{number, number}, {number, number}, 0};
      }
      const auto range = terms_.affine().Bounds(TermTable::AffineOf(value));
      RealInterval interval = IntegerRange(type);
      if (range.has_value()) {
        interval = {Down(static_cast<double>(range->low)), Up(static_cast<double>(range->high))};
      }
      return Bound{interval, interval, 0};
    }
    case Value::kLeaf: {
      const int argument = terms_.leaf(value).argument;
      RealInterval range;
      const Type own = TermTable::TypeOf(terms_.argument_type(argument));
      if (own.is_float()) {
        range = boxes_[argument];
      } else if (terms_.argument_type(argument) == ElementType::kBool) {
        range = {0, 1};
      } else {
        range = IntegerRange(own);  // as terms know f8, too
      }
      return Bound{range, range, 0};
    }
    case Value::kTerm:
    case Value::kRun: {
      const std::pair<Value, int> place = {value,
                                           terms_.LevelAbove(value) == 0 ? 0 : greatest_.context()};
      if (auto found = memo_.find(place); found != memo_.end()) return found->second;
      if (depth_ >= TermTable::kMaxDepth) return NoRule("so deep a term");
      ++depth_;
      absl::StatusOr<Bound> bound = Compute(value, type);
      --depth_;
      if (bound.ok()) memo_.emplace(place, *bound);
      return bound;
    }
    default:
      return NoRule(terms_.ToString(value));
  }
}

absl::StatusOr<Bound> Bounds::Finite(const Value& value, const Type& type) {
  QUERN_ASSIGN_OR_RETURN(Bound bound, Any(value, type));
  for (double number :
       {bound.real.low, bound.real.high, bound.computed.low, bound.computed.high, bound.error}) {
    if (!std::isfinite(number)) return OutOfRange("a value may be infinite");
  }
  return bound;
}

absl::StatusOr<Bound> Bounds::Of(const Value& value, const Type& type) {
  depth_ = 0;
  return Finite(value, type);
}

}  // namespace quern::verifier
