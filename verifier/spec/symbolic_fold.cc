// Reductions and dot products as terms.
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/spec/scalar.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

static constexpr int64_t kMaxSteps = 4096;  // of a fold without a run

// Steps through the box in row-major order; false at its end.
static bool Next(const std::vector<int64_t>& extents, std::vector<int64_t>& k) {
  for (size_t i = k.size(); i-- > 0; k[i] = 0) {
    if (++k[i] < extents[i]) return true;
  }
  return false;
}

// nullopt: too many for a fold step by step.
static std::optional<int64_t> Steps(const std::vector<int64_t>& extents) {
  int64_t steps = 1;
  for (int64_t extent : extents) {
    if (__builtin_mul_overflow(steps, extent, &steps) || steps > kMaxSteps) return std::nullopt;
  }
  return steps;
}

// Integers: a sum from 0 starts with its first element, as kernels' sums do when 0 is folded away.
std::optional<Value> SymbolicAlgebra::SumFromZero(const Op& op, Value init, Value element,
                                                  const std::vector<SymbolId>& symbols,
                                                  const std::vector<int64_t>& extents) {
  const bool sum = op.family == Op::kBinary && op.type.kind == Type::kInt &&
                   static_cast<BinaryOp>(op.code) == BinaryOp::kAdd;
  if (!sum || extents.size() != 1 || init != TermTable::Bits(op.type, 0)) return std::nullopt;
  const std::optional<Value> first = terms_.Substitute(element, symbols[0], Number(0));
  const std::optional<Affine> next = affine_.Add(affine_.Symbol(symbols[0]), Number(1));
  if (!first.has_value() || !next.has_value()) return std::nullopt;
  const std::optional<Value> rest = terms_.Substitute(element, symbols[0], *next);
  if (extents[0] == 1) return first;
  if (!rest.has_value()) return std::nullopt;
  const int64_t left = extents[0] - 1;
  if (left > 1) return terms_.MakeRun(op, *first, {*rest}, symbols, {left});
  const std::optional<Value> last = terms_.Substitute(*rest, symbols[0], Number(0));
  if (!last.has_value()) return std::nullopt;
  return terms_.Accumulate(op, *first, {*last});
}

absl::StatusOr<Value> SymbolicAlgebra::Fold(const Op& op, Value init,
                                            const std::vector<int64_t>& extents,
                                            const Term& element, int64_t steps) {
  for (int64_t extent : extents) {
    if (extent == 0) return init;
  }
  if (extents.empty()) {
    QUERN_ASSIGN_OR_RETURN(Value only, element({}));
    return terms_.Accumulate(op, init, {only});
  }
  std::vector<SymbolId> symbols;
  Index index;
  for (int64_t extent : extents) {
    const std::pair key(depth_ + symbols.size(), extent);
    auto found = counters_.find(key);
    if (found == counters_.end()) {
      const std::string name = absl::StrCat("i", key.first, "<", extent);
      found = counters_.emplace(key, affine_.AddSymbol(name, {0, extent - 1})).first;
    }
    symbols.push_back(found->second);
    index.push_back(affine_.Symbol(found->second));
  }
  depth_ += extents.size();
  const absl::StatusOr<Value> term = element(index);
  depth_ -= extents.size();
  if (term.ok()) {
    if (const std::optional<Value> sum = SumFromZero(op, init, *term, symbols, extents)) {
      return *sum;
    }
    if (const std::optional<Value> run = terms_.MakeRun(op, init, {*term}, symbols, extents)) {
      return *run;
    }
    return TooLarge();
  }
  if (!absl::IsOutOfRange(term.status()) || !affine_.blocked().has_value()) return term.status();
  // Is one of our own counters in the way?
  const LinearId dividend = affine_.blocked()->dividend.linear;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (affine_.coefficient(dividend, symbols[i]) != 0) {
      return FoldParts(op, init, extents, element, steps, i, symbols[i], term.status());
    }
  }
  return term.status();
}

