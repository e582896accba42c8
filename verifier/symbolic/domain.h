// The symbolic domain of the machine: one execution for a whole class of blocks, and for all
// iterations of a loop whose iterations do not depend on each other.
#ifndef QUERN_VERIFIER_SYMBOLIC_DOMAIN_H_
#define QUERN_VERIFIER_SYMBOLIC_DOMAIN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "verifier/machine/domain.h"
#include "verifier/machine/function.h"
#include "verifier/symbolic/integers.h"
#include "verifier/symbolic/loops.h"
#include "verifier/symbolic/memory.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Floats and data are terms; integers from blocks and counters are affine. A question about them
// that has several answers within the class is a kSplit fault, and split() says where to divide.
class SymbolicDomain {
 public:
  struct Register {
    Value* lanes = nullptr;
  };

  // All must outlive the domain.
  SymbolicDomain(const Module& module, TermTable* terms, Integers* integers, SymbolicMemory* memory,
                 LoopPolicy* loops);

  bool ok() const { return fault_.kind == FaultKind::kNone; }
  const Fault& fault() const { return fault_; }
  void Fail(FaultKind kind, const std::string& message);
  // Called by the machine when control has passed an edge, its moves done.
  void Followed(int function, int edge, std::vector<Register>& registers);

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

  void Assume(const Register& condition);
  void RequireDefined(const Type& type, const Register& a);
  std::optional<bool> Decide(const Register& condition);

  // The loops whose treatment may be to blame for a fault that is not a split.
  std::vector<int> Suspects() const;
  // Those that were found to fold what they carry.
  const std::set<int>& folding() const { return folding_; }
  // Whether the policy learned of more that a loop carries in memory, to be executed again for.
  bool learned() const { return learned_; }

 private:
  Value BinaryLane(BinaryOp op, BinaryFlags flags, const Type& type, Value a, Value b);
  // Whether no input violates the flags.
  bool Holds(BinaryOp op, BinaryFlags flags, const Type& type, Value a, Value b) const;
  Value CompareLane(Predicate predicate, bool same_sign, const Type& type, Value a, Value b);
  Value SelectLane(const Type& type, Value condition, Value a, Value b);
  Value LanewiseLane(Intrinsic intrinsic, const Type& type, absl::Span<const Value> args);
  Value GepLane(GepFlags flags, Value base, std::span<const GepStep<Register>> steps, int lane);
  // The value as an index, where it is one and a term.
  Value Indexed(Value value, const Type& type);
  // The answer of the integers, or a fault.
  Value Answer(std::optional<Value> value, const char* what);
  // A fault if the value is not usable: poison, or of a past iteration.
  bool Usable(Value value, const char* what);
  bool Address(Value value, const char* what);
  std::optional<int64_t> Number(Value value, const Type& type, const char* what);
  void CheckDistinct(int object);

  struct ActiveLoop {
    int site = 0;
    size_t depth = 0;       // of frames
    SymbolId counter = -1;  // unless it is one iteration alone
    int64_t begin = 0;      // the first of the iterations executed at once
    int64_t count = 0;
    int64_t end = 0;  // the first that is executed alone
    struct Phi {
      int32_t value = 0;
      Affine start;
      int64_t step = 0;
    };
    std::vector<Phi> phis;
    struct Lane {
      Value* place = nullptr;
      Value before;   // the iterations executed at once
      Value carried;  // into one of them
    };
    std::vector<Lane> lanes;  // of all that is carried in registers
    struct Cell {
      Slot slot;
      Value before;
      Value carried;
    };
    std::vector<Cell> cells;  // and in memory
    bool alone() const { return count == 1; }
  };
  void BeginLoop(int site, const Function& function, std::vector<Register>& registers);
  void BeginIterations(std::vector<Register>& registers);
  void CarryCells(ActiveLoop* loop);
  void EndIterations(std::vector<Register>& registers);
  // Leaves the loop in registers and memory; a fault if iterations depend on each other otherwise
  // than by folds.
  void FoldIterations(ActiveLoop* loop, std::vector<Register>& registers);
  std::optional<Value> PhiAt(const ActiveLoop::Phi& phi, Affine iteration);

  const Module& module_;
  TermTable& terms_;
  AffineTable& affine_;
  Integers& integers_;
  SymbolicMemory& memory_;
  LoopPolicy& loops_;
  Fault fault_;
  int lost_site_ = -1;
  std::vector<int> frames_;
  std::vector<int> globals_;
  std::vector<std::unique_ptr<Value[]>> storage_;
  std::vector<ActiveLoop> active_;
  std::set<int> folding_;
  bool learned_ = false;
  int64_t carried_ = 0;  // how many values
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_DOMAIN_H_
