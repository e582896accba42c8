#include "verifier/symbolic/domain.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"

namespace quern::verifier {

SymbolicDomain::SymbolicDomain(const Module& module, TermTable* terms, Integers* integers,
                               SymbolicMemory* memory, LoopPolicy* loops)
    : module_(module),
      terms_(*terms),
      affine_(terms->affine()),
      integers_(*integers),
      memory_(*memory),
      loops_(*loops) {
  for (const Global& global : module.globals) {
    const int object = memory_.Add({.name = global.name,
                                    .bytes = static_cast<int64_t>(global.bytes.size()),
                                    .alignment = global.alignment});
    globals_.push_back(object);
    const Type byte = {Type::kInt, 8, 1};
    for (size_t i = 0; i < global.bytes.size(); ++i) {
      if (!global.defined[i]) continue;
      const Value value = TermTable::Bits(byte, static_cast<uint8_t>(global.bytes[i]));
      memory_.Write(object, AffineTable::Number(static_cast<int64_t>(i)), 1, 1, 1, &value, &fault_);
    }
    memory_.Seal(object);
  }
}

void SymbolicDomain::Fail(FaultKind kind, const std::string& message) {
  if (ok()) fault_ = {.kind = kind, .message = message};
}

void SymbolicDomain::Reserve(const Type& type, Register* out) {
  storage_.push_back(std::make_unique<Value[]>(type.lanes));
  out->lanes = storage_.back().get();
}

void SymbolicDomain::Put(const Constant& constant, Register* out) {
  for (size_t i = 0; i < constant.lanes.size(); ++i) {
    const ConstantLane& lane = constant.lanes[i];
    switch (lane.kind) {
      case ConstantLane::kBits:
        out->lanes[i] = TermTable::Bits(constant.type.scalar(), lane.bits);
        break;
      case ConstantLane::kPoison:
        out->lanes[i] = TermTable::Poison();
        break;
      case ConstantLane::kGlobal:
        out->lanes[i] = {Value::kPointer, static_cast<int16_t>(globals_[lane.global]), 0,
                         static_cast<int64_t>(lane.bits)};
        break;
    }
  }
}

void SymbolicDomain::Copy(const Type& type, const Register& a, Register* out) {
  if (a.lanes != out->lanes) std::copy_n(a.lanes, type.lanes, out->lanes);
}

Value SymbolicDomain::Answer(std::optional<Value> value, const char* what) {
  if (value.has_value()) return *value;
  if (integers_.split().has_value()) {
    Fail(FaultKind::kSplit, what);
  } else {
    Fail(FaultKind::kUndecided, absl::StrCat("the result of ", what, " is not known"));
  }
  return TermTable::Poison();
}

bool SymbolicDomain::Usable(Value value, const char* what) {
  if (value.kind == Value::kPoison) {
    Fail(FaultKind::kPoison, absl::StrCat("poison reaches ", what));
    return false;
  }
  if (value.kind == Value::kLost) {
    lost_site_ = value.id;
    Fail(FaultKind::kUndecided, absl::StrCat(what, " needs a value of a loop's last iteration"));
    return false;
  }
  return true;
}

static Value Loose(Value a, Value b) {
  if (a.kind == Value::kLost) return a;
  if (b.kind == Value::kLost) return b;
  return TermTable::Poison();
}

Value SymbolicDomain::BinaryLane(BinaryOp op, BinaryFlags flags, const Type& type, Value a,
                                 Value b) {
  if (a.is_loose() || b.is_loose()) return Loose(a, b);
  if (a.kind == Value::kPointer || b.kind == Value::kPointer) {
    Fail(FaultKind::kUnsupported, "arithmetic on an address");
    return TermTable::Poison();
  }
  const bool integer = type.kind == Type::kInt;
  if (integer && (flags.nuw || flags.nsw || flags.exact || flags.disjoint)) {
    const Value x = Indexed(a, type), y = Indexed(b, type);
    if (x.kind == Value::kInt && y.kind == Value::kInt) a = x, b = y;
  }
  if (integer && a.kind == Value::kInt && b.kind == Value::kInt) {
    integers_.ClearSplit();
    return Answer(integers_.Binary(op, flags, type, a, b), "integer arithmetic");
  }
  if (integer) {
    // On data: a flag may be violated for some input.
    if (!Holds(op, flags, type, a, b)) return TermTable::Poison();
    const bool shift = op == BinaryOp::kShl || op == BinaryOp::kLShr || op == BinaryOp::kAShr;
    if (shift) {
      const Interval by = terms_.RangeOf(b, type);
      if (by.low < 0 || by.high >= type.bits) return TermTable::Poison();
    }
    const bool is_signed = op == BinaryOp::kSDiv || op == BinaryOp::kSRem;
    if (is_signed || op == BinaryOp::kUDiv || op == BinaryOp::kURem) {
      const uint64_t ones = ~uint64_t{0} >> (64 - type.bits);
      if (!terms_.NeverIs(b, type, 0) || (is_signed && !terms_.NeverIs(b, type, ones))) {
        Fail(FaultKind::kUndecided, "a division by data may be undefined");
      }
    }
  }
  return terms_.Apply({.family = Op::kBinary, .code = static_cast<uint8_t>(op), .type = type},
                      {a, b});
}

bool SymbolicDomain::Holds(BinaryOp op, BinaryFlags flags, const Type& type, Value a,
                           Value b) const {
  if (!flags.nuw && !flags.nsw && !flags.exact && !flags.disjoint) return true;
  const Interval x = terms_.RangeOf(a, type), y = terms_.RangeOf(b, type);
  using Wide = __int128;
  const auto within = [&](Wide low, Wide high) {
    const Wide greatest = SignedMax(type.bits);
    const bool is_signed = !flags.nsw || (low >= -greatest - 1 && high <= greatest);
    // Unsigned numbers are these where none is negative.
    const bool is_unsigned =
        !flags.nuw || (x.low >= 0 && y.low >= 0 && low >= 0 && high <= 2 * greatest + 1);
    return is_signed && is_unsigned;
  };
  if (flags.exact || flags.disjoint || type.bits == 1) return false;
  const Wide corners[] = {Wide{x.low} * y.low, Wide{x.low} * y.high, Wide{x.high} * y.low,
                          Wide{x.high} * y.high};
  switch (op) {
    case BinaryOp::kAdd:
      return within(Wide{x.low} + y.low, Wide{x.high} + y.high);
    case BinaryOp::kSub:
      return within(Wide{x.low} - y.high, Wide{x.high} - y.low);
    case BinaryOp::kMul:
      return within(*std::min_element(corners, corners + 4),
                    *std::max_element(corners, corners + 4));
    default:
      return false;
  }
}

void SymbolicDomain::Binary(BinaryOp op, BinaryFlags flags, const Type& type, const Register& a,
                            const Register& b, Register* out) {
  const Type scalar = type.scalar();
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    out->lanes[i] = BinaryLane(op, flags, scalar, a.lanes[i], b.lanes[i]);
  }
}

