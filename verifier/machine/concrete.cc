#include "verifier/machine/concrete.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verifier/machine/float_bits.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/machine/library.h"

namespace quern::verifier {

static constexpr int kObjectShift = 44;
static constexpr int64_t kOffsetBias = int64_t{1} << (kObjectShift - 1);

ConcreteDomain::ConcreteDomain(const Module& module, Memory* memory) : memory_(*memory) {
  for (const Global& global : module.globals) {
    const int64_t bytes = static_cast<int64_t>(global.bytes.size());
    const int object = memory_.Add({.name = "@" + global.name,
                                    .bytes = bytes,
                                    .alignment = global.alignment,
                                    .initialised = false,
                                    .writable = true});
    Fault none;
    for (int64_t i = 0; i < bytes; ++i) {
      if (!global.defined[i]) continue;
      *memory_.Write(object, i, 1, 1, &none) = static_cast<std::byte>(global.bytes[i]);
    }
    memory_.SetPermissions(object, /*readable=*/true, /*writable=*/false);
    globals_.push_back(object);
  }
}

void ConcreteDomain::Fail(FaultKind kind, const std::string& message) {
  if (!ok()) return;
  fault_.kind = kind;
  fault_.message = message;
}

uint64_t ConcreteDomain::Pointer(int object, int64_t offset) {
  return (static_cast<uint64_t>(object + 1) << kObjectShift) +
         static_cast<uint64_t>(kOffsetBias + offset);
}

static int PointerObject(uint64_t pointer) { return static_cast<int>(pointer >> kObjectShift) - 1; }

static int64_t PointerOffset(uint64_t pointer) {
  return static_cast<int64_t>(pointer & ((uint64_t{1} << kObjectShift) - 1)) - kOffsetBias;
}

void ConcreteDomain::Reserve(const Type& type, Register* out) {
  const size_t words = type.lanes + (type.lanes + 7) / 8;
  storage_.push_back(std::make_unique<uint64_t[]>(words));
  out->bits = storage_.back().get();
  out->poison = reinterpret_cast<uint8_t*>(out->bits + type.lanes);
}

void ConcreteDomain::Put(const Constant& constant, Register* out) {
  for (size_t i = 0; i < constant.lanes.size(); ++i) {
    const ConstantLane& lane = constant.lanes[i];
    out->poison[i] = lane.kind == ConstantLane::kPoison;
    out->bits[i] = lane.kind == ConstantLane::kGlobal
                       ? Pointer(globals_[lane.global], static_cast<int64_t>(lane.bits))
                       : lane.bits;
  }
}

void ConcreteDomain::Copy(const Type& type, const Register& a, Register* out) {
  std::copy_n(a.bits, type.lanes, out->bits);
  std::copy_n(a.poison, type.lanes, out->poison);
}

bool ConcreteDomain::Defined(const Type& type, const Register& value, const char* what) {
  uint8_t poison = 0;
  for (uint32_t i = 0; i < type.lanes; ++i) poison |= value.poison[i];
  if (poison == 0) return true;
  Fail(FaultKind::kPoison, absl::StrCat("poison reaches ", what));
  return false;
}

void ConcreteDomain::RequireDefined(const Type& type, const Register& a) {
  Defined(type, a, "a 'noundef' value");
}

void ConcreteDomain::Freeze(const Type& type, const Register& a, Register* out) {
  Copy(type, a, out);
  if (std::any_of(a.poison, a.poison + type.lanes, [](uint8_t poison) { return poison != 0; })) {
    Fail(FaultKind::kUnsupported, "freezing poison gives an arbitrary value");
  }
}

std::optional<bool> ConcreteDomain::Decide(const Register& condition) {
  if (!Defined({.kind = Type::kInt, .bits = 1}, condition, "a branch")) return std::nullopt;
  return condition.bits[0] != 0;
}

void ConcreteDomain::Assume(const Register& condition) {
  if (!Defined({.kind = Type::kInt, .bits = 1}, condition, "an assumption")) return;
  if (condition.bits[0] == 0) Fail(FaultKind::kAssume, "an assumption is false");
}

void ConcreteDomain::Select(const Type& type, bool splat, const Register& condition,
                            const Register& a, const Register& b, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const uint32_t lane = splat ? 0 : i;
    const Register& chosen = condition.bits[lane] != 0 ? a : b;
    out->bits[i] = chosen.bits[i];
    out->poison[i] = chosen.poison[i] | condition.poison[lane];
  }
}

void ConcreteDomain::Extract(const Type& type, const Register& vector, const Register& index,
                             Register* out) {
  const bool bad = index.poison[0] != 0 || index.bits[0] >= type.lanes;
  out->bits[0] = bad ? 0 : vector.bits[index.bits[0]];
  out->poison[0] = bad || vector.poison[index.bits[0]] != 0;
}

void ConcreteDomain::Insert(const Type& type, const Register& vector, const Register& scalar,
                            const Register& index, Register* out) {
  Copy(type, vector, out);
  if (index.poison[0] != 0 || index.bits[0] >= type.lanes) {
    std::fill_n(out->poison, type.lanes, 1);
    return;
  }
  out->bits[index.bits[0]] = scalar.bits[0];
  out->poison[index.bits[0]] = scalar.poison[0];
}

