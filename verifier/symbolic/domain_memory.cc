// Addresses and memory of the symbolic domain.
#include <vector>

#include "absl/strings/str_cat.h"
#include "verifier/symbolic/domain.h"

namespace quern::verifier {

static constexpr int64_t kDistinctLimit = 1 << 26;

bool SymbolicDomain::Address(Value value, const char* what) {
  if (!Usable(value, what)) return false;
  if (value.kind == Value::kPointer) return true;
  Fail(FaultKind::kOutOfBounds, absl::StrCat(what, " is not an address"));
  return false;
}

Value SymbolicDomain::Indexed(Value value, const Type& type) {
  if (value.kind != Value::kTerm) return value;
  const std::optional<Affine> index = terms_.IndexOf(value, type);
  return index.has_value() ? TermTable::Integer(*index) : value;
}

Value SymbolicDomain::GepLane(GepFlags flags, Value base, std::span<const GepStep<Register>> steps,
                              int lane) {
  if (base.is_loose()) return base;
  if (base.kind != Value::kPointer) {
    Fail(FaultKind::kUnsupported, "an address that is not in an object");
    return TermTable::Poison();
  }
  const int64_t bytes = memory_.object(base.object).bytes;
  const auto inside = [&](Affine offset) {
    return integers_.Within(offset, {0, bytes}, "in-bounds");
  };
  std::optional<Affine> offset = TermTable::AffineOf(base);
  bool poison = flags.inbounds && !inside(*offset);
  for (const GepStep<Register>& step : steps) {
    std::optional<Affine> part = AffineTable::Number(step.scale);
    if (step.index != nullptr) {
      const Value index = Indexed(step.index->lanes[lane], step.index_type.scalar());
      if (index.is_loose()) return index;
      if (index.kind != Value::kInt) {
        Fail(FaultKind::kUnsupported, "an address that depends on data");
        return TermTable::Poison();
      }
      integers_.ClearSplit();
      const std::optional<Affine> number = integers_.Signed(index, step.index_type.scalar());
      if (!number.has_value()) return Answer(std::nullopt, "an address");
      part = affine_.Scale(*number, step.scale);
    }
    if (part.has_value()) offset = affine_.Add(*offset, *part);
    if (!part.has_value() || !offset.has_value()) {
      Fail(FaultKind::kUndecided, "an address may wrap");
      return TermTable::Poison();
    }
    if (flags.inbounds) poison |= !inside(*offset);
    if (flags.nuw) {
      poison |= !integers_.Within(*part, {0, INT64_MAX}, "in-bounds");
    }
  }
  // Somewhere in the address space an object leaves no room for more.
  if (flags.nuw || flags.nusw) poison |= !inside(*offset);
  if (poison) return TermTable::Poison();
  return {Value::kPointer, base.object, offset->linear, offset->constant};
}

void SymbolicDomain::Gep(const Type& type, GepFlags flags, const Register& base, bool splat,
                         std::span<const GepStep<Register>> steps, Register* out) {
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    for (const GepStep<Register>& step : steps) {
      if (step.index != nullptr && step.index_type.lanes != 1 &&
          step.index_type.lanes != type.lanes) {
        return Fail(FaultKind::kUnsupported, "an address of several shapes");
      }
    }
    if (type.lanes > 1) return Fail(FaultKind::kUnsupported, "a vector of addresses");
    out->lanes[i] = GepLane(flags, base.lanes[splat ? 0 : i], steps, static_cast<int>(i));
  }
}

void SymbolicDomain::Load(const Type& type, const Register& address, int64_t alignment,
                          Register* out) {
  const Value at = address.lanes[0];
  if (!Address(at, "the address of a load")) return;
  memory_.Read(at.object, TermTable::AffineOf(at), type.lane_bytes(), static_cast<int>(type.lanes),
               alignment, out->lanes, &fault_);
}

void SymbolicDomain::Store(const Type& type, const Register& value, const Register& address,
                           int64_t alignment) {
  const Value at = address.lanes[0];
  if (!Address(at, "the address of a store")) return;
  for (uint32_t i = 0; i < type.lanes; ++i) {
    if (!Usable(value.lanes[i], "a store")) return;
  }
  memory_.Write(at.object, TermTable::AffineOf(at), type.lane_bytes(), static_cast<int>(type.lanes),
                alignment, value.lanes, &fault_);
}