void SymbolicDomain::Negate(const Type& type, const Register& a, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    out->lanes[i] = terms_.Apply({.family = Op::kNegate, .type = type.scalar()}, {a.lanes[i]});
  }
}

Value SymbolicDomain::CompareLane(Predicate predicate, bool same_sign, const Type& type, Value a,
                                  Value b) {
  if (a.is_loose() || b.is_loose()) return Loose(a, b);
  if (a.kind == Value::kPointer || b.kind == Value::kPointer) {
    const bool comparable = a.kind == b.kind && a.object == b.object && predicate >= Predicate::kEq;
    if (!comparable) {
      Fail(FaultKind::kUnsupported, "a comparison of addresses in different objects");
      return TermTable::Poison();
    }
    a = TermTable::Integer(TermTable::AffineOf(a));
    b = TermTable::Integer(TermTable::AffineOf(b));
    // Offsets of pointers to one object compare as the addresses do if neither is negative.
    integers_.ClearSplit();
    return Answer(integers_.Compare(predicate, false, {Type::kInt, 64, 1}, a, b), "a comparison");
  }
  if (type.kind == Type::kInt && a.kind == Value::kInt && b.kind == Value::kInt) {
    integers_.ClearSplit();
    return Answer(integers_.Compare(predicate, same_sign, type, a, b), "a comparison");
  }
  if (same_sign && (terms_.RangeOf(a, type).low < 0 || terms_.RangeOf(b, type).low < 0)) {
    return TermTable::Poison();
  }
  return terms_.Apply({.family = Op::kCompare,
                       .code = static_cast<uint8_t>(predicate),
                       .type = {Type::kInt, 1, 1},
                       .from = type},
                      {a, b});
}

void SymbolicDomain::Compare(Predicate predicate, bool same_sign, const Type& type,
                             const Register& a, const Register& b, Register* out) {
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    out->lanes[i] = CompareLane(predicate, same_sign, type.scalar(), a.lanes[i], b.lanes[i]);
  }
}

