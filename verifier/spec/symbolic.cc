#include "verifier/spec/symbolic.h"

#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/spec/scalar.h"

namespace quern::verifier {

static constexpr Type kTruth = {Type::kInt, 1, 1};

Type SymbolicAlgebra::TypeOf(ElementType element) {
  Type type = TermTable::TypeOf(element);
  if (type.kind == Type::kInt) type.bits = static_cast<uint8_t>(BitWidth(element));
  return type;
}

absl::Status SymbolicAlgebra::TooLarge() {
  return absl::ResourceExhaustedError("an index of the module is too large");
}

absl::Status SymbolicAlgebra::Unsupported(const SpecNode& node, const std::string& why) {
  return absl::UnimplementedError(absl::StrCat(node.where, ": ", why));
}

absl::StatusOr<Affine> SymbolicAlgebra::Add(Affine a, Affine b) {
  const std::optional<Affine> sum = affine_.Add(a, b);
  return sum.has_value() ? absl::StatusOr<Affine>(*sum) : TooLarge();
}

absl::StatusOr<Affine> SymbolicAlgebra::Multiply(Affine a, int64_t b) {
  const std::optional<Affine> product = affine_.Scale(a, b);
  return product.has_value() ? absl::StatusOr<Affine>(*product) : TooLarge();
}

absl::StatusOr<Affine> SymbolicAlgebra::Divide(Affine a, int64_t b) {
  if (b == 0) return Number(0);  // in an empty tensor, which has no elements to ask for
  const auto division = affine_.Divide(a, b);
  if (!division.has_value()) return absl::OutOfRangeError("an index is not affine");
  return division->quotient;
}

absl::StatusOr<Affine> SymbolicAlgebra::Remainder(Affine a, int64_t b) {
  if (b == 0) return Number(0);
  const auto division = affine_.Divide(a, b);
  if (!division.has_value()) return absl::OutOfRangeError("an index is not affine");
  return division->remainder;
}

Value SymbolicAlgebra::Make(BinaryOp op, const Type& type, Value a, Value b) {
  return terms_.Apply(
      {.family = Op::kBinary, .code = static_cast<uint8_t>(op), .type = type, .from = {}}, {a, b});
}

Value SymbolicAlgebra::Make(Intrinsic op, const Type& type, absl::Span<const Value> args) {
  return terms_.Apply(
      {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(op), .type = type, .from = {}}, args);
}

Value SymbolicAlgebra::Make(CastOp op, const Type& from, const Type& to, Value x) {
  return terms_.Apply(
      {.family = Op::kCast, .code = static_cast<uint8_t>(op), .type = to, .from = from}, {x});
}

Value SymbolicAlgebra::Float(const Type& type, double value) {
  return TermTable::Bits(type, FromDouble(type.kind, value));
}

absl::StatusOr<Value> SymbolicAlgebra::Argument(const SpecNode& node, Affine offset) {
  const Value leaf = terms_.MakeLeaf(node.number, offset);
  const Type stored = TermTable::TypeOf(node.type.element), type = TypeOf(node.type.element);
  return stored == type ? leaf : Make(CastOp::kTrunc, stored, type, leaf);
}

absl::StatusOr<Value> SymbolicAlgebra::Constant(const SpecNode& node, Affine offset) {
  static constexpr int64_t kMaxSplit = 4096;  // elements of a constant that are told apart
  if (!offset.is_constant()) {
    const int64_t count = node.constant->type().num_elements();
    if (count > kMaxSplit) {
      return Unsupported(node, "a constant that is no splat, at an index that is not one number");
    }
    affine_.Block(offset, 1);
    return absl::OutOfRangeError("a constant's element depends on the block");
  }
  const ElementType element = node.type.element;
  return TermTable::Bits(TypeOf(element), BitsOf(Load(*node.constant, offset.constant), element));
}

absl::StatusOr<Value> SymbolicAlgebra::Iota(const SpecNode& node, Affine coordinate) {
  const std::optional<Interval> range = affine_.Bounds(coordinate);
  const ElementType element = node.type.element;
  if (IsStorageOnly(element)) return Unsupported(node, "is not supported by the prover on bytes");
  const int width = IsFloat(element) ? 64 : BitWidth(element);
  if (!range.has_value() || range->high > std::numeric_limits<int64_t>::max() >> (64 - width)) {
    return TooLarge();
  }
  const Value number = TermTable::Integer(coordinate);
  return IsFloat(element) ? Convert(ElementType::kI64, element, number) : number;
}

absl::StatusOr<bool> SymbolicAlgebra::Within(Affine a, int64_t low, int64_t high) {
  if (high < low) return false;
  const std::optional<Interval> bounds = affine_.Bounds(a);
  if (!bounds.has_value()) return TooLarge();
  if (bounds->low >= low && bounds->high <= high) return true;
  if (bounds->low > high || bounds->high < low) return false;
  // As a division whose quotient changes once, where `a` enters the range or leaves it.
  const int64_t edge = bounds->low < low ? low : high + 1;
  const std::optional<Affine> past = affine_.Add(a, Number(-edge));
  if (!past.has_value()) return TooLarge();
  affine_.Block(*past, std::numeric_limits<int64_t>::max());
  return absl::OutOfRangeError("some of the indices lie in padding");
}

absl::StatusOr<Affine> SymbolicAlgebra::Clamped(const SpecNode& node, ElementType type, Value value,
                                                int64_t low, int64_t high) {
  if (low == high) return Number(low);
  if (value.kind != Value::kInt) {
    if (!IsSigned(type)) return Unsupported(node, "an index from unsigned data has no term");
    const Type integer = TypeOf(type);
    if (high > SignedMax(integer.bits)) return Unsupported(node, "an index of this type");
    const auto bits = [&](int64_t x) { return TermTable::Bits(integer, static_cast<uint64_t>(x)); };
    const Value least = Make(Intrinsic::kSMax, integer, {value, bits(low)});
    const Value clamped = Make(Intrinsic::kSMin, integer, {least, bits(high)});
    const std::optional<Affine> index = terms_.IndexOf(clamped, integer);
    if (!index.has_value()) return Unsupported(node, "an index from data has no term");
    return *index;
  }
  const Affine number = TermTable::AffineOf(value);
  if (!IsSigned(type) && !number.is_constant()) return Unsupported(node, "an index of this type");
  if (!IsSigned(type) && number.constant < 0) return Number(high);
  const int64_t least = std::numeric_limits<int64_t>::min();
  QUERN_ASSIGN_OR_RETURN(const bool below, Within(number, least, low - 1));
  if (below) return Number(low);
  QUERN_ASSIGN_OR_RETURN(const bool inside, Within(number, low, high));
  return inside ? number : Number(high);
}

absl::StatusOr<Value> SymbolicAlgebra::IsAt(const SpecNode& node, ElementType element, Value value,
                                            Affine place) {
  const Type type = TypeOf(element);
  const std::optional<Interval> range = affine_.Bounds(place);
  const int64_t greatest = std::numeric_limits<int64_t>::max() >> (64 - BitWidth(element));
  if (!range.has_value() || IsStorageOnly(element) || range->low < 0 || range->high > greatest) {
    return Unsupported(node, "an index of this type");
  }
  return terms_.Apply({.family = Op::kCompare,
                       .code = static_cast<uint8_t>(Predicate::kEq),
                       .type = kTruth,
                       .from = type},
                      {value, TermTable::Integer(place)});
}

absl::StatusOr<bool> SymbolicAlgebra::Decide(const SpecNode& node, Value value) {
  const std::optional<uint64_t> known = TermTable::ConstantBits(kTruth, value);
  if (!known.has_value()) return Unsupported(node, "a choice by data is not supported");
  return *known != 0;
}

absl::StatusOr<std::vector<int64_t>> SymbolicAlgebra::Sort(
    const SpecNode& node, int64_t, const std::function<absl::StatusOr<Value>(int64_t, int64_t)>&) {
  return Unsupported(node, "is not supported by the prover");
}

absl::StatusOr<Value> SymbolicAlgebra::Apply(const SpecNode& node, ElementType element,
                                             const Values& operands) {
  if (node.op == SpecOp::kSelect) {
    return terms_.Apply({.family = Op::kSelect, .type = TypeOf(element), .from = {}}, operands);
  }
  // Of f8 terms know the byte alone.
  const bool computed = node.op != SpecOp::kConvert || element != node.type.element;
  if (computed && (IsStorageOnly(element) || IsStorageOnly(node.type.element))) {
    return Unsupported(node, absl::StrCat("is not supported by the prover on ", Name(element)));
  }
  switch (node.op) {
    case SpecOp::kConvert:
      return Convert(element, node.type.element, operands[0]);
    case SpecOp::kBitcast:
      return Make(CastOp::kBitcast, TypeOf(element), TypeOf(node.type.element), operands[0]);
    case SpecOp::kCompare:
      return Compare(node, element, operands);
    default:
      return IsFloat(element) ? ApplyFloat(node, element, operands)
                              : ApplyInteger(node, element, operands);
  }
}

}  // namespace quern::verifier
