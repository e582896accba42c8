// What a scalar is, as a term over the elements of the arguments: hash-consed, compared by
// structure.
#ifndef QUERN_VERIFIER_SYMBOLIC_TERM_H_
#define QUERN_VERIFIER_SYMBOLIC_TERM_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "bundle/tensor_type.h"
#include "verifier/machine/ops.h"
#include "verifier/symbolic/affine.h"

namespace quern::verifier {

// The bits of a scalar. Values of one table are equal (as terms) if and only if their members are.
struct Value {
  enum Kind : uint8_t {
    kPoison,   // also undef
    kLost,     // of a past iteration of a loop that was executed once for all
    kInt,      // bits that are the integer id (LinearId) + payload; see Bits() for floats
    kPointer,  // `payload` + id (LinearId) bytes into `object`
    kLeaf,     // element `payload` + linear part of an argument; see leaf()
    kTerm,     // terms[id]
    kRun,      // runs[id] with `payload` (>= 1) steps of the outermost counter
  };
  Kind kind = kPoison;
  int16_t object = 0;
  int32_t id = 0;
  int64_t payload = 0;
  bool operator==(const Value&) const = default;
  bool is_loose() const { return kind == kPoison || kind == kLost; }
  template <typename H>
  friend H AbslHashValue(H h, const Value& v) {
    return H::combine(std::move(h), v.kind, v.object, v.id, v.payload);
  }
};
static_assert(sizeof(Value) == 16);

// An operation on scalars. `type` is the result's; `from` the operand's, of kCompare and kCast.
struct Op {
  enum Family : uint8_t {
    kBinary,     // code: BinaryOp
    kNegate,     // of a float
    kCompare,    // code: Predicate
    kCast,       // code: CastOp
    kSelect,     // args: i1, then, else
    kIntrinsic,  // code: Intrinsic
    kCall,       // name: a function of the C library
    kHeld,       // arg: what temporary `name` holds here, as computed by an earlier kernel
    kCarried,    // arg: a number; what a loop carries into an iteration, whatever it is
  };
  Family family = kBinary;
  uint8_t code = 0;
  Type type;
  Type from = {};
  int32_t name = -1;  // TermTable::name; of kHeld: the index of the buffer
  bool operator==(const Op&) const = default;
  bool is_fma() const {
    return family == kIntrinsic && static_cast<Intrinsic>(code) == Intrinsic::kFma;
  }
  bool is_commutative() const;  // of fma: the factors
  template <typename H>
  friend H AbslHashValue(H h, const Op& op) {
    return H::combine(std::move(h), op.family, op.code, op.type.kind, op.type.bits, op.from.kind,
                      op.from.bits, op.name);
  }
};

struct Leaf {
  int argument = 0;
  LinearId linear = 0;
  // The same without the counter of the highest level, if it has counters.
  int32_t base = -1;
  int64_t stride = 0;  // the coefficient of that counter
};

struct Term {
  Op op;
  int level_above = 0;   // 1 + the highest level of a counter in it, free or bound, or 0
  bool carried = false;  // whether it has an operand of kCarried, or is one
  int count = 0;
  std::array<Value, 3> args;
  int32_t depth = 1;
  int32_t size = 1;   // of the tree, at most kMaxSize
  int32_t next = -1;  // with the same hash
};

// init, combined by `op` with element(k) for each k of a box of counters, outermost slowest, in
// order: acc = op(acc, element) or, for fma, acc = fma(elements[0], elements[1], acc). The elements
// are terms over AffineTable::Counter(level) ... Counter(level + inner.size()), the last of which
// is the outermost and runs to the payload of the value; no other counter of these levels is free
// in them, and counters bound inside them have lower levels.
struct Run {
  Op op;  // kBinary or kIntrinsic
  Value init;
  int count = 0;  // of elements: 2 for fma, else 1
  std::array<Value, 2> elements;
  int level = 0;
  std::vector<int64_t> inner;  // extents of the other counters, slowest first
  int level_above = 0;         // these as Term's
  bool carried = false;
  int32_t depth = 1;
  int32_t size = 1;
  int32_t next = -1;
};

class TermTable {
 public:
  // `arguments`: element type of each argument of the spec. The affine table outlives this.
  TermTable(AffineTable* affine, std::vector<ElementType> arguments);
  AffineTable& affine() const { return *affine_; }
  // What knows whether a float, made an integer of a type, surely fits it: the plain cast is then
  // the saturating one. Else it is poison for some inputs, and stays another term.
  using FitsInteger =
      std::function<bool(Value number, const Type& from, const Type& to, bool is_signed)>;
  void UseBounds(FitsInteger fits) { fits_ = std::move(fits); }
  bool Fits(Value number, const Type& from, const Type& to, bool is_signed) const {
    return fits_ && fits_(number, from, to, is_signed);
  }

  // Bits of a constant, of which the low type.bits count: sign-extended, but 0 or 1 for an i1.
  static Value Bits(const Type& type, uint64_t bits);
  static Value Integer(Affine a) { return {Value::kInt, 0, a.linear, a.constant}; }
  static Value Poison() { return {}; }
  // nullopt: not a constant. Zero-extended.
  static std::optional<uint64_t> ConstantBits(const Type& type, Value v);
  static Affine AffineOf(Value v);  // of kInt and kPointer
  Value MakeLeaf(int argument, Affine element);