void SymbolicDomain::MaskedLoad(const Type& type, const Register& address, int64_t alignment,
                                const Register& mask, const Register& otherwise, Register* out) {
  const Value at = address.lanes[0];
  if (!Address(at, "the address of a load")) return;
  if (alignment > type.lane_bytes()) alignment = type.lane_bytes();
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    const std::optional<int64_t> on = Number(mask.lanes[i], {Type::kInt, 1, 1}, "a mask");
    if (!on.has_value()) return;
    Affine offset = TermTable::AffineOf(at);
    offset.constant += int64_t{i} * type.lane_bytes();
    if (*on == 0) {
      out->lanes[i] = otherwise.lanes[i];
    } else {
      memory_.Read(at.object, offset, type.lane_bytes(), 1, alignment, &out->lanes[i], &fault_);
    }
  }
}

void SymbolicDomain::MaskedStore(const Type& type, const Register& value, const Register& address,
                                 int64_t alignment, const Register& mask) {
  const Value at = address.lanes[0];
  if (!Address(at, "the address of a store")) return;
  if (alignment > type.lane_bytes()) alignment = type.lane_bytes();
  for (uint32_t i = 0; i < type.lanes && ok(); ++i) {
    const std::optional<int64_t> on = Number(mask.lanes[i], {Type::kInt, 1, 1}, "a mask");
    if (!on.has_value()) return;
    if (*on == 0) continue;
    if (!Usable(value.lanes[i], "a store")) return;
    Affine offset = TermTable::AffineOf(at);
    offset.constant += int64_t{i} * type.lane_bytes();
    memory_.Write(at.object, offset, type.lane_bytes(), 1, alignment, &value.lanes[i], &fault_);
  }
}

void SymbolicDomain::Alloca(int64_t bytes, int64_t alignment, Register* out) {
  if (memory_.count() >= INT16_MAX) return Fail(FaultKind::kUnsupported, "too many objects");
  const int object =
      memory_.Add({.name = "a local variable", .bytes = bytes, .alignment = alignment});
  out->lanes[0] = {Value::kPointer, static_cast<int16_t>(object), 0, 0};
}

void SymbolicDomain::MemCpy(const Register& to, const Register& from, const Register& bytes,
                            int64_t to_alignment, int64_t from_alignment, bool may_overlap) {
  const std::optional<int64_t> count =
      Number(bytes.lanes[0], {Type::kInt, 64, 1}, "the size of a copy");
  if (!count.has_value() || !Address(to.lanes[0], "the target of a copy") ||
      !Address(from.lanes[0], "the source of a copy")) {
    return;
  }
  if (*count < 0) return Fail(FaultKind::kOutOfBounds, "a copy of 2^63 bytes");
  memory_.Copy(to.lanes[0].object, TermTable::AffineOf(to.lanes[0]), to_alignment,
               from.lanes[0].object, TermTable::AffineOf(from.lanes[0]), from_alignment, *count,
               may_overlap, &fault_);
}

void SymbolicDomain::MemSet(const Register& to, const Register& value, const Register& bytes,
                            int64_t alignment) {
  static constexpr int64_t kMaxSet = 1 << 20;
  const std::optional<int64_t> count =
      Number(bytes.lanes[0], {Type::kInt, 64, 1}, "the size of a fill");
  if (!count.has_value() || !Address(to.lanes[0], "the target of a fill") ||
      !Usable(value.lanes[0], "a fill")) {
    return;
  }
  if (*count < 0) return Fail(FaultKind::kOutOfBounds, "a fill of 2^63 bytes");
  if (*count > kMaxSet) return Fail(FaultKind::kUnsupported, "a fill of more than a MiB");
  const std::vector<Value> values(*count, value.lanes[0]);
  if (*count == 0) return;
  memory_.Write(to.lanes[0].object, TermTable::AffineOf(to.lanes[0]), 1, static_cast<int>(*count),
                alignment, values.data(), &fault_);
}

void SymbolicDomain::CheckDistinct(int object) {
  if (!memory_.Distinct(object, kDistinctLimit)) {
    Fail(FaultKind::kUndecided,
         absl::StrCat("addresses written in '", memory_.object(object).name, "' may meet"));
  }
}

void SymbolicDomain::Lifetime(const Register& address, bool start) {
  if (!Address(address.lanes[0], "a lifetime")) return;
  CheckDistinct(address.lanes[0].object);
  if (ok()) memory_.Forget(address.lanes[0].object);
}

void SymbolicDomain::LeaveFrame() {
  if (!active_.empty() && active_.back().depth == frames_.size()) {
    return Fail(FaultKind::kUndecided, "some iteration of a loop returns");
  }
  const int first = frames_.back();
  frames_.pop_back();
  for (int object = first; object < memory_.count() && ok(); ++object) CheckDistinct(object);
  if (ok()) memory_.Truncate(first);
}

}  // namespace quern::verifier
