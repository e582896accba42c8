// Runs: accumulations whose elements differ by constant steps.
#include <algorithm>
#include <cassert>
#include <utility>

#include "verifier/symbolic/term.h"

namespace quern::verifier {

Value TermTable::Accumulate(const Op& op, Value accumulator, absl::Span<const Value> elements) {
  if (op.is_fma()) return Apply(op, {elements[0], elements[1], accumulator});
  return Apply(op, {accumulator, elements[0]});
}

std::optional<Value> TermTable::Extend(const Op& op, Value accumulator,
                                       absl::Span<const Value> elements) {
  if (accumulator.kind == Value::kRun) {
    const Run& run = runs_[accumulator.id];
    if (!run.inner.empty() || run.op != op) return std::nullopt;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!Matches(run.elements[i], run.level, accumulator.payload, elements[i])) {
        return std::nullopt;
      }
    }
    ++accumulator.payload;
    return accumulator;
  }
  if (accumulator.kind != Value::kTerm) return std::nullopt;
  const Term first = terms_[accumulator.id];
  if (first.op != op) return std::nullopt;
  const int orders = op.is_fma() ? 1 : 2;
  for (int order = 0; order < orders; ++order) {
    Run run = {.op = op};
    run.count = static_cast<int>(elements.size());
    std::array<Value, 2> before;
    if (op.is_fma()) {
      run.init = first.args[2];
      before = {first.args[0], first.args[1]};
    } else {
      run.init = first.args[order];
      before = {first.args[1 - order], Value()};
    }
    // What is unified is walked without remembering.
    static constexpr int kMaxUnified = 256;
    for (int i = 0; i < run.count; ++i) {
      if (Size(before[i]) > kMaxUnified || Size(elements[i]) > kMaxUnified) return std::nullopt;
      run.level = std::max({run.level, LevelAbove(before[i]), LevelAbove(elements[i])});
    }
    bool unified = true;
    for (int i = 0; i < run.count && unified; ++i) {
      const std::optional<Value> element =
          Unify(before[i], elements[i], affine_->Counter(run.level));
      unified = element.has_value();
      if (unified) run.elements[i] = *element;
    }
    if (unified) return InternRun(std::move(run), 2);
  }
  return std::nullopt;
}

std::optional<Value> TermTable::Unify(Value a, Value b, SymbolId counter) {
  if (a == b) return a;
  if (a.kind != b.kind) return std::nullopt;
  switch (a.kind) {
    case Value::kLeaf: {
      int64_t stride = 0;
      if (a.id != b.id || __builtin_sub_overflow(b.payload, a.payload, &stride)) {
        return std::nullopt;
      }
      const std::optional<Affine> step = affine_->Scale(affine_->Symbol(counter), stride);
      if (!step.has_value()) return std::nullopt;
      const std::optional<Affine> element = affine_->Add(Element(a), *step);
      if (!element.has_value()) return std::nullopt;
      return MakeLeaf(leaves_[a.id].argument, *element);
    }
    case Value::kTerm: {
      const Term x = terms_[a.id];
      const Term y = terms_[b.id];
      if (x.op != y.op || x.count != y.count) return std::nullopt;
      std::array<Value, 3> args;
      for (int i = 0; i < x.count; ++i) {
        const std::optional<Value> arg = Unify(x.args[i], y.args[i], counter);
        if (!arg.has_value()) return std::nullopt;
        args[i] = *arg;
      }
      return InternTerm(x.op, absl::Span<const Value>(args.data(), x.count));
    }
    case Value::kRun: {
      const Run x = runs_[a.id];
      const Run y = runs_[b.id];
      if (x.op != y.op || x.count != y.count || a.payload != b.payload || x.inner != y.inner ||
          x.level != y.level) {
        return std::nullopt;
      }
      Run run = x;
      const std::optional<Value> init = Unify(x.init, y.init, counter);
      if (!init.has_value()) return std::nullopt;
      run.init = *init;
      for (int i = 0; i < x.count; ++i) {
        const std::optional<Value> element = Unify(x.elements[i], y.elements[i], counter);
        if (!element.has_value()) return std::nullopt;
        run.elements[i] = *element;
      }
      return InternRun(std::move(run), a.payload);
    }
    default:
      return std::nullopt;
  }
}

