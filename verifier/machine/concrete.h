// The concrete domain: bit-exact values, poison, checked memory. The emulator's arithmetic.
#ifndef QUERN_VERIFIER_MACHINE_CONCRETE_H_
#define QUERN_VERIFIER_MACHINE_CONCRETE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verifier/machine/domain.h"
#include "verifier/machine/function.h"
#include "verifier/machine/memory.h"

namespace quern::verifier {

// Undefined behaviour and the obligations of domain.h become faults; so do values that LLVM leaves
// open: freezing poison, comparing addresses of different objects (kUnsupported). The payload of a
// NaN and the sign of a zero of minnum and maxnum are open too: here they are what x86 gives, and
// the positive zero for a maximum. llvm.exp and the like are the C library's.
// FE_INEXACT is raised whenever an operation rounds, and may be by any of the C library.
class ConcreteDomain {
 public:
  // Lanes as bits, zero-extended to 64, and whether each is poison. A lane of pointers is
  // ((object + 1) << 44) + 2^43 + offset, null is 0.
  struct Register {
    uint64_t* bits = nullptr;
    uint8_t* poison = nullptr;
  };

  // Objects of constant globals are added to `memory`. Both must outlive the domain.
  ConcreteDomain(const Module& module, Memory* memory);

  bool ok() const { return fault_.kind == FaultKind::kNone; }
  const Fault& fault() const { return fault_; }
  void ClearFault() { fault_ = Fault(); }
  void Fail(FaultKind kind, const std::string& message);
  static uint64_t Pointer(int object, int64_t offset);

  void Reserve(const Type& type, Register* out);
  void Put(const Constant& constant, Register* out);
  void Copy(const Type& type, const Register& a, Register* out);

  void Binary(BinaryOp op, BinaryFlags flags, const Type& type, const Register& a,
              const Register& b, Register* out);
  void Negate(const Type& type, const Register& a, Register* out);
  void Compare(Predicate predicate, bool same_sign, const Type& type, const Register& a,
               const Register& b, Register* out);
  void Cast(CastOp op, CastFlags flags, const Type& from, const Type& to, const Register& a,
            Register* out);
  void Select(const Type& type, bool splat, const Register& condition, const Register& a,
              const Register& b, Register* out);
  void Lanewise(Intrinsic intrinsic, const Type& type, std::span<const Register* const> args,
                Register* out);
  void LibraryCall(const std::string& name, const Type& type, std::span<const Register* const> args,
                   Register* out);
  void Freeze(const Type& type, const Register& a, Register* out);

  void Extract(const Type& type, const Register& vector, const Register& index, Register* out);
  void Insert(const Type& type, const Register& vector, const Register& scalar,
              const Register& index, Register* out);
  void Shuffle(const Type& type, const Register& a, const Register& b, std::span<const int> mask,
               Register* out);

  void Gep(const Type& type, GepFlags flags, const Register& base, bool splat,
           std::span<const GepStep<Register>> steps, Register* out);
  void Load(const Type& type, const Register& address, int64_t alignment, Register* out);
  void Store(const Type& type, const Register& value, const Register& address, int64_t alignment);
  void MaskedLoad(const Type& type, const Register& address, int64_t alignment,
                  const Register& mask, const Register& otherwise, Register* out);
  void MaskedStore(const Type& type, const Register& value, const Register& address,
                   int64_t alignment, const Register& mask);
  void Alloca(int64_t bytes, int64_t alignment, Register* out);
  void MemCpy(const Register& to, const Register& from, const Register& bytes, int64_t to_alignment,
              int64_t from_alignment, bool may_overlap);
  void MemSet(const Register& to, const Register& value, const Register& bytes, int64_t alignment);
  void Lifetime(const Register& address, bool start);
  void EnterFrame() { frames_.push_back(memory_.count()); }
  void LeaveFrame();
  // After a fault: the frames that were never left.
  void LeaveAllFrames();

  void Assume(const Register& condition);
  void RequireDefined(const Type& type, const Register& a);
  std::optional<bool> Decide(const Register& condition);

 private:
  struct Address {
    int object = -1;
    int64_t offset = 0;
  };
  void IntegerBinary(BinaryOp op, BinaryFlags flags, const Type& type, const Register& a,
                     const Register& b, Register* out);
  void FloatBinary(BinaryOp op, const Type& type, const Register& a, const Register& b,
                   Register* out);
  void Bitcast(const Type& from, const Type& to, const Register& a, Register* out);
  void IntegerLanewise(Intrinsic intrinsic, const Type& type, std::span<const Register* const> args,
                       Register* out);
  // nullopt and a fault if the lane is poison or points to no object.
  std::optional<Address> Resolve(const Register& address, int lane = 0);
  bool Defined(const Type& type, const Register& value, const char* what);

  Memory& memory_;
  Fault fault_;
  std::vector<int> frames_;
  std::vector<int> globals_;  // objects of the module's globals
  std::vector<std::unique_ptr<uint64_t[]>> storage_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_CONCRETE_H_
