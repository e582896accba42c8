#include "verifier/symbolic/term.h"

#include <algorithm>
#include <cassert>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "verifier/symbolic/fold.h"

namespace quern::verifier {

TermTable::TermTable(AffineTable* affine, std::vector<ElementType> arguments)
    : affine_(affine), arguments_(std::move(arguments)) {}

Type TermTable::TypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return {Type::kFloat, 32, 1};
    case ElementType::kBF16:
      return {Type::kBFloat, 16, 1};
    case ElementType::kI32:
      return {Type::kInt, 32, 1};
    case ElementType::kBool:
      return {Type::kInt, 8, 1};
    default:
      assert(false);  // the checker lets no other type in
  }
  return {};
}

Value TermTable::Bits(const Type& type, uint64_t bits) {
  if (type.bits == 1) return Integer(AffineTable::Number(static_cast<int64_t>(bits & 1)));
  const int unused = 64 - type.bits;
  return Integer(AffineTable::Number(static_cast<int64_t>(bits << unused) >> unused));
}

std::optional<uint64_t> TermTable::ConstantBits(const Type& type, Value v) {
  if (v.kind != Value::kInt || v.id != 0) return std::nullopt;
  return static_cast<uint64_t>(v.payload) & (~uint64_t{0} >> (64 - type.bits));
}

Affine TermTable::AffineOf(Value v) {
  assert(v.kind == Value::kInt || v.kind == Value::kPointer);
  return {v.id, v.payload};
}

Value TermTable::MakeLeaf(int argument, Affine element) {
  const auto [found, fresh] =
      leaf_ids_.emplace(std::pair(argument, element.linear), static_cast<int32_t>(leaves_.size()));
  const int32_t id = found->second;
  if (fresh) {
    Leaf leaf = {.argument = argument, .linear = element.linear};
    const int level = affine_->level_above(element.linear) - 1;
    if (level >= 0) {
      const SymbolId counter = affine_->Counter(level);
      leaf.stride = affine_->coefficient(element.linear, counter);
      std::vector<Monomial> rest;
      for (const Monomial& term : affine_->monomials(element.linear)) {
        if (term.symbol != counter) rest.push_back(term);
      }
      leaves_.push_back(leaf);
      const int32_t base = MakeLeaf(argument, {affine_->Intern(std::move(rest)), 0}).id;
      leaves_[id].base = base;
    } else {
      leaves_.push_back(leaf);
    }
  }
  return {Value::kLeaf, 0, id, element.constant};
}

std::optional<Type> TermTable::TypeOf(Value v) const {
  switch (v.kind) {
    case Value::kLeaf:
      return TypeOf(arguments_[leaves_[v.id].argument]);
    case Value::kTerm:
      return terms_[v.id].op.type;
    case Value::kRun:
      return runs_[v.id].op.type;
    case Value::kPointer:
      return Type{Type::kPointer, 64, 1};
    default:
      return std::nullopt;
  }
}

int TermTable::LevelAbove(Value v) const {
  switch (v.kind) {
    case Value::kInt:
    case Value::kPointer:
      return affine_->level_above(v.id);
    case Value::kLeaf:
      return affine_->level_above(leaves_[v.id].linear);
    case Value::kTerm:
      return terms_[v.id].level_above;
    case Value::kRun:
      return runs_[v.id].level_above;
    default:
      return 0;
  }
}

int TermTable::Depth(Value v) const {
  if (v.kind == Value::kTerm) return terms_[v.id].depth;
  return v.kind == Value::kRun ? runs_[v.id].depth : 0;
}

int TermTable::Size(Value v) const {
  if (v.kind == Value::kTerm) return terms_[v.id].size;
  return v.kind == Value::kRun ? runs_[v.id].size : 1;
}

Value TermTable::Cast(Value v, const Type& type) {
  const std::optional<Type> own = TypeOf(v);
  if (!own.has_value() || *own == type) return v;
  if (own->bits != type.bits) return Poison();
  return Apply({.family = Op::kCast,
                .code = static_cast<uint8_t>(CastOp::kBitcast),
                .type = type,
                .from = *own},
               {v});
}

static bool IsCommutative(const Op& op) {
  if (op.family == Op::kIntrinsic) {
    switch (static_cast<Intrinsic>(op.code)) {
      case Intrinsic::kFma:  // the factors
      case Intrinsic::kMinNum:
      case Intrinsic::kMaxNum:
      case Intrinsic::kMinimum:
      case Intrinsic::kMaximum:
      case Intrinsic::kMinimumNum:
      case Intrinsic::kMaximumNum:
      case Intrinsic::kSMin:
      case Intrinsic::kSMax:
      case Intrinsic::kUMin:
      case Intrinsic::kUMax:
        return true;
      default:
        return false;
    }
  }
  if (op.family != Op::kBinary) return false;
  switch (static_cast<BinaryOp>(op.code)) {
    case BinaryOp::kAdd:
    case BinaryOp::kMul:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kXor:
    case BinaryOp::kFAdd:
    case BinaryOp::kFMul:
      return true;
    default:
      return false;
  }
}

