// What an element of a result is, as a term over the elements of the arguments.
#ifndef QUERN_VERIFIER_SPEC_SYMBOLIC_H_
#define QUERN_VERIFIER_SPEC_SYMBOLIC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "verifier/spec/denote.h"
#include "verifier/spec/graph.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Terms say what the declared types and the order of reductions are; nothing is rewritten but what
// TermTable::Apply does. As scalar.h and evaluate.h, with these in terms of LLVM's operations:
// maximum and minimum are llvm.maximum and llvm.minimum; exp, log, tanh and their like are calls of
// the C library's functions for double or float (or mathlib's, SpecNode::mathlib), for bf16 and f16
// between a widening and a rounding; convert from float to integer is fptosi or fptoui, which have
// no value where StableHLO's saturates, and integer division likewise by 0. f8 and i4 are bytes
// that only move.
//
// Errors: kOutOfRange where an index is not affine, or in padding at some points alone, with
// AffineTable::blocked() set; kResourceExhausted; kUnimplemented for what has no term (an integer
// power, a total order, an index from unsigned data, a reduce of no simple operation over more than
// 4096 elements).
class SymbolicAlgebra {
 public:
  using Coordinate = Affine;
  using Value = ::quern::verifier::Value;
  using Values = std::vector<Value>;
  using Index = std::vector<Affine>;

  // Both outlive this.
  SymbolicAlgebra(const SpecGraph& graph, TermTable* terms)
      : graph_(graph), terms_(*terms), affine_(terms->affine()) {}

  // In registers: a bool is one bit.
  static Type TypeOf(ElementType element);
  Affine Number(int64_t n) { return AffineTable::Number(n); }
  absl::StatusOr<Affine> Add(Affine a, Affine b);
  absl::StatusOr<Affine> Multiply(Affine a, int64_t b);
  absl::StatusOr<Affine> Divide(Affine a, int64_t b);
  absl::StatusOr<Affine> Remainder(Affine a, int64_t b);

  absl::StatusOr<bool> Within(Affine a, int64_t low, int64_t high);
  absl::StatusOr<Affine> Clamped(const SpecNode& node, ElementType type, Value value, int64_t low,
                                 int64_t high);
  absl::StatusOr<Value> IsAt(const SpecNode& node, ElementType type, Value value, Affine place);
  absl::StatusOr<bool> Decide(const SpecNode& node, Value value);

  absl::StatusOr<Value> Argument(const SpecNode& node, Affine offset);
  absl::StatusOr<Value> Constant(const SpecNode& node, Affine offset);
  absl::StatusOr<Value> Iota(const SpecNode& node, Affine coordinate);
  absl::StatusOr<Value> Apply(const SpecNode& node, ElementType element, const Values& operands);

  using Element = std::function<absl::StatusOr<Values>(const Index&)>;
  using Body = std::function<absl::StatusOr<Values>(const Values&, const Values&)>;
  absl::StatusOr<Values> Reduce(const SpecNode& node, const Values& initial,
                                const std::vector<int64_t>& extents, const Element& element,
                                const Body& body);
  using Pair = std::function<absl::StatusOr<std::pair<Value, Value>>(const Index&)>;
  absl::StatusOr<Value> Dot(const SpecNode& node, ElementType operand,
                            const std::vector<int64_t>& extents, const Pair& element);
  absl::StatusOr<std::vector<int64_t>> Sort(
      const SpecNode& node, int64_t count,
      const std::function<absl::StatusOr<Value>(int64_t, int64_t)>& before);

 private:
  static absl::Status TooLarge();
  static absl::Status Unsupported(const SpecNode& node, const std::string& why);

  using Term = std::function<absl::StatusOr<Value>(const Index&)>;
  // init combined by op with element(k) over the box, in at most `steps` runs and steps.
  absl::StatusOr<Value> Fold(const Op& op, Value init, const std::vector<int64_t>& extents,
                             const Term& element, int64_t steps);
  std::optional<Value> SumFromZero(const Op& op, Value init, Value element,
                                   const std::vector<SymbolId>& symbols,
                                   const std::vector<int64_t>& extents);
  // The same when an index is not the same expression for all values of counter `blocked`.
  absl::StatusOr<Value> FoldParts(const Op& op, Value init, const std::vector<int64_t>& extents,
                                  const Term& element, int64_t steps, size_t blocked,
                                  SymbolId counter, const absl::Status& why);
  absl::StatusOr<Value> ApplyFloat(const SpecNode& node, ElementType element, const Values& x);
  absl::StatusOr<Value> ApplyInteger(const SpecNode& node, ElementType element, const Values& x);
  absl::StatusOr<Value> Compare(const SpecNode& node, ElementType element, const Values& x);
  Value Convert(ElementType from, ElementType to, Value x);
  Value Make(BinaryOp op, const Type& type, Value a, Value b);
  Value Make(Intrinsic op, const Type& type, absl::Span<const Value> args);
  Value Make(CastOp op, const Type& from, const Type& to, Value x);
  absl::StatusOr<std::optional<bool>> CompareIndices(const SpecNode& node, ElementType element,
                                                     const Values& x);
  std::optional<Value> OfIndices(SpecOp op, ElementType element, const Values& x);
  Value Quotient(bool remainder, bool is_signed, const Type& type, Value a, Value b);
  Value Shift(SpecOp op, const Type& type, Value a, Value amount);
  Value Sign(bool is_signed, const Type& type, Value a);
  absl::StatusOr<Value> ReducePrecision(const SpecNode& node, ElementType element, Value x);
  Value Call(const SpecNode& node, const std::string& name, ElementType element,
             absl::Span<const Value> args);
  Value Float(const Type& type, double value);

  const SpecGraph& graph_;
  TermTable& terms_;
  AffineTable& affine_;
  size_t depth_ = 0;  // of counters in use
  std::map<std::pair<size_t, int64_t>, SymbolId> counters_;
};

// Element `index` of a result as it lies in memory: a bool as a byte.
absl::StatusOr<Value> ResultAt(Denotation<SymbolicAlgebra>& denotation, TermTable& terms,
                               const SpecGraph& graph, int result,
                               const std::vector<Affine>& index);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_SYMBOLIC_H_
