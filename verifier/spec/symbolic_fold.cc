// Reductions and dot products as terms.
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/spec/symbolic.h"

namespace quern::verifier {

static constexpr Type kTruth = {Type::kInt, 1, 1};
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

absl::StatusOr<Value> SymbolicAlgebra::Fold(
    const SpecNode& node, const Op& op, Value init, const std::vector<int64_t>& extents,
    const std::function<absl::StatusOr<Value>(const Index&)>& element) {
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
  absl::StatusOr<Value> term = element(index);
  depth_ -= extents.size();
  if (term.ok()) {
    if (const std::optional<Value> run = terms_.MakeRun(op, init, {*term}, symbols, extents)) {
      return *run;
    }
    return TooLarge();
  }
  if (!absl::IsOutOfRange(term.status()) || !affine_.blocked().has_value()) return term.status();
  // One of our own counters is in the way, perhaps: step by step.
  bool ours = false;
  for (SymbolId symbol : symbols) {
    ours |= affine_.coefficient(affine_.blocked()->dividend.linear, symbol) != 0;
  }
  if (!ours || !Steps(extents).has_value()) return term.status();
  affine_.ClearBlocked();
  Value value = init;
  std::vector<int64_t> k(extents.size(), 0);
  do {
    for (size_t i = 0; i < k.size(); ++i) index[i] = Number(k[i]);
    QUERN_ASSIGN_OR_RETURN(Value next, element(index));
    value = terms_.Accumulate(op, value, {next});
  } while (Next(extents, k));
  return value;
}

// The operation of a body that is one operation on its two arguments.
static std::optional<Op> BodyOp(const SpecGraph& graph, const ReduceBody& body) {
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
      return intrinsic(floating ? Intrinsic::kMaximum : Intrinsic::kSMax);
    case SpecOp::kMinimum:
      if (truth) return binary(BinaryOp::kAnd);
      return intrinsic(floating ? Intrinsic::kMinimum : Intrinsic::kSMin);
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
  if (const std::optional<Op> op = BodyOp(graph_, *node.body)) {
    QUERN_ASSIGN_OR_RETURN(Value value, Fold(node, *op, initial[0], extents,
                                             [&](const Index& k) -> absl::StatusOr<Value> {
                                               QUERN_ASSIGN_OR_RETURN(Values values, element(k));
                                               return values[0];
                                             }));
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
  const ElementType sum = floating ? ElementType::kF32 : node.type.element;
  const bool truth = sum == ElementType::kBool;
  const Type type = TypeOf(sum);
  const auto add = floating ? BinaryOp::kFAdd : truth ? BinaryOp::kOr : BinaryOp::kAdd;
  const auto multiply = floating ? BinaryOp::kFMul : truth ? BinaryOp::kAnd : BinaryOp::kMul;
  const Op op{.family = Op::kBinary, .code = static_cast<uint8_t>(add), .type = type, .from = {}};
  QUERN_ASSIGN_OR_RETURN(Value value, Fold(node, op, TermTable::Bits(type, 0), extents,
                                           [&](const Index& k) -> absl::StatusOr<Value> {
                                             QUERN_ASSIGN_OR_RETURN(auto pair, element(k));
                                             return Make(multiply, type,
                                                         Convert(operand, sum, pair.first),
                                                         Convert(operand, sum, pair.second));
                                           }));
  return Convert(sum, node.type.element, value);
}

absl::StatusOr<Value> ResultAt(Denotation<SymbolicAlgebra>& denotation, TermTable& terms,
                               const SpecGraph& graph, int result,
                               const std::vector<Affine>& index) {
  QUERN_ASSIGN_OR_RETURN(Value value, denotation.At(result, index));
  if (graph.results[result].element != ElementType::kBool) return value;
  return terms.Apply({.family = Op::kCast,
                      .code = static_cast<uint8_t>(CastOp::kZExt),
                      .type = TermTable::TypeOf(ElementType::kBool),
                      .from = kTruth},
                     {value});
}

}  // namespace quern::verifier