static bool IsFma(const Op& op) {
  return op.family == Op::kIntrinsic && static_cast<Intrinsic>(op.code) == Intrinsic::kFma;
}

static bool Before(Value a, Value b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.id != b.id) return a.id < b.id;
  return a.payload < b.payload;
}

// The type that operand `index` of the operation has.
static Type OperandType(const Op& op, size_t index) {
  if (op.family == Op::kCompare || op.family == Op::kCast) return op.from;
  if (op.family == Op::kSelect && index == 0) return {Type::kInt, 1, 1};
  return op.type;
}

Value TermTable::Apply(const Op& op, absl::Span<const Value> operands) {
  assert(operands.size() <= 3);
  std::array<Value, 3> args;
  for (size_t i = 0; i < operands.size(); ++i) {
    args[i] = op.family == Op::kHeld ? operands[i] : Cast(operands[i], OperandType(op, i));
  }
  const absl::Span<const Value> used(args.data(), operands.size());
  if (op.family == Op::kSelect) {
    const std::optional<uint64_t> chosen = ConstantBits({Type::kInt, 1, 1}, args[0]);
    if (chosen.has_value()) return args[*chosen != 0 ? 1 : 2];
  }
  for (const Value::Kind kind : {Value::kLost, Value::kPoison}) {
    for (const Value& value : used) {
      if (value.kind == kind) return {.kind = kind};
    }
  }
  if (const std::optional<Value> folded = Fold(*this, op, used); folded.has_value()) return *folded;
  if (IsCommutative(op)) {
    if (const size_t at = IsFma(op) ? 2 : 1; used.size() > at) {
      // The accumulator of an fma is its last operand; else either may be.
      if (IsFma(op)) {
        if (Before(args[1], args[0])) std::swap(args[0], args[1]);
        if (auto run = Extend(op, args[2], used.subspan(0, 2)); run.has_value()) return *run;
      } else {
        if (Before(args[1], args[0])) std::swap(args[0], args[1]);
        for (const int accumulator : {1, 0}) {
          if (auto run = Extend(op, args[accumulator], {args[1 - accumulator]}); run.has_value()) {
            return *run;
          }
        }
      }
    }
  }
  return InternTerm(op, used);
}

