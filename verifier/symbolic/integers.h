// LLVM's integer operations on values that are affine in blocks and loop counters.
#ifndef QUERN_VERIFIER_SYMBOLIC_INTEGERS_H_
#define QUERN_VERIFIER_SYMBOLIC_INTEGERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "verifier/machine/ops.h"
#include "verifier/symbolic/oracle.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Divide the values of a symbol so that a question has one answer on each part.
struct Split {
  SymbolId symbol = -1;
  int64_t at = 0;     // > low: [low, at) and [at, high]
  int64_t radix = 0;  // if not 0: symbol = radix * quotient + remainder instead
};

// Stateless apart from `split`: the last question that had several answers. Results are exact:
// nullopt means "no affine answer for all points". With an oracle, quotients that are not affine
// become symbols, and it is asked where intervals do not tell. A result that a flag makes poison at
// some point is poison, which is an over-approximation that only costs completeness.
class Integers {
 public:
  explicit Integers(AffineTable* affine) : affine_(*affine) {}

  // nullptr (as at first): there is none. Not owned.
  void UseOracle(Oracle* oracle) { oracle_ = oracle; }
  Oracle* oracle() const { return oracle_; }

  // All operands are kInt.
  std::optional<Value> Binary(BinaryOp op, BinaryFlags flags, const Type& type, Value a, Value b);
  std::optional<Value> Cast(CastOp op, CastFlags flags, const Type& from, const Type& to, Value a);
  std::optional<Value> Compare(Predicate predicate, bool same_sign, const Type& type, Value a,
                               Value b);

  // As a two's complement number, or an unsigned one.
  std::optional<Affine> Signed(Value a, const Type& type);
  std::optional<Affine> Unsigned(Value a, const Type& type);

  // Whether the value lies in `range` at all points. `kind` names the obligation if the oracle
  // decides it.
  bool Within(Affine a, Interval range, std::string_view kind);
  // a = c * quotient + remainder, as AffineTable::Divide, whose `blocked` tells why not.
  std::optional<AffineTable::Division> Divide(Affine a, int64_t c);

  const std::optional<Split>& split() const { return split_; }
  void ClearSplit() { split_.reset(); }
  // Asks for a free symbol of `a` or `b` to be halved, until only one point is left.
  std::nullopt_t Halve(Affine a, Affine b = {});
  // Asks for a split that makes the last blocked division affine.
  std::nullopt_t SplitBlocked();

 private:
  std::optional<Value> Arithmetic(BinaryOp op, BinaryFlags flags, const Type& type, Value a,
                                  Value b);
  std::optional<Value> Divide(BinaryOp op, bool exact, const Type& type, Value a, int64_t divisor,
                              bool is_signed);
  std::optional<Value> Or(bool disjoint, const Type& type, Value a, Value b);
  // Whether a < b (or a <= b) at all points, or at none.
  std::optional<bool> Less(Affine a, Affine b, bool or_equal);
  std::optional<bool> Equal(Affine a, Affine b);
  bool SplitAtZero(Affine difference);
  // Whether the oracle rules out that "(relation a 0)" at some point.
  bool Never(const char* relation, Affine a);

  AffineTable& affine_;
  Oracle* oracle_ = nullptr;
  std::optional<Split> split_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_INTEGERS_H_
