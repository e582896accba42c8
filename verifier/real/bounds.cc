#include "verifier/real/bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/real/function_names.h"

namespace quern::verifier {

static constexpr int64_t kMaxSteps = int64_t{1} << 24;

bool Bounds::Fits(const Value& number, const Type& from, const Type& to, bool is_signed) {
  const absl::StatusOr<Bound> x = Finite(number, from);
  const double end = std::ldexp(1.0, to.bits - (is_signed ? 1 : 0));
  const double below = is_signed ? -end - 1 : -1;  // what is above truncates into the range
  return x.ok() && x->computed.low > below && x->computed.high < end;
}

bool Bounds::IsAtMost(const Value& a, const Value& b) {
  if (greatest_.IsAmong(a, b)) return true;
  if (b.kind != Value::kTerm || terms_.term(b).op.family != Op::kHeld) return false;
  // What nothing rounds is held as the number that it is.
  const Term term = terms_.term(b);
  const auto held = held_.find(term.op.name);
  if (held == held_.end() || held->second.error != 0) return false;
  const absl::StatusOr<Bound> exact = Any(term.args[0], term.op.type);
  return exact.ok() && exact->error == 0 && greatest_.IsAmong(a, term.args[0]);
}

void Bounds::LearnRange(const Value& value, const Type& type, Bound* bound) {
  static constexpr size_t kMaxKnown = 64;
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& d) { return d.value == value; });
  if (found != known_.end()) return;
  const RealInterval range = Hull(bound->real, bound->computed);
  if (range.low > 0 || range.high < 0) {
    if (known_.size() < kMaxKnown) known_.push_back({value, type, bound->real, {}});
    return;
  }
  if (normaliser_ == nullptr || known_.empty()) return;
  const absl::StatusOr<Form> form = normaliser_->Normalise(value, type);
  if (!form.ok()) return;
  for (Known& other : known_) {
    if (!other.form.has_value()) {
      absl::StatusOr<Form> equal = normaliser_->Normalise(other.value, other.type);
      other.form = equal.ok() ? *std::move(equal) : Form{.modulus = -1, .boxes = {}};
    }
    if (!(*other.form == *form)) continue;
    // One number, so in both ranges.
    bound->real.low = std::max(bound->real.low, other.range.low);
    bound->real.high = std::min(bound->real.high, other.range.high);
    bound->computed.low = std::max(bound->computed.low, Down(bound->real.low - bound->error));
    bound->computed.high = std::min(bound->computed.high, Up(bound->real.high + bound->error));
    return;
  }
}

absl::StatusOr<double> Bounds::LeastAddend(std::optional<Value> scale, const Type& type) {
  if (!scale.has_value()) return 0;
  QUERN_ASSIGN_OR_RETURN(const Bound s, Finite(*scale, type));
  return std::clamp(std::min(s.real.low, s.computed.low), 0.0, 1.0);
}

void Bounds::Raise(double least, double lacks, const Type& type, Bound* sum) {
  if (least < 0x1p-10) return;  // far from subnormal in all formats
  // exp(0) as the library has it, or a product with it. Rounding to nearest adds nothing less than
  // what is added, but for what the other addends lack to 0.
  const double rounded = least * (1 - 4 * kLibraryUnits * FormatOf(type)->unit);
  sum->real.low = std::max(sum->real.low, least);
  sum->computed.low = std::max(sum->computed.low, Down(rounded + lacks));
}

absl::StatusOr<Bound> Bounds::OfSum(const Term& term) {
  QUERN_ASSIGN_OR_RETURN(Bound sum, OfTerm(term));
  const std::optional<Value> scale = greatest_.Rescaled(term);
  if (!scale.has_value()) return sum;
  const Type& type = term.op.type;
  QUERN_ASSIGN_OR_RETURN(const double least, LeastAddend(scale, type));
  double lacks = 0;
  for (int i = 0; i < term.count; ++i) {
    QUERN_ASSIGN_OR_RETURN(const Bound part, Finite(term.args[i], type));
    lacks += 4 * std::min(part.computed.low, 0.0);
  }
  Raise(least, lacks, type, &sum);
  return sum;
}

absl::StatusOr<Bound> Bounds::OfRun(const Run& run, int64_t length) {
  const Type& type = run.op.type;
  const bool passes = Passes(run);
  QUERN_ASSIGN_OR_RETURN(const Bound init, passes ? Any(run.init, type) : Finite(run.init, type));
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
  // More steps change nothing.
  if (!type.is_float() || passes) return Step(run, init, x);
  int64_t steps = length;
  for (int64_t extent : run.inner) {
    if (__builtin_mul_overflow(steps, extent, &steps)) return NoRule("so long a sum");
  }
  if (steps > kMaxSteps) return NoRule("so long a sum");
  double least = 0;
  if (init.real.low >= 0) {
    QUERN_ASSIGN_OR_RETURN(least, LeastAddend(greatest_.Rescaled(run, length), type));
    if (greatest_.HoldsExpOfZero(run, length)) least = 1;
  }
  std::vector<double> key = {static_cast<double>(run.op.family), static_cast<double>(run.op.code),
                             static_cast<double>(type.kind), static_cast<double>(steps), least};
  for (const Bound* b : {&init, &std::as_const(x[0]), &std::as_const(x[1])}) {
    key.insert(key.end(), {b->real.low, b->real.high, b->computed.low, b->computed.high, b->error});
  }
  key.push_back(run.count == 2 && run.elements[0] == run.elements[1]);
  if (auto found = folds_.find(key); found != folds_.end()) return found->second;
  Bound sum = init;
  for (int64_t i = 0; i < steps; ++i) {
    QUERN_ASSIGN_OR_RETURN(sum, Step(run, sum, x));
  }
  const double lacks = 4 * (static_cast<double>(steps) * std::min(x[0].computed.low, 0.0) +
                            std::min(init.computed.low, 0.0));
  Raise(least, lacks, type, &sum);
  folds_.emplace(std::move(key), sum);
  return sum;
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
      absl::StatusOr<Bound> bound = value.kind == Value::kTerm
                                        ? OfSum(Term(terms_.term(value)))
                                        : OfRun(Run(terms_.run(value)), value.payload);
      --depth_;
      if (bound.ok()) memo_.emplace(place, *bound);
      return bound;
    }
    default:
      return NoRule(terms_.ToString(value));
  }
}

}  // namespace quern::verifier