Value TermTable::Accumulate(const Op& op, Value accumulator, absl::Span<const Value> elements) {
  if (IsFma(op)) return Apply(op, {elements[0], elements[1], accumulator});
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
  const int orders = IsFma(op) ? 1 : 2;
  for (int order = 0; order < orders; ++order) {
    Run run = {.op = op};
    run.count = static_cast<int>(elements.size());
    std::array<Value, 2> before;
    if (IsFma(op)) {
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

std::optional<Value> TermTable::Substitute(Value v, SymbolId symbol, Affine by) {
  if (Size(v) >= kMaxSize || Depth(v) > kMaxDepth) return std::nullopt;
  return Replace(v, symbol, by);
}

std::optional<Value> TermTable::Replace(Value v, SymbolId symbol, Affine by) {
  switch (v.kind) {
    case Value::kInt:
    case Value::kPointer: {
      const std::optional<Affine> form = affine_->Substitute(AffineOf(v), symbol, by);
      if (!form.has_value()) return std::nullopt;
      return Value{v.kind, v.object, form->linear, form->constant};
    }
    case Value::kLeaf: {
      const std::optional<Affine> element = affine_->Substitute(Element(v), symbol, by);
      if (!element.has_value()) return std::nullopt;
      return MakeLeaf(leaves_[v.id].argument, *element);
    }
    case Value::kTerm: {
      Term term = terms_[v.id];
      bool changed = false;
      for (int i = 0; i < term.count; ++i) {
        const std::optional<Value> arg = Replace(term.args[i], symbol, by);
        if (!arg.has_value()) return std::nullopt;
        changed |= *arg != term.args[i];
        term.args[i] = *arg;
      }
      if (!changed) return v;
      return InternTerm(term.op, absl::Span<const Value>(term.args.data(), term.count));
    }
    case Value::kRun: {
      Run run = runs_[v.id];
      const std::optional<Value> init = Replace(run.init, symbol, by);
      if (!init.has_value()) return std::nullopt;
      bool changed = *init != run.init;
      run.init = *init;
      for (int i = 0; i < run.count; ++i) {
        const std::optional<Value> element = Replace(run.elements[i], symbol, by);
        if (!element.has_value()) return std::nullopt;
        changed |= *element != run.elements[i];
        run.elements[i] = *element;
      }
      return changed ? InternRun(std::move(run), v.payload) : v;
    }
    default:
      return v;
  }
}

Value TermTable::InternTerm(const Op& op, absl::Span<const Value> args) {
  const size_t hash = absl::HashOf(op, args);
  const auto [found, fresh] = term_ids_.emplace(hash, static_cast<int32_t>(terms_.size()));
  if (!fresh) {
    for (int32_t id = found->second; id >= 0; id = terms_[id].next) {
      const Term& term = terms_[id];
      if (term.op == op && absl::Span<const Value>(term.args.data(), term.count) == args) {
        return {Value::kTerm, 0, id, 0};
      }
    }
  }
  Term term = {.op = op, .count = static_cast<int>(args.size())};
  for (size_t i = 0; i < args.size(); ++i) {
    term.args[i] = args[i];
    term.level_above = std::max(term.level_above, LevelAbove(args[i]));
    term.depth = std::max(term.depth, Depth(args[i]) + 1);
    term.size = std::min(kMaxSize, term.size + Size(args[i]));
  }
  if (!fresh) term.next = found->second;
  found->second = static_cast<int32_t>(terms_.size());
  terms_.push_back(term);
  return {Value::kTerm, 0, found->second, 0};
}

Value TermTable::InternRun(Run run, int64_t length) {
  run.level_above =
      std::max(LevelAbove(run.init), run.level + static_cast<int>(run.inner.size()) + 1);
  run.depth = Depth(run.init) + 1;
  run.size = std::min(kMaxSize, 1 + Size(run.init));
  for (int i = 0; i < run.count; ++i) {
    run.level_above = std::max(run.level_above, LevelAbove(run.elements[i]));
    run.depth = std::max(run.depth, Depth(run.elements[i]) + 1);
    run.size = std::min(kMaxSize, run.size + Size(run.elements[i]));
  }
  const size_t hash = absl::HashOf(run.op, run.init, run.elements, run.level, run.inner);
  const auto [found, fresh] = run_ids_.emplace(hash, static_cast<int32_t>(runs_.size()));
  if (!fresh) {
    for (int32_t id = found->second; id >= 0; id = runs_[id].next) {
      const Run& other = runs_[id];
      if (other.op == run.op && other.init == run.init && other.count == run.count &&
          other.elements == run.elements && other.level == run.level && other.inner == run.inner) {
        return {Value::kRun, 0, id, length};
      }
    }
    run.next = found->second;
  }
  found->second = static_cast<int32_t>(runs_.size());
  runs_.push_back(std::move(run));
  return {Value::kRun, 0, found->second, length};
}

int32_t TermTable::Name(std::string_view name) {
  const auto [found, fresh] =
      name_ids_.emplace(std::string(name), static_cast<int32_t>(names_.size()));
  if (fresh) names_.emplace_back(name);
  return found->second;
}

int64_t TermTable::bytes() const {
  return static_cast<int64_t>(terms_.size() * (sizeof(Term) + 16) +
                              runs_.size() * (sizeof(Run) + 16) + leaves_.size() * 48);
}

static std::string OpName(const TermTable& table, const Op& op) {
  switch (op.family) {
    case Op::kBinary:
      return Name(static_cast<BinaryOp>(op.code));
    case Op::kNegate:
      return "fneg";
    case Op::kCompare:
      return Name(static_cast<Predicate>(op.code));
    case Op::kCast:
      return absl::StrCat(Name(static_cast<CastOp>(op.code)), " to ", Name(op.type));
    case Op::kSelect:
      return "select";
    case Op::kIntrinsic:
      return Name(static_cast<Intrinsic>(op.code));
    case Op::kCall:
      return table.name(op.name);
    case Op::kHeld:
      return "held";
  }
  return "";
}

void TermTable::Describe(Value v, std::string* text) const {
  if (text->size() > 300) {
    if (!text->ends_with("...")) absl::StrAppend(text, "...");
    return;
  }
  switch (v.kind) {
    case Value::kPoison:
      absl::StrAppend(text, "poison");
      return;
    case Value::kLost:
      absl::StrAppend(text, "lost");
      return;
    case Value::kInt:
      absl::StrAppend(text, affine_->ToString(AffineOf(v)));
      return;
    case Value::kPointer:
      absl::StrAppend(text, "object ", v.object, "[", affine_->ToString(AffineOf(v)), "]");
      return;
    case Value::kLeaf:
      absl::StrAppend(text, "arg", leaves_[v.id].argument, "[", affine_->ToString(Element(v)), "]");
      return;
    case Value::kTerm: {
      const Term& term = terms_[v.id];
      absl::StrAppend(text, OpName(*this, term.op), "(");
      for (int i = 0; i < term.count; ++i) {
        if (i > 0) absl::StrAppend(text, ", ");
        Describe(term.args[i], text);
      }
      absl::StrAppend(text, ")");
      return;
    }
    case Value::kRun: {
      const Run& run = runs_[v.id];
      absl::StrAppend(text, OpName(*this, run.op), " over k", run.level + run.inner.size(), "<",
                      v.payload);
      for (int64_t extent : run.inner) absl::StrAppend(text, ",", extent);
      absl::StrAppend(text, " from ");
      Describe(run.init, text);
      for (int i = 0; i < run.count; ++i) {
        absl::StrAppend(text, i == 0 ? " of " : " * ");
        Describe(run.elements[i], text);
      }
      return;
    }
  }
}

std::string TermTable::ToString(Value v) const {
  std::string text;
  Describe(v, &text);
  return text;
}

}  // namespace quern::verifier