void SymbolicDomain::Cast(CastOp op, CastFlags flags, const Type& from, const Type& to,
                          const Register& a, Register* out) {
  if (from.lanes != to.lanes || from.kind == Type::kPointer || to.kind == Type::kPointer) {
    if (op == CastOp::kBitcast && from == to) return Copy(to, a, out);
    return Fail(FaultKind::kUnsupported, "a cast between lanes of different widths");
  }
  for (uint32_t i = 0; i < to.lanes && ok(); ++i) {
    const bool promise = flags.nneg || flags.nuw || flags.nsw;
    const Value lane = promise ? Indexed(a.lanes[i], from.scalar()) : a.lanes[i];
    if (from.kind == Type::kInt && to.kind == Type::kInt && lane.kind == Value::kInt) {
      integers_.ClearSplit();
      out->lanes[i] = Answer(integers_.Cast(op, flags, from.scalar(), to.scalar(), lane), "a cast");
      continue;
    }
    if (lane.kind == Value::kInt && (op == CastOp::kSIToFP || op == CastOp::kUIToFP)) {
      integers_.ClearSplit();
      const std::optional<Affine> number = op == CastOp::kSIToFP
                                               ? integers_.Signed(lane, from.scalar())
                                               : integers_.Unsigned(lane, from.scalar());
      if (!number.has_value()) {
        Answer(std::nullopt, "a cast");
        return;
      }
      // As a wide integer, whose conversion rounds the same.
      out->lanes[i] = terms_.Apply({.family = Op::kCast,
                                    .code = static_cast<uint8_t>(CastOp::kSIToFP),
                                    .type = to.scalar(),
                                    .from = {Type::kInt, 64, 1}},
                                   {TermTable::Integer(*number)});
      continue;
    }
    // Whether data keeps another promise than not to be negative is not known.
    const bool broken =
        flags.nuw || flags.nsw || (flags.nneg && terms_.RangeOf(lane, from.scalar()).low < 0);
    out->lanes[i] = broken && !lane.is_loose() ? TermTable::Poison()
                                               : terms_.Apply({.family = Op::kCast,
                                                               .code = static_cast<uint8_t>(op),
                                                               .type = to.scalar(),
                                                               .from = from.scalar()},
                                                              {lane});
  }
}

Value SymbolicDomain::SelectLane(const Type& type, Value condition, Value a, Value b) {
  if (condition.is_loose()) return condition;
  const std::optional<uint64_t> known = TermTable::ConstantBits({Type::kInt, 1, 1}, condition);
  if (known.has_value()) return *known != 0 ? a : b;
  if (a == b) return a;
  if (a.kind == Value::kPointer || b.kind == Value::kPointer) {
    Fail(FaultKind::kUnsupported, "an address that depends on data");
    return TermTable::Poison();
  }
  return terms_.Apply({.family = Op::kSelect, .type = type}, {condition, a, b});
}

void SymbolicDomain::Select(const Type& type, bool splat, const Register& condition,
                            const Register& a, const Register& b, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    out->lanes[i] =
        SelectLane(type.scalar(), condition.lanes[splat ? 0 : i], a.lanes[i], b.lanes[i]);
  }
}

Value SymbolicDomain::LanewiseLane(Intrinsic intrinsic, const Type& type,
                                   absl::Span<const Value> args) {
  if (type.kind != Type::kInt) {
    return terms_.Apply(
        {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(intrinsic), .type = type}, args);
  }
  for (const Value& value : args) {
    if (value.is_loose()) return value;
  }
  const auto compare = [&](Predicate predicate, Value a, Value b) {
    return CompareLane(predicate, false, type, a, b);
  };
  Predicate predicate = Predicate::kISlt;
  switch (intrinsic) {
    case Intrinsic::kSMin:
      break;
    case Intrinsic::kSMax:
      predicate = Predicate::kISgt;
      break;
    case Intrinsic::kUMin:
      predicate = Predicate::kIUlt;
      break;
    case Intrinsic::kUMax:
      predicate = Predicate::kIUgt;
      break;
    case Intrinsic::kAbs: {
      const Value zero = TermTable::Bits(type, 0);
      const BinaryFlags flags = {.nsw = TermTable::ConstantBits({Type::kInt, 1, 1}, args[1]) != 0};
      const Value negative = compare(Predicate::kISlt, args[0], zero);
      if (!ok()) return negative;
      return SelectLane(type, negative, BinaryLane(BinaryOp::kSub, flags, type, zero, args[0]),
                        args[0]);
    }
    default:
      Fail(FaultKind::kUnsupported, "this operation on integers");
      return TermTable::Poison();
  }
  if (args[0].kind == Value::kInt && args[1].kind == Value::kInt) {
    return SelectLane(type, compare(predicate, args[0], args[1]), args[0], args[1]);
  }
  return terms_.Apply(
      {.family = Op::kIntrinsic, .code = static_cast<uint8_t>(intrinsic), .type = type}, args);
}