// The first value of the counter, if it is the only symbol, from which on the blocked quotient has
// its second and last value.
static std::optional<int64_t> Breakpoint(const AffineTable& affine, SymbolId counter) {
  const AffineTable::Blocked blocked = *affine.blocked();
  const auto monomials = affine.monomials(blocked.dividend.linear);
  const std::optional<Interval> bounds = affine.Bounds(blocked.dividend);
  if (monomials.size() != 1 || !bounds.has_value()) return std::nullopt;
  const int64_t period = FloorDivide(bounds->high, blocked.divisor);
  if (FloorDivide(bounds->low, blocked.divisor) != period - 1) return std::nullopt;
  const int64_t edge = period * blocked.divisor, factor = monomials[0].coefficient;
  // factor * k + constant >= edge, or < edge if the factor is negative
  const int64_t gap = edge - blocked.dividend.constant;
  return factor > 0 ? -FloorDivide(-gap, factor) : FloorDivide(-gap, -factor) + 1;
}

absl::StatusOr<Value> SymbolicAlgebra::FoldParts(const Op& op, Value init,
                                                 const std::vector<int64_t>& extents,
                                                 const Term& element, int64_t steps, size_t blocked,
                                                 SymbolId counter, const absl::Status& why) {
  static constexpr int64_t kSingly = 8;  // steps that are not worth a run
  const std::optional<int64_t> at = Breakpoint(affine_, counter);
  if (blocked == 0 && extents[0] > kSingly && at.has_value() && *at > 0 && *at < extents[0]) {
    affine_.ClearBlocked();
    std::vector<int64_t> part = extents;
    Value value = init;
    for (const auto& [begin, end] : {std::pair<int64_t, int64_t>(0, *at), {*at, extents[0]}}) {
      part[0] = end - begin;
      const Term shifted = [&, from = begin](const Index& k) -> absl::StatusOr<Value> {
        Index index = k;
        QUERN_ASSIGN_OR_RETURN(index[0], Add(k[0], Number(from)));
        return element(index);
      };
      QUERN_ASSIGN_OR_RETURN(value, Fold(op, value, part, shifted, steps / 2));
    }
    return value;
  }
  // The counters up to that one step by step.
  const std::vector<int64_t> outer(extents.begin(), extents.begin() + blocked + 1);
  const std::vector<int64_t> inner(extents.begin() + blocked + 1, extents.end());
  const std::optional<int64_t> count = Steps(outer);
  if (!count.has_value() || *count > steps) return why;
  affine_.ClearBlocked();
  Value value = init;
  std::vector<int64_t> k(outer.size(), 0);
  do {
    const Term rest = [&](const Index& inside) {
      Index index;
      for (int64_t number : k) index.push_back(Number(number));
      index.insert(index.end(), inside.begin(), inside.end());
      return element(index);
    };
    QUERN_ASSIGN_OR_RETURN(value, Fold(op, value, inner, rest, steps / *count));
  } while (Next(outer, k));
  return value;
}

// The operation of a body that is one operation on its two arguments.
static std::optional<Op> BodyOp(const SpecGraph& graph, const SpecBody& body) {
  if (body.results.size() != 1 || body.results[0] < body.first) return std::nullopt;
  const SpecNode& node = graph.nodes[body.results[0]];
  if (node.operands.size() != 2) return std::nullopt;
  int seen = 0;
  for (int operand : node.operands) {
    if (graph.nodes[operand].op != SpecOp::kBodyArgument) return std::nullopt;
    seen |= 1 << graph.nodes[operand].number;
  }
  if (seen != 3) return std::nullopt;
  const ElementType element = node.type.element;
  const bool floating = IsFloat(element), truth = element == ElementType::kBool;
  if (IsStorageOnly(element)) return std::nullopt;
  Op op{.type = SymbolicAlgebra::TypeOf(element), .from = {}};
  const auto binary = [&](BinaryOp code) {
    op.family = Op::kBinary;
    op.code = static_cast<uint8_t>(code);
    return op;
  };
  const auto intrinsic = [&](Intrinsic code) {
    op.family = Op::kIntrinsic;
    op.code = static_cast<uint8_t>(code);
    return op;
  };
  switch (node.op) {
    case SpecOp::kAdd:
      return binary(floating ? BinaryOp::kFAdd : truth ? BinaryOp::kOr : BinaryOp::kAdd);
    case SpecOp::kMultiply:
      return binary(floating ? BinaryOp::kFMul : truth ? BinaryOp::kAnd : BinaryOp::kMul);
    case SpecOp::kMaximum:
      if (truth) return binary(BinaryOp::kOr);
      return intrinsic(floating            ? Intrinsic::kMaximum
                       : IsSigned(element) ? Intrinsic::kSMax
                                           : Intrinsic::kUMax);
    case SpecOp::kMinimum:
      if (truth) return binary(BinaryOp::kAnd);
      return intrinsic(floating            ? Intrinsic::kMinimum
                       : IsSigned(element) ? Intrinsic::kSMin
                                           : Intrinsic::kUMin);
    case SpecOp::kAnd:
      return binary(BinaryOp::kAnd);
    case SpecOp::kOr:
      return binary(BinaryOp::kOr);
    default:
      return std::nullopt;
  }
}