  // `args` have the operation's operand types, or others of as many bits, which are reinterpreted.
  // Recognises runs (accumulations whose elements differ by constant steps of the leaves' offsets),
  // orders the operands of commutative operations, folds casts that cancel, and evaluates integer
  // operations on constants. Affine integers stay inside as kInt. A lost operand makes the result
  // lost, else a poisoned one poison (for a select, if it may be chosen).
  Value Apply(const Op& op, absl::Span<const Value> args);
  // A run over a box: `symbols`, slowest first, each have the values [0, extent) of `extents`, all
  // at least 1. The elements are terms over the symbols, which become counters.
  std::optional<Value> MakeRun(const Op& op, Value init, absl::Span<const Value> elements,
                               absl::Span<const SymbolId> symbols,
                               absl::Span<const int64_t> extents);
  // What `value`, the carried one after an iteration, is after iterations [0, count) of `symbol`,
  // if it is a fold: op(carried, element), element independent of it, or a run of those.
  std::optional<Value> FoldOver(Value carried, Value init, Value value, SymbolId symbol,
                                int64_t count);
  // The step of a run or a plain application.
  Value Accumulate(const Op& op, Value accumulator, absl::Span<const Value> elements);

  // An integer of that type as an index: affine, or the inputs' own number if it is clamped between
  // constants on the way, which makes it a symbol of data. nullopt: it may be any number, or wrap.
  std::optional<Affine> IndexOf(Value v, const Type& type);
  // Bounds of an integer of that type as a signed number, for all inputs: at worst the type's own.
  Interval RangeOf(Value v, const Type& type) const;
  // Whether the integer of that type is known to differ from `bits` for all inputs: a constant, or
  // a choice that avoids it.
  bool NeverIs(Value v, const Type& type, uint64_t bits) const;

  Leaf leaf(Value v) const { return leaves_[v.id]; }
  Affine Element(Value leaf) const { return {leaves_[leaf.id].linear, leaf.payload}; }
  const Term& term(Value v) const { return terms_[v.id]; }
  const Run& run(Value v) const { return runs_[v.id]; }
  ElementType argument_type(int argument) const { return arguments_[argument]; }
  int num_arguments() const { return static_cast<int>(arguments_.size()); }
  // nullopt: bits of no type (kInt).
  std::optional<Type> TypeOf(Value v) const;
  // 1 + the highest level of a counter in it, free or bound, or 0.
  int LevelAbove(Value v) const;
  // Whether it depends on what a loop carries.
  bool IsCarried(Value v) const;
  // Nesting and number of operations of the tree that v stands for, kMaxSize if more: what walks it
  // without remembering must look first.
  int Depth(Value v) const;
  int Size(Value v) const;
  static constexpr int kMaxSize = 1 << 20;
  static constexpr int kMaxDepth = 4096;
  // Replaces a symbol of the affine table in all index expressions and integers. nullopt: overflow,
  // or a term of kMaxSize or of more than kMaxDepth.
  std::optional<Value> Substitute(Value v, SymbolId symbol, Affine by);

  int32_t Name(std::string_view name);
  const std::string& name(int32_t id) const { return names_[id]; }
  int64_t bytes() const;                 // approximate memory
  std::string ToString(Value v) const;   // at most a few hundred characters
  static Type TypeOf(ElementType type);  // in memory: bools, i4 and f8 are an i8

 private:
  bool HoldsWhere(Value condition, Value v, const Type& type, uint64_t bits) const;
  Value InternTerm(const Op& op, absl::Span<const Value> args);
  Value InternRun(Run run, int64_t length);
  std::optional<Value> Replace(Value v, SymbolId symbol, Affine by);
  Value Cast(Value v, const Type& type);  // reinterprets if v is of another type
  std::optional<Value> Extend(const Op& op, Value accumulator, absl::Span<const Value> elements);
  // A term t with t[counter := 0] = a and t[counter := 1] = b.
  std::optional<Value> Unify(Value a, Value b, SymbolId counter);
  // Whether pattern[its highest counter, of level `level`, := k] = v.
  bool Matches(Value pattern, int level, int64_t k, Value v) const;
  std::optional<Affine> DataOf(Value v, Interval range);
  // Adds the free symbols of v; false: bound counters, or too large to walk.
  bool AddSymbols(Value v, std::vector<SymbolId>* symbols) const;
  void Describe(Value v, std::string* text) const;

  AffineTable* affine_;
  FitsInteger fits_;
  std::vector<ElementType> arguments_;
  std::vector<Leaf> leaves_;
  absl::flat_hash_map<std::pair<int, LinearId>, int32_t> leaf_ids_;
  std::vector<Term> terms_;
  absl::flat_hash_map<size_t, int32_t> term_ids_;  // the last with a hash
  std::vector<Run> runs_;
  absl::flat_hash_map<size_t, int32_t> run_ids_;
  absl::flat_hash_map<std::pair<Value, std::pair<int64_t, int64_t>>, SymbolId> data_;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, int32_t> name_ids_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_TERM_H_
