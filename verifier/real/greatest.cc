#include "verifier/real/greatest.h"

#include <algorithm>
#include <cmath>

#include "verifier/machine/float_bits.h"
#include "verifier/real/function_names.h"

namespace quern::verifier {

static constexpr int kMaxWalked = 4096;       // operations of a term that is compared
static constexpr int64_t kMaxEnumerated = 4;  // elements of a maximum, one by one

static bool IsMaximum(const Op& op) {
  return op.family == Op::kIntrinsic && op.type.is_float() &&
         RealFunctionOf(static_cast<Intrinsic>(op.code)) == "max";
}

Greatest::Extents Greatest::CountersOf(const Run& run, int64_t length) {
  std::vector<int64_t> extents = {length};
  extents.insert(extents.end(), run.inner.begin(), run.inner.end());
  Extents counters;
  for (size_t i = 0; i < extents.size(); ++i) {
    const int level = run.level + static_cast<int>(extents.size() - 1 - i);
    counters.push_back({terms_.affine().Counter(level), extents[i]});
  }
  return counters;
}

void Greatest::Enter(const Run& run, int64_t length) {
  const Extents counters = CountersOf(run, length);
  around_.insert(around_.end(), counters.begin(), counters.end());
}

void Greatest::Leave(const Run& run) { around_.resize(around_.size() - run.inner.size() - 1); }

int Greatest::context() const {
  if (around_.empty()) return 0;
  const auto found = std::find(contexts_.begin(), contexts_.end(), around_);
  if (found != contexts_.end()) return static_cast<int>(found - contexts_.begin()) + 1;
  contexts_.push_back(around_);
  return static_cast<int>(contexts_.size());
}

bool Greatest::InRange(Affine index, int64_t extent) {
  AffineTable& affine = terms_.affine();
  __int128 low = index.constant, high = index.constant;
  for (const Monomial& term : affine.monomials(index.linear)) {
    std::optional<Interval> range = affine.range(term.symbol);
    // The innermost run that binds the counter.
    for (auto around = around_.rbegin(); around != around_.rend(); ++around) {
      if (around->first != term.symbol) continue;
      range = Interval{0, around->second - 1};
      break;
    }
    if (!range.has_value()) return false;
    const __int128 a = __int128{term.coefficient} * range->low;
    const __int128 b = __int128{term.coefficient} * range->high;
    low += std::min(a, b);
    high += std::max(a, b);
  }
  return low >= 0 && high < extent;
}

bool Greatest::SolveAffine(Affine pattern, const Extents& counters, Affine v,
                           absl::flat_hash_map<SymbolId, Affine>& solution) {
  AffineTable& affine = terms_.affine();
  std::optional<Monomial> open;
  for (const auto& [counter, extent] : counters) {
    const int64_t coefficient = affine.coefficient(pattern.linear, counter);
    if (coefficient == 0) continue;
    if (const auto known = solution.find(counter); known != solution.end()) {
      const auto replaced = affine.Substitute(pattern, counter, known->second);
      if (!replaced.has_value()) return false;
      pattern = *replaced;
      continue;
    }
    if (open.has_value()) return true;  // two unknowns: another place may tell
    open = Monomial{counter, coefficient};
  }
  if (!open.has_value()) return true;  // compared in the end
  const auto rest = affine.Substitute(pattern, open->symbol, AffineTable::Number(0));
  const auto difference = rest ? affine.Subtract(v, *rest) : std::nullopt;
  if (!difference.has_value() || difference->constant % open->coefficient != 0) return false;
  std::vector<Monomial> monomials;
  for (Monomial term : affine.monomials(difference->linear)) {
    if (term.coefficient % open->coefficient != 0) return false;
    term.coefficient /= open->coefficient;
    monomials.push_back(term);
  }
  solution[open->symbol] = {affine.Intern(std::move(monomials)),
                            difference->constant / open->coefficient};
  return true;
}

bool Greatest::Solve(Value pattern, const Extents& counters, Value v,
                     absl::flat_hash_map<SymbolId, Affine>& solution) {
  if (pattern == v && solution.size() == counters.size()) return true;
  if (pattern.kind != v.kind) return false;
  switch (v.kind) {
    case Value::kInt:
      return SolveAffine(TermTable::AffineOf(pattern), counters, TermTable::AffineOf(v), solution);
    case Value::kLeaf:
      return terms_.leaf(pattern).argument == terms_.leaf(v).argument &&
             SolveAffine(terms_.Element(pattern), counters, terms_.Element(v), solution);
    case Value::kTerm: {
      const Term a = terms_.term(pattern), b = terms_.term(v);
      if (a.op != b.op || a.count != b.count) return false;
      for (int i = 0; i < a.count; ++i) {
        if (!Solve(a.args[i], counters, b.args[i], solution)) return false;
      }
      return true;
    }
    case Value::kRun: {
      const Run a = terms_.run(pattern), b = terms_.run(v);
      if (a.op != b.op || a.count != b.count || a.level != b.level || a.inner != b.inner ||
          pattern.payload != v.payload || !Solve(a.init, counters, b.init, solution)) {
        return false;
      }
      for (int i = 0; i < a.count; ++i) {
        if (!Solve(a.elements[i], counters, b.elements[i], solution)) return false;
      }
      return true;
    }
    default:
      return pattern == v;
  }
}

bool Greatest::IsInstance(Value pattern, const Extents& counters, Value v) {
  if (terms_.Size(pattern) > kMaxWalked || terms_.Size(v) > kMaxWalked) return false;
  absl::flat_hash_map<SymbolId, Affine> solution;
  if (!Solve(pattern, counters, v, solution)) return false;
  // All at once: by way of symbols that occur nowhere else, since a number may hold a counter that
  // the pattern has too.
  std::vector<std::pair<SymbolId, Affine>> places;
  int level = std::max(terms_.LevelAbove(pattern), terms_.LevelAbove(v));
  for (const auto& [counter, extent] : counters) {
    const auto found = solution.find(counter);
    if (found == solution.end() || extent < 1 || !InRange(found->second, extent)) return false;
    const SymbolId fresh = terms_.affine().Counter(level++);
    const auto renamed = terms_.Substitute(pattern, counter, terms_.affine().Symbol(fresh));
    if (!renamed.has_value()) return false;
    pattern = *renamed;
    places.push_back({fresh, found->second});
  }
  for (const auto& [fresh, index] : places) {
    const auto replaced = terms_.Substitute(pattern, fresh, index);
    if (!replaced.has_value()) return false;
    pattern = *replaced;
  }
  return pattern == v;
}

bool Greatest::IsAmong(Value e, Value m) {
  if (e == m) return true;
  if (m.kind == Value::kTerm && IsMaximum(terms_.term(m).op)) {
    const Term term = terms_.term(m);
    if (IsAmong(e, term.args[0]) || IsAmong(e, term.args[1])) return true;
  } else if (m.kind == Value::kRun && IsMaximum(terms_.run(m).op)) {
    const Run run = terms_.run(m);
    Extents counters = CountersOf(run, m.payload);
    Value element = run.elements[0];
    // What the run begins with may be what comes before the first element.
    const SymbolId outer = counters[0].first;
    const auto before = terms_.Substitute(element, outer, AffineTable::Number(-1));
    if (run.inner.empty() && before == run.init) {
      const auto one_less =
          terms_.affine().Add(terms_.affine().Symbol(outer), AffineTable::Number(-1));
      const auto shifted = terms_.Substitute(element, outer, *one_less);
      if (shifted.has_value()) {
        element = *shifted;
        ++counters[0].second;
      }
    }
    if ((m.payload >= 1 && IsInstance(element, counters, e)) || IsAmong(e, run.init) ||
        (e.kind == Value::kRun && e.id == m.id && e.payload <= m.payload)) {
      return true;
    }
  } else {
    return false;
  }
  if (e.kind != Value::kTerm || !IsMaximum(terms_.term(e).op)) return false;
  const Term term = terms_.term(e);
  return IsAmong(term.args[0], m) && IsAmong(term.args[1], m);
}

static bool IsLeast(Value v, const Type& type) {
  const auto bits = TermTable::ConstantBits(type, v);
  return bits.has_value() && ToDouble(type.kind, *bits) == -HUGE_VAL;
}

bool Greatest::Covers(Value t, const Extents& counters, std::optional<Value> p, Value m) {
  if ((p.has_value() && IsAmong(m, *p)) || IsInstance(t, counters, m)) return true;
  if (m.kind == Value::kTerm && IsMaximum(terms_.term(m).op)) {
    const Term term = terms_.term(m);
    const auto covers = [&](Value arg) {
      return IsLeast(arg, term.op.type) || Covers(t, counters, p, arg);
    };
    return covers(term.args[0]) && covers(term.args[1]);
  }
  if (m.kind != Value::kRun || !IsMaximum(terms_.run(m).op) || m.payload < 1) return false;
  const Run run = terms_.run(m);
  // Elements of p's begin the run.
  int64_t first = 0;
  if (p.has_value() && p->kind == Value::kRun && p->id == m.id && p->payload < m.payload) {
    first = p->payload;
  } else if (!IsLeast(run.init, run.op.type) && !Covers(t, counters, p, run.init)) {
    return false;
  }
  const SymbolId outer = CountersOf(run, m.payload)[0].first;
  if (first == 0 && p.has_value() && m.payload <= kMaxEnumerated && run.inner.empty()) {
    for (int64_t k = 0; k < m.payload; ++k) {
      const auto element = terms_.Substitute(run.elements[0], outer, AffineTable::Number(k));
      if (!element.has_value() || !Covers(t, counters, p, *element)) return false;
    }
    return true;
  }
  const bool one = m.payload - first == 1;
  const std::optional<Affine> from =
      one ? AffineTable::Number(first)
          : terms_.affine().Add(terms_.affine().Symbol(outer), AffineTable::Number(first));
  const auto rest = from ? terms_.Substitute(run.elements[0], outer, *from) : std::nullopt;
  if (!rest.has_value()) return false;
  Enter(run, m.payload - first);
  const bool covered = IsInstance(t, counters, *rest);
  Leave(run);
  return covered;
}

// x of exp(x).
static std::optional<Value> Exponent(const TermTable& terms, Value v) {
  if (v.kind != Value::kTerm) return std::nullopt;
  const Term& power = terms.term(v);
  const bool exponential =
      (power.op.family == Op::kCall && RealFunctionOf(terms.name(power.op.name)) == "exp") ||
      (power.op.family == Op::kIntrinsic &&
       static_cast<Intrinsic>(power.op.code) == Intrinsic::kExp);
  return exponential ? std::optional<Value>(power.args[0]) : std::nullopt;
}

static std::optional<std::pair<Value, Value>> Operands(const TermTable& terms,
                                                       std::optional<Value> v, BinaryOp op) {
  if (!v.has_value() || v->kind != Value::kTerm) return std::nullopt;
  const Term& term = terms.term(*v);
  if (term.op.family != Op::kBinary || static_cast<BinaryOp>(term.op.code) != op) {
    return std::nullopt;
  }
  return std::pair(term.args[0], term.args[1]);
}

std::optional<std::pair<Value, Value>> Greatest::Shifted(const Run& run, const Extents& counters) {
  const bool adds = run.op.family == Op::kBinary &&
                    static_cast<BinaryOp>(run.op.code) == BinaryOp::kFAdd && run.count == 1;
  if (!adds) return std::nullopt;
  const auto difference = Operands(terms_, Exponent(terms_, run.elements[0]), BinaryOp::kFSub);
  if (!difference.has_value()) return std::nullopt;
  for (const auto& [counter, extent] : counters) {
    const auto fixed = terms_.Substitute(difference->second, counter, AffineTable::Number(0));
    if (extent < 1 || fixed != difference->second) return std::nullopt;
  }
  return difference;
}

bool Greatest::HoldsExpOfZero(const Run& run, int64_t length) {
  const Extents counters = CountersOf(run, length);
  const auto shifted = Shifted(run, counters);
  return shifted.has_value() && Covers(shifted->first, counters, std::nullopt, shifted->second);
}

std::optional<Value> Greatest::Scale(std::pair<Value, Value> factors, Value t, Value m,
                                     const Extents& counters) {
  for (const auto& [s, power] : {factors, std::pair(factors.second, factors.first)}) {
    const auto difference = Operands(terms_, Exponent(terms_, power), BinaryOp::kFSub);
    if (difference.has_value() && difference->second == m && IsAmong(difference->first, m) &&
        Covers(t, counters, difference->first, m)) {
      return s;
    }
  }
  return std::nullopt;
}

std::optional<Value> Greatest::Rescaled(const Run& run, int64_t length) {
  const Extents counters = CountersOf(run, length);
  const auto shifted = Shifted(run, counters);
  const auto factors = Operands(terms_, run.init, BinaryOp::kFMul);
  if (!shifted.has_value() || !factors.has_value()) return std::nullopt;
  return Scale(*factors, shifted->first, shifted->second, counters);
}

std::optional<Value> Greatest::Rescaled(const Term& sum) {
  const auto scale = [&](std::optional<std::pair<Value, Value>> factors, Value addend) {
    const auto shifted = Operands(terms_, Exponent(terms_, addend), BinaryOp::kFSub);
    return factors.has_value() && shifted.has_value()
               ? Scale(*factors, shifted->first, shifted->second, {})
               : std::nullopt;
  };
  if (!sum.op.type.is_float()) return std::nullopt;
  if (sum.op.is_fma()) return scale(std::pair(sum.args[0], sum.args[1]), sum.args[2]);
  const bool adds =
      sum.op.family == Op::kBinary && static_cast<BinaryOp>(sum.op.code) == BinaryOp::kFAdd;
  const Type& type = sum.op.type;
  for (int product = 0; adds && product < 2; ++product) {
    const Value first = sum.args[product];
    auto factors = Operands(terms_, first, BinaryOp::kFMul);
    if (Exponent(terms_, first).has_value()) {
      factors = std::pair(TermTable::Bits(type, FromDouble(type.kind, 1)), first);
    }
    if (const auto s = scale(factors, sum.args[1 - product])) return s;
  }
  return std::nullopt;
}

}  // namespace quern::verifier