absl::StatusOr<SymbolicAlgebra::Values> SymbolicAlgebra::Reduce(const SpecNode& node,
                                                                const Values& initial,
                                                                const std::vector<int64_t>& extents,
                                                                const Element& element,
                                                                const Body& body) {
  const std::optional<Op> op = BodyOp(graph_, *node.body);
  if (op.has_value() && node.op != SpecOp::kScatter) {  // whose elements have conditions
    const Term first = [&](const Index& k) -> absl::StatusOr<Value> {
      QUERN_ASSIGN_OR_RETURN(Values values, element(k));
      return values[0];
    };
    QUERN_ASSIGN_OR_RETURN(Value value, Fold(*op, initial[0], extents, first, kMaxSteps));
    return Values{value};
  }
  const std::optional<int64_t> steps = Steps(extents);
  if (!steps.has_value()) {
    return Unsupported(node, "a body of several operations over so many elements has no term");
  }
  Values values = initial;
  if (*steps == 0) return values;
  std::vector<int64_t> k(extents.size(), 0);
  do {
    Index index;
    for (int64_t i : k) index.push_back(Number(i));
    QUERN_ASSIGN_OR_RETURN(Values elements, element(index));
    QUERN_ASSIGN_OR_RETURN(values, body(values, elements));
  } while (Next(extents, k));
  return values;
}

absl::StatusOr<Value> SymbolicAlgebra::Dot(const SpecNode& node, ElementType operand,
                                           const std::vector<int64_t>& extents,
                                           const Pair& element) {
  const bool floating = IsFloat(operand);
  const ElementType sum = floating ? SumType(operand) : node.type.element;
  for (ElementType type : {operand, sum, node.type.element}) {
    if (IsStorageOnly(type)) {
      return Unsupported(node, absl::StrCat("is not supported by the prover on ", Name(type)));
    }
  }
  const bool truth = sum == ElementType::kBool;
  const Type type = TypeOf(sum);
  const auto add = floating ? BinaryOp::kFAdd : truth ? BinaryOp::kOr : BinaryOp::kAdd;
  const auto multiply = floating ? BinaryOp::kFMul : truth ? BinaryOp::kAnd : BinaryOp::kMul;
  const Op op{.family = Op::kBinary, .code = static_cast<uint8_t>(add), .type = type, .from = {}};
  const Term product = [&](const Index& k) -> absl::StatusOr<Value> {
    QUERN_ASSIGN_OR_RETURN(auto pair, element(k));
    return Make(multiply, type, Convert(operand, sum, pair.first),
                Convert(operand, sum, pair.second));
  };
  QUERN_ASSIGN_OR_RETURN(Value value,
                         Fold(op, TermTable::Bits(type, 0), extents, product, kMaxSteps));
  return Convert(sum, node.type.element, value);
}

absl::StatusOr<Value> ResultAt(Denotation<SymbolicAlgebra>& denotation, TermTable& terms,
                               const SpecGraph& graph, int result,
                               const std::vector<Affine>& index) {
  QUERN_ASSIGN_OR_RETURN(Value value, denotation.At(result, index));
  const ElementType element = graph.results[result].element;
  const Type stored = TermTable::TypeOf(element), type = SymbolicAlgebra::TypeOf(element);
  if (stored == type) return value;
  const CastOp extend = IsSigned(element) ? CastOp::kSExt : CastOp::kZExt;
  return terms.Apply(
      {.family = Op::kCast, .code = static_cast<uint8_t>(extend), .type = stored, .from = type},
      {value});
}

}  // namespace quern::verifier
