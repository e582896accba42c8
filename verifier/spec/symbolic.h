// What an element of a result is, as a term over the elements of the arguments.
#ifndef QUERN_VERIFIER_SPEC_SYMBOLIC_H_
#define QUERN_VERIFIER_SPEC_SYMBOLIC_H_

#include <cstdint>
#include <functional>
#include <map>
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
// the C library's float functions, for bf16 between a widening and a rounding; convert from float
// to integer is fptosi, which has no value where StableHLO's saturates.
//
// Errors: kOutOfRange where an index is not affine, with AffineTable::blocked() set;
// kResourceExhausted; kUnimplemented for what has no term (an integer power, a total order, a
// reduce of no simple operation over more than 4096 elements).
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

 private:
  static absl::Status TooLarge();
  static absl::Status Unsupported(const SpecNode& node, const std::string& why);

  // init combined by op with element(k) over the box.
  absl::StatusOr<Value> Fold(const SpecNode& node, const Op& op, Value init,
                             const std::vector<int64_t>& extents,
                             const std::function<absl::StatusOr<Value>(const Index&)>& element);
  absl::StatusOr<Value> ApplyFloat(const SpecNode& node, ElementType element, const Values& x);
  absl::StatusOr<Value> ApplyInteger(const SpecNode& node, ElementType element, const Values& x);
  absl::StatusOr<Value> Compare(const SpecNode& node, ElementType element, const Values& x);
  Value Convert(ElementType from, ElementType to, Value x);
  Value Make(BinaryOp op, const Type& type, Value a, Value b);
  Value Make(Intrinsic op, const Type& type, absl::Span<const Value> args);
  Value Make(CastOp op, const Type& from, const Type& to, Value x);
  Value Call(const char* name, ElementType element, absl::Span<const Value> args);
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