void ConcreteDomain::Shuffle(const Type& type, const Register& a, const Register& b,
                             std::span<const int> mask, Register* out) {
  for (size_t i = 0; i < mask.size(); ++i) {
    const bool none = mask[i] < 0;
    const bool second = !none && mask[i] >= static_cast<int>(type.lanes);
    const Register& source = second ? b : a;
    const int lane = none ? 0 : mask[i] - (second ? static_cast<int>(type.lanes) : 0);
    out->bits[i] = none ? 0 : source.bits[lane];
    out->poison[i] = none || source.poison[lane] != 0;
  }
}

void ConcreteDomain::Gep(const Type& type, GepFlags flags, const Register& base, bool splat,
                         std::span<const GepStep<Register>> steps, Register* out) {
  for (uint32_t i = 0; i < type.lanes; ++i) {
    const uint32_t from = splat ? 0 : i;
    const uint64_t pointer = base.bits[from];
    const int object = PointerObject(pointer);
    const int64_t bytes = object < 0 ? 0 : memory_.bytes(object);
    int64_t offset = object < 0 ? 0 : PointerOffset(pointer);
    bool poison = base.poison[from] != 0 || (flags.inbounds && (offset < 0 || offset > bytes));
    for (const GepStep<Register>& step : steps) {
      int64_t move = step.scale;
      if (step.index != nullptr) {
        const uint32_t lane = step.index_type.lanes == 1 ? 0 : i;
        const int64_t index = Signed(step.index->bits[lane], step.index_type.bits);
        poison |= step.index->poison[lane] != 0;
        const bool wraps = __builtin_mul_overflow(index, step.scale, &move);
        poison |= wraps && (flags.inbounds || flags.nusw);
        if (wraps) Fail(FaultKind::kUnsupported, "an offset beyond 2^63");
      }
      poison |= flags.nuw && move < 0;
      if (__builtin_add_overflow(offset, move, &offset) || offset >= kOffsetBias ||
          offset < -kOffsetBias) {
        Fail(FaultKind::kUnsupported, "an address far outside its object");
        return;
      }
      poison |= flags.inbounds && (offset < 0 || offset > bytes);
    }
    // Null plus nothing is null; anything else from null is an address of no object.
    if (object < 0 && offset != 0) Fail(FaultKind::kUnsupported, "arithmetic on a null pointer");
    out->bits[i] = object < 0 ? 0 : Pointer(object, offset);
    out->poison[i] = poison;
  }
}

std::optional<ConcreteDomain::Address> ConcreteDomain::Resolve(const Register& address, int lane) {
  if (address.poison[lane] != 0) {
    Fail(FaultKind::kPoison, "poison reaches an address");
    return std::nullopt;
  }
  const int object = PointerObject(address.bits[lane]);
  if (object < 0 || object >= memory_.count()) {
    Fail(FaultKind::kOutOfBounds,
         object < 0 ? "an access through null" : "an access to a variable whose function returned");
    return std::nullopt;
  }
  return Address{.object = object, .offset = PointerOffset(address.bits[lane])};
}

static void LoadLanes(const std::byte* from, int lane_bytes, uint32_t lanes, uint64_t* bits) {
  for (uint32_t i = 0; i < lanes; ++i) {
    bits[i] = 0;
    std::memcpy(bits + i, from + int64_t{i} * lane_bytes, lane_bytes);
  }
}

void ConcreteDomain::Load(const Type& type, const Register& address, int64_t alignment,
                          Register* out) {
  const std::optional<Address> at = Resolve(address);
  if (!at.has_value()) return;
  const std::byte* from = memory_.Read(at->object, at->offset, type.bytes(), alignment, &fault_);
  if (from == nullptr) return;
  LoadLanes(from, type.lane_bytes(), type.lanes, out->bits);
  std::fill_n(out->poison, type.lanes, 0);
}

void ConcreteDomain::Store(const Type& type, const Register& value, const Register& address,
                           int64_t alignment) {
  const std::optional<Address> at = Resolve(address);
  if (!at.has_value() || !Defined(type, value, "a store")) return;
  std::byte* to = memory_.Write(at->object, at->offset, type.bytes(), alignment, &fault_);
  if (to == nullptr) return;
  const int bytes = type.lane_bytes();
  for (uint32_t i = 0; i < type.lanes; ++i)
    std::memcpy(to + int64_t{i} * bytes, value.bits + i, bytes);
}

// The alignment of lane `i`, given that of lane 0.
static int64_t LaneAlignment(int64_t alignment, int lane_bytes, uint32_t i) {
  return i == 0 ? alignment : std::min<int64_t>(alignment, lane_bytes & -lane_bytes);
}

