#include "verifier/symbolic/term.h"

#include <algorithm>
#include <cassert>

#include "absl/hash/hash.h"
#include "verifier/symbolic/fold.h"

namespace quern::verifier {

TermTable::TermTable(AffineTable* affine, std::vector<ElementType> arguments)
    : affine_(affine), arguments_(std::move(arguments)) {}

Type TermTable::TypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF64:
      return {Type::kDouble, 64, 1};
    case ElementType::kF32:
      return {Type::kFloat, 32, 1};
    case ElementType::kF16:
      return {Type::kHalf, 16, 1};
    case ElementType::kBF16:
      return {Type::kBFloat, 16, 1};
    default:  // integers and bools; f8 as what their bytes are
      return {Type::kInt, static_cast<uint8_t>(8 * ByteSize(type)), 1};
  }
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

bool TermTable::IsCarried(Value v) const {
  if (v.kind == Value::kTerm) return terms_[v.id].carried;
  return v.kind == Value::kRun && runs_[v.id].carried;
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

bool Op::is_commutative() const {
  if (family == kIntrinsic) {
    switch (static_cast<Intrinsic>(code)) {
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
  if (family != kBinary) return false;
  switch (static_cast<BinaryOp>(code)) {
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
    const bool as_it_is = op.family == Op::kHeld || op.family == Op::kCarried;
    args[i] = as_it_is ? operands[i] : Cast(operands[i], OperandType(op, i));
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
  if (op.is_commutative()) {
    if (const size_t at = op.is_fma() ? 2 : 1; used.size() > at) {
      // The accumulator of an fma is its last operand; else either may be.
      if (op.is_fma()) {
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
  Term term = {
      .op = op, .carried = op.family == Op::kCarried, .count = static_cast<int>(args.size())};
  for (size_t i = 0; i < args.size(); ++i) {
    term.args[i] = args[i];
    term.level_above = std::max(term.level_above, LevelAbove(args[i]));
    term.carried |= IsCarried(args[i]);
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
  run.carried = IsCarried(run.init);
  run.depth = Depth(run.init) + 1;
  run.size = std::min(kMaxSize, 1 + Size(run.init));
  for (int i = 0; i < run.count; ++i) {
    run.level_above = std::max(run.level_above, LevelAbove(run.elements[i]));
    run.carried |= IsCarried(run.elements[i]);
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

}  // namespace quern::verifier
