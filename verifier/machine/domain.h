// What the machine computes with. The machine (machine.h) decodes, keeps registers, follows control
// flow and calls; a domain gives meaning to values and memory.
#ifndef QUERN_VERIFIER_MACHINE_DOMAIN_H_
#define QUERN_VERIFIER_MACHINE_DOMAIN_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verifier/machine/ops.h"

namespace quern::verifier {

enum class FaultKind : uint8_t {
  kNone,
  kOutOfBounds,    // an access outside its object, or to a dead one, or through no object
  kMisaligned,     // an access less aligned than the instruction promises
  kPermission,     // a store to a read-only object, or a load from a write-only one
  kUninitialised,  // a load of bytes nobody wrote
  kPoison,         // poison reaches a store, a branch, an address, a `noundef` or a freeze
  kWrap,           // an integer wraps where it is said not to (where poison is not tracked)
  kDivide,         // division by zero, or the minimum by -1
  kAssume,         // a false llvm.assume
  kUnreachable,
  kRace,         // two blocks write one byte, or one writes what another reads
  kCoverage,     // an output byte that no block writes
  kUnsupported,  // not understood; the rest is about the checker, not about the kernel
  kUndecided,    // an obligation that could not be discharged
  kBudget,
  kSplit,  // the class of blocks must be split first; the domain knows where
};

std::string Name(FaultKind kind);  // "in-bounds", "initialised", ...: the obligation it breaks
// Whether a fault of this kind, on concrete values, shows that the kernel is wrong.
bool IsDefect(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string message;
  // Filled in by the machine.
  std::string function = {};
  std::string instruction = {};  // its text, with its line if it has debug information
};

// One lane of a constant: bits, zero-extended (null is 0), or poison (also undef, whose every use
// poison's covers), or an address inside a constant global.
struct ConstantLane {
  enum Kind : uint8_t { kBits, kPoison, kGlobal };
  Kind kind = kBits;
  int32_t global = -1;  // index into Module::globals
  uint64_t bits = 0;    // of kGlobal: the byte offset
};

struct Constant {
  Type type;
  std::vector<ConstantLane> lanes;  // type.lanes of them
};

// A step of a getelementptr: adds sign_extend(index) * scale bytes, or `scale` if index is null.
// Index lanes: as many as the result, or one, which all lanes share (as for the base).
template <class Register>
struct GepStep {
  const Register* index = nullptr;
  Type index_type;
  int64_t scale = 0;
};

struct GepFlags {
  bool inbounds = false;  // each step stays inside the object or one past its end, else poison
  bool nusw = false;
  bool nuw = false;
};

// The concept. A Register holds all lanes of one value and is opaque to the machine, which calls
// Reserve once for each register (before anything is put in it), so that the hot path need not
// allocate. `out` may alias no operand. Operations never throw; the first failure is recorded in
// fault() and makes ok() false, upon which the machine stops. `type` is the result's type unless
// said otherwise. Scalars are one lane, an i1 is an integer of one bit.
template <class D>
concept Domain = requires(D d, const D cd, typename D::Register r, const typename D::Register& a,
                          const Type& type, std::span<const int> mask, int64_t n, bool flag,
                          std::span<const typename D::Register* const> args,
                          std::span<const GepStep<typename D::Register>> steps,
                          const Constant& constant, const std::string& name) {
  { cd.ok() } -> std::same_as<bool>;
  { cd.fault() } -> std::convertible_to<const Fault&>;
  d.Reserve(type, &r);
  d.Put(constant, &r);  // kGlobal lanes only for globals the domain was told of when it was made
  d.Copy(type, a, &r);

  d.Binary(BinaryOp{}, BinaryFlags{}, type, a, a, &r);
  d.Negate(type, a, &r);  // fneg
  // flag: `samesign`, poison if the operands differ in sign; type: of the operands (integer,
  // pointer or float).
  d.Compare(Predicate{}, flag, type, a, a, &r);
  d.Cast(CastOp{}, CastFlags{}, type, type, a, &r);  // from, to
  d.Select(type, flag, a, a, a, &r);  // flag: the condition is one lane, for all; then, else
  d.Lanewise(Intrinsic{}, type, args, &r);
  d.LibraryCall(name, type, args, &r);  // an external function; all arguments have `type`
  d.Freeze(type, a, &r);

  d.Extract(type, a, a, &r);        // type: of the vector; vector, index (any integer type)
  d.Insert(type, a, a, a, &r);      // vector, scalar, index
  d.Shuffle(type, a, a, mask, &r);  // type: of the operands; a mask entry -1 is poison

  d.Gep(type, GepFlags{}, a, flag, steps, &r);  // base; flag: the base is one lane, for all

  // n: the promised alignment in bytes, a power of two.
  d.Load(type, a, n, &r);
  d.Store(type, a, a, n);              // value, address; type: of the value
  d.MaskedLoad(type, a, n, a, a, &r);  // address (one), mask, passthru
  d.MaskedStore(type, a, a, n, a);     // value, address, mask
  d.Alloca(n, n, &r);                  // bytes, alignment; a fresh uninitialised object
  d.MemCpy(a, a, a, n, n, flag);  // to, from, bytes (i64); alignments; flag: may overlap (memmove)
  d.MemSet(a, a, a, n);           // to, value (i8), bytes (i64); alignment
  d.Lifetime(a, flag);            // start (flag) or end: the object's bytes become uninitialised
  // Objects of Alloca calls since the matching EnterFrame die at LeaveFrame.
  d.EnterFrame();
  d.LeaveFrame();

  d.Assume(a);
  d.RequireDefined(type, a);  // fault if a lane is poison (`noundef`)
  // The value of an i1. nullopt: a fault was recorded (kSplit when more than one is possible).
  { d.Decide(a) } -> std::same_as<std::optional<bool>>;
  // Records a fault found by the machine.
  d.Fail(FaultKind{}, name);
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_DOMAIN_H_