bool TermTable::Matches(Value pattern, int level, int64_t k, Value v) const {
  if (pattern.kind != v.kind) return false;
  switch (pattern.kind) {
    case Value::kLeaf: {
      const Leaf& leaf = leaves_[pattern.id];
      if (leaf.base < 0 || affine_->level_above(leaf.linear) != level + 1) return pattern == v;
      int64_t offset = 0;
      return v.id == leaf.base && !__builtin_mul_overflow(leaf.stride, k, &offset) &&
             !__builtin_add_overflow(offset, pattern.payload, &offset) && v.payload == offset;
    }
    case Value::kTerm: {
      const Term& x = terms_[pattern.id];
      if (x.level_above <= level) return pattern == v;
      const Term& y = terms_[v.id];
      if (x.op != y.op || x.count != y.count) return false;
      for (int i = 0; i < x.count; ++i) {
        if (!Matches(x.args[i], level, k, y.args[i])) return false;
      }
      return true;
    }
    case Value::kRun: {
      const Run& x = runs_[pattern.id];
      if (x.level_above <= level) return pattern == v;
      const Run& y = runs_[v.id];
      if (x.op != y.op || x.count != y.count || pattern.payload != v.payload ||
          x.inner != y.inner || x.level != y.level || !Matches(x.init, level, k, y.init)) {
        return false;
      }
      for (int i = 0; i < x.count; ++i) {
        if (!Matches(x.elements[i], level, k, y.elements[i])) return false;
      }
      return true;
    }
    default:
      return pattern == v;
  }
}

std::optional<Value> TermTable::MakeRun(const Op& op, Value init, absl::Span<const Value> elements,
                                        absl::Span<const SymbolId> symbols,
                                        absl::Span<const int64_t> extents) {
  assert(symbols.size() == extents.size() && !symbols.empty());
  Run run = {.op = op, .init = init, .count = static_cast<int>(elements.size())};
  for (const Value& element : elements) run.level = std::max(run.level, LevelAbove(element));
  for (size_t i = 0; i < elements.size(); ++i) {
    run.elements[i] = elements[i];
    for (size_t j = 0; j < symbols.size(); ++j) {
      const int level = run.level + static_cast<int>(symbols.size() - 1 - j);
      const std::optional<Value> bound =
          Substitute(run.elements[i], symbols[j], affine_->Symbol(affine_->Counter(level)));
      if (!bound.has_value()) return std::nullopt;
      run.elements[i] = *bound;
    }
  }
  run.inner.assign(extents.begin() + 1, extents.end());
  return InternRun(std::move(run), extents[0]);
}

// Of op(carried, element): the elements; nothing if they depend on what is carried.
static std::vector<Value> ElementsOf(const TermTable& terms, const Term& term, Value carried) {
  std::vector<Value> elements;
  int found = 0;
  for (int i = 0; i < term.count; ++i) {
    const bool may_be = term.op.is_fma() ? i == 2 : term.op.is_commutative();
    if (may_be && term.args[i] == carried) {
      ++found;
    } else if (!terms.IsCarried(term.args[i])) {
      elements.push_back(term.args[i]);
    } else {
      return {};
    }
  }
  return found == 1 ? elements : std::vector<Value>();
}

std::optional<Value> TermTable::FoldOver(Value carried, Value init, Value value, SymbolId symbol,
                                         int64_t count) {
  if (value == carried) return init;
  if (value.kind == Value::kTerm) {
    const Term term = terms_[value.id];
    const std::vector<Value> elements = ElementsOf(*this, term, carried);
    if (elements.empty()) return std::nullopt;
    return MakeRun(term.op, init, elements, {symbol}, {count});
  }
  if (value.kind != Value::kRun || runs_[value.id].init != carried) return std::nullopt;
  const Run run = runs_[value.id];
  std::vector<SymbolId> symbols = {symbol};
  std::vector<int64_t> extents = {count, value.payload};
  extents.insert(extents.end(), run.inner.begin(), run.inner.end());
  std::vector<Value> elements(run.elements.begin(), run.elements.begin() + run.count);
  for (size_t i = 1; i < extents.size(); ++i) {
    const SymbolId inside = affine_->AddSymbol("k", {0, extents[i] - 1});
    const int level = run.level + static_cast<int>(extents.size() - 1 - i);
    symbols.push_back(inside);
    for (Value& element : elements) {
      const auto renamed = Substitute(element, affine_->Counter(level), affine_->Symbol(inside));
      if (!renamed.has_value()) return std::nullopt;
      element = *renamed;
    }
  }
  if (IsCarried(elements[0]) || IsCarried(elements.back())) return std::nullopt;
  return MakeRun(run.op, init, elements, symbols, extents);
}

}  // namespace quern::verifier