void ConcreteDomain::MaskedLoad(const Type& type, const Register& address, int64_t alignment,
                                const Register& mask, const Register& otherwise, Register* out) {
  Copy(type, otherwise, out);
  if (!Defined({.kind = Type::kInt, .bits = 1, .lanes = type.lanes}, mask, "a mask")) return;
  const int bytes = type.lane_bytes();
  for (uint32_t i = 0; i < type.lanes; ++i) {
    if (mask.bits[i] == 0) continue;
    const std::optional<Address> at = Resolve(address);
    if (!at.has_value()) return;
    const std::byte* from = memory_.Read(at->object, at->offset + int64_t{i} * bytes, bytes,
                                         LaneAlignment(alignment, bytes, i), &fault_);
    if (from == nullptr) return;
    LoadLanes(from, bytes, 1, out->bits + i);
    out->poison[i] = 0;
  }
}

void ConcreteDomain::MaskedStore(const Type& type, const Register& value, const Register& address,
                                 int64_t alignment, const Register& mask) {
  if (!Defined({.kind = Type::kInt, .bits = 1, .lanes = type.lanes}, mask, "a mask")) return;
  const int bytes = type.lane_bytes();
  for (uint32_t i = 0; i < type.lanes; ++i) {
    if (mask.bits[i] == 0) continue;
    if (value.poison[i] != 0) return Fail(FaultKind::kPoison, "poison reaches a store");
    const std::optional<Address> at = Resolve(address);
    if (!at.has_value()) return;
    std::byte* to = memory_.Write(at->object, at->offset + int64_t{i} * bytes, bytes,
                                  LaneAlignment(alignment, bytes, i), &fault_);
    if (to == nullptr) return;
    std::memcpy(to, value.bits + i, bytes);
  }
}

void ConcreteDomain::Alloca(int64_t bytes, int64_t alignment, Register* out) {
  out->bits[0] =
      Pointer(memory_.Add({.name = "a local variable", .bytes = bytes, .alignment = alignment}), 0);
  out->poison[0] = 0;
  if (memory_.count() >= 1 << 19) Fail(FaultKind::kUnsupported, "too many local variables");
}

void ConcreteDomain::LeaveFrame() {
  memory_.Truncate(frames_.back());
  frames_.pop_back();
}

void ConcreteDomain::LeaveAllFrames() {
  if (!frames_.empty()) memory_.Truncate(frames_.front());
  frames_.clear();
}

void ConcreteDomain::Lifetime(const Register& address, bool start) {
  const std::optional<Address> at = Resolve(address);
  if (!at.has_value()) return;
  memory_.Forget(at->object);
  memory_.SetAlive(at->object, start);
}

void ConcreteDomain::MemCpy(const Register& to, const Register& from, const Register& bytes,
                            int64_t to_alignment, int64_t from_alignment, bool may_overlap) {
  const Type length{.kind = Type::kInt, .bits = 64};
  const std::optional<Address> target = Resolve(to);
  const std::optional<Address> source = Resolve(from);
  if (!target.has_value() || !source.has_value() || !Defined(length, bytes, "a length")) return;
  const int64_t count = static_cast<int64_t>(bytes.bits[0]);
  if (count < 0) return Fail(FaultKind::kOutOfBounds, "a copy of more than 2^63 bytes");
  const int64_t distance =
      std::max(target->offset, source->offset) - std::min(target->offset, source->offset);
  if (!may_overlap && target->object == source->object && distance != 0 && distance < count) {
    return Fail(FaultKind::kOutOfBounds, "a memcpy between ranges that overlap");
  }
  memory_.Move(target->object, target->offset, to_alignment, source->object, source->offset,
               from_alignment, count, &fault_);
}

void ConcreteDomain::MemSet(const Register& to, const Register& value, const Register& bytes,
                            int64_t alignment) {
  const std::optional<Address> at = Resolve(to);
  if (!at.has_value() || !Defined({.kind = Type::kInt, .bits = 64}, bytes, "a length")) return;
  const int64_t count = static_cast<int64_t>(bytes.bits[0]);
  if (count < 0) return Fail(FaultKind::kOutOfBounds, "a memset of more than 2^63 bytes");
  std::byte* target = memory_.Write(at->object, at->offset, count, alignment, &fault_);
  if (target == nullptr || !Defined({.kind = Type::kInt, .bits = 8}, value, "a store")) return;
  if (count > 0) std::memset(target, static_cast<int>(value.bits[0]), count);
}

void ConcreteDomain::LibraryCall(const std::string& name, const Type& type,
                                 std::span<const Register* const> args, Register* out) {
  const LibraryFunction* function = FindLibraryFunction(name);
  if (function == nullptr || function->kind != type.kind ||
      function->arguments != static_cast<int>(args.size())) {
    return Fail(FaultKind::kUnsupported, absl::StrCat("calling @", name, " is not supported"));
  }
  for (const Register* argument : args) {
    if (!Defined(type, *argument, "a library function")) return;
  }
  for (uint32_t i = 0; i < type.lanes; ++i) {
    double values[3] = {};
    for (size_t k = 0; k < args.size(); ++k) values[k] = ToDouble(type.kind, args[k]->bits[i]);
    std::feraiseexcept(FE_INEXACT);
    out->bits[i] = FromDouble(type.kind, function->Evaluate(values));
    out->poison[i] = 0;
  }
}

}  // namespace quern::verifier
