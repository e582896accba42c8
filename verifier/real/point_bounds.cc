#include "verifier/real/point_bounds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bundle/status.h"
#include "verifier/machine/float_bits.h"

namespace quern::verifier {

std::optional<int64_t> PointBounds::At(Affine affine) const {
  AffineTable& table = terms_.affine();
  int64_t sum = affine.constant;
  for (const Monomial& term : table.monomials(affine.linear)) {
    int64_t number = 0;
    if (const auto found = point_.symbols.find(term.symbol); found != point_.symbols.end()) {
      number = found->second;
    } else if (const AffineTable::Definition* quotient = table.definition(term.symbol)) {
      const std::optional<int64_t> dividend = At(quotient->dividend);
      if (!dividend.has_value()) return std::nullopt;
      number = *dividend / quotient->divisor - (*dividend % quotient->divisor < 0 ? 1 : 0);
    } else {
      return std::nullopt;
    }
    if (__builtin_mul_overflow(number, term.coefficient, &number) ||
        __builtin_add_overflow(sum, number, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

const std::vector<SymbolId>& PointBounds::Free(const Value& value) {
  if (const auto found = free_.find(value); found != free_.end()) return found->second;
  std::vector<SymbolId> counters;
  const auto add_affine = [&](Affine affine) {
    for (const Monomial& term : terms_.affine().monomials(affine.linear)) {
      if (terms_.affine().level(term.symbol) >= 0) counters.push_back(term.symbol);
    }
  };
  const auto add = [&](const Value& part) {
    const std::vector<SymbolId>& free = Free(part);
    counters.insert(counters.end(), free.begin(), free.end());
  };
  switch (value.kind) {
    case Value::kInt:
      add_affine(TermTable::AffineOf(value));
      break;
    case Value::kLeaf:
      add_affine(terms_.Element(value));
      break;
    case Value::kTerm: {
      const Term term = terms_.term(value);
      for (int i = 0; i < term.count; ++i) add(term.args[i]);
      break;
    }
    case Value::kRun: {
      const Run run = terms_.run(value);
      for (int i = 0; i < run.count; ++i) add(run.elements[i]);
      std::erase_if(counters, [&](SymbolId counter) {
        const int level = terms_.affine().level(counter) - run.level;
        return level >= 0 && level <= static_cast<int>(run.inner.size());
      });
      add(run.init);
      break;
    }
    default:
      break;
  }
  std::sort(counters.begin(), counters.end());
  counters.erase(std::unique(counters.begin(), counters.end()), counters.end());
  return free_[value] = std::move(counters);
}

absl::Status PointBounds::Add(const Run& run, int counter, int64_t extent, Bound* sum) {
  const int last = static_cast<int>(run.inner.size());
  // The outermost counter has the highest level; `inner` has the slowest first.
  const SymbolId symbol = terms_.affine().Counter(run.level + last - counter);
  absl::Status status;
  for (int64_t i = 0; i < extent && status.ok(); ++i) {
    point_.symbols[symbol] = i;
    if (counter < last) {
      status = Add(run, counter + 1, run.inner[counter], sum);
      continue;
    }
    Bound elements[2];
    for (int e = 0; e < run.count && status.ok(); ++e) {
      absl::StatusOr<Bound> element =
          Passes(run) ? Any(run.elements[e], run.op.type) : Finite(run.elements[e], run.op.type);
      status = element.status();
      if (element.ok()) elements[e] = *element;
    }
    if (!status.ok()) break;
    absl::StatusOr<Bound> next = Step(run, *sum, elements);
    status = next.status();
    if (next.ok()) *sum = *next;
  }
  point_.symbols.erase(symbol);
  return status;
}

absl::StatusOr<Bound> PointBounds::OfRun(const Run& run, int64_t length) {
  QUERN_ASSIGN_OR_RETURN(Bound sum,
                         Passes(run) ? Any(run.init, run.op.type) : Finite(run.init, run.op.type));
  QUERN_RETURN_IF_ERROR(Add(run, 0, length, &sum));
  return sum;
}

absl::StatusOr<Bound> PointBounds::OfLeaf(const Value& leaf) {
  const int argument = terms_.leaf(leaf).argument;
  const Type type = TermTable::TypeOf(terms_.argument_type(argument));
  // Bits that terms know as those of another type.
  if (!type.is_float() && IsFloat(terms_.argument_type(argument))) {
    return Bound{IntegerRange(type), IntegerRange(type), 0};
  }
  const std::optional<int64_t> at = At(terms_.Element(leaf));
  const std::optional<double> number = at ? point_.element(argument, *at) : std::nullopt;
  if (!number.has_value() || !std::isfinite(*number)) return NoRule("this element");
  return Bound{{*number, *number}, {*number, *number}, 0};
}

absl::StatusOr<Bound> PointBounds::Any(const Value& value, const Type& type) {
  if (++operations_ > kMaxOperations) {
    return absl::ResourceExhaustedError("a term has too many operations");
  }
  switch (value.kind) {
    case Value::kInt: {
      std::optional<double> number;
      if (type.is_float()) {
        const std::optional<uint64_t> bits = TermTable::ConstantBits(type, value);
        if (bits.has_value()) number = ToDouble(type.kind, *bits);
      } else if (const std::optional<int64_t> at = At(TermTable::AffineOf(value))) {
        number = static_cast<double>(*at);
        if (std::fabs(*number) > 0x1p53) return Bound{IntegerRange(type), IntegerRange(type), 0};
      }
      if (!number.has_value() || std::isnan(*number)) return NoRule(terms_.ToString(value));
      return Bound{{*number, *number}, {*number, *number}, 0};
    }
    case Value::kLeaf:
      return OfLeaf(value);
    case Value::kTerm:
    case Value::kRun: {
      std::vector<int64_t> counters;
      for (const SymbolId symbol : Free(value)) {
        const auto found = point_.symbols.find(symbol);
        if (found == point_.symbols.end()) return NoRule(terms_.ToString(value));
        counters.push_back(found->second);
      }
      std::pair<Value, std::vector<int64_t>> place = {value, std::move(counters)};
      if (const auto found = memo_.find(place); found != memo_.end()) return found->second;
      if (depth_ >= TermTable::kMaxDepth) return NoRule("so deep a term");
      ++depth_;
      absl::StatusOr<Bound> bound = value.kind == Value::kTerm
                                        ? OfTerm(Term(terms_.term(value)))
                                        : OfRun(Run(terms_.run(value)), value.payload);
      --depth_;
      if (bound.ok()) memo_.emplace(std::move(place), *bound);
      return bound;
    }
    default:
      return NoRule(terms_.ToString(value));
  }
}

}  // namespace quern::verifier