void SymbolicDomain::Lanewise(Intrinsic intrinsic, const Type& type,
                              std::span<const Register* const> args, Register* out) {
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    Value lane[3];
    for (size_t j = 0; j < args.size(); ++j) {
      lane[j] = args[j]->lanes[intrinsic == Intrinsic::kAbs && j == 1 ? 0 : i];
    }
    out->lanes[i] = LanewiseLane(intrinsic, type.scalar(), absl::MakeSpan(lane, args.size()));
  }
}

void SymbolicDomain::LibraryCall(const std::string& name, const Type& type,
                                 std::span<const Register* const> args, Register* out) {
  if (args.size() > 3) return Fail(FaultKind::kUnsupported, "a call of many arguments");
  const Op op = {.family = Op::kCall, .type = type.scalar(), .name = terms_.Name(name)};
  for (uint32_t i = 0; i < type.lanes; ++i) {
    Value lane[3];
    for (size_t j = 0; j < args.size(); ++j) lane[j] = args[j]->lanes[i];
    out->lanes[i] = terms_.Apply(op, absl::MakeSpan(lane, args.size()));
  }
}

void SymbolicDomain::Freeze(const Type& type, const Register& a, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    if (!Usable(a.lanes[i], "a freeze")) return;
  }
  Copy(type, a, out);
}

std::optional<int64_t> SymbolicDomain::Number(Value value, const Type& type, const char* what) {
  if (!Usable(value, what)) return std::nullopt;
  if (value.kind != Value::kInt) {
    Fail(FaultKind::kUnsupported, absl::StrCat(what, " depends on data"));
    return std::nullopt;
  }
  if (value.id != 0) {
    integers_.Halve(TermTable::AffineOf(value));
    Fail(integers_.split().has_value() ? FaultKind::kSplit : FaultKind::kUndecided, what);
    return std::nullopt;
  }
  return static_cast<int64_t>(*TermTable::ConstantBits(type, value));
}

void SymbolicDomain::Extract(const Type& type, const Register& vector, const Register& index,
                             Register* out) {
  if (index.lanes[0].is_loose()) {
    out->lanes[0] = index.lanes[0];
    return;
  }
  const std::optional<int64_t> lane = Number(index.lanes[0], {Type::kInt, 64, 1}, "a lane");
  if (!lane.has_value()) return;
  const bool inside = *lane >= 0 && *lane < int64_t{type.lanes};
  out->lanes[0] = inside ? vector.lanes[*lane] : TermTable::Poison();
}

void SymbolicDomain::Insert(const Type& type, const Register& vector, const Register& scalar,
                            const Register& index, Register* out) {
  const std::optional<int64_t> lane = Number(index.lanes[0], {Type::kInt, 64, 1}, "a lane");
  if (!lane.has_value()) return;
  const bool inside = *lane >= 0 && *lane < int64_t{type.lanes};
  const Value value = scalar.lanes[0];
  Copy(type, vector, out);
  if (inside) {
    out->lanes[*lane] = value;
  } else {
    std::fill_n(out->lanes, type.lanes, TermTable::Poison());
  }
}

void SymbolicDomain::Shuffle(const Type& type, const Register& a, const Register& b,
                             std::span<const int> mask, Register* out) {
  Value lanes[Type::kMaxLanes];
  const int count = static_cast<int>(type.lanes);
  for (size_t i = 0; i < mask.size(); ++i) {
    lanes[i] = mask[i] < 0       ? TermTable::Poison()
               : mask[i] < count ? a.lanes[mask[i]]
                                 : b.lanes[mask[i] - count];
  }
  std::copy_n(lanes, mask.size(), out->lanes);
}

void SymbolicDomain::Assume(const Register& condition) {
  const std::optional<bool> holds = Decide(condition);
  if (holds.has_value() && !*holds) Fail(FaultKind::kAssume, "a false assumption");
}

void SymbolicDomain::RequireDefined(const Type& type, const Register& a) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    if (!Usable(a.lanes[i], "what must be defined")) return;
  }
}

std::optional<bool> SymbolicDomain::Decide(const Register& condition) {
  const std::optional<int64_t> value =
      Number(condition.lanes[0], {Type::kInt, 1, 1}, "a condition");
  if (!value.has_value()) return std::nullopt;
  return *value != 0;
}

}  // namespace quern::verifier
