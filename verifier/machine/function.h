// The decoded form of LLVM IR: flat instructions over dense value numbers.
#ifndef QUERN_VERIFIER_MACHINE_FUNCTION_H_
#define QUERN_VERIFIER_MACHINE_FUNCTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "verifier/machine/domain.h"
#include "verifier/machine/ops.h"

namespace quern::verifier {

enum class Opcode : uint8_t {
  kBinary,
  kNegate,
  kCompare,
  kCast,
  kSelect,
  kLanewise,
  kLibraryCall,
  kFreeze,
  kExtract,
  kInsert,
  kShuffle,
  kGep,
  kLoad,
  kStore,
  kMaskedLoad,
  kMaskedStore,
  kAlloca,
  kMemCpy,
  kMemMove,
  kMemSet,
  kLifetime,
  kAssume,
  kRequireDefined,
  kCall,
  kReturn,
  kBranch,
  kCondBranch,
  kSwitch,
  kUnreachable,
};

// Operands are value numbers at [first, first + count) of Function::operands, in the order of the
// domain's parameters; what else an instruction has:
//   kBinary, kCompare, kCast, kLanewise: `code` is the BinaryOp, ...; flags below
//   kSelect: flag kSplat if the condition is one lane and the value is not
//   kShuffle: the mask is Function::masks[index]
//   kGep: steps are Function::geps[index]; operand 0 is the base; kSplat if it is one lane for many
//   kLoad ... kMemSet: `immediate` is the alignment (of kMemCpy, the source's in immediate2); of
//     kAlloca the bytes are in immediate2; kLifetime: immediate is 1 for a start
//   kLibraryCall: the name is Module::libraries[index]
//   kCall: the callee is Module::functions[index]
//   kBranch: goes to edge `index`; kCondBranch: to `index` if operand 0 is true, else `index` + 1
//   kSwitch: operand 0 is compared with Function::switches[index]
struct Instruction {
  enum Flag : uint8_t {
    kNuw = 1,
    kNsw = 2,
    kExact = 4,
    kDisjoint = 8,
    kNNeg = 16,
    kInbounds = 32,
    kNusw = 64,
    kSplat = 128,
    kSameSign = kDisjoint,  // of kCompare
  };
  Opcode opcode = Opcode::kUnreachable;
  uint8_t code = 0;
  uint8_t flags = 0;
  Type type;  // the type the domain's operation takes
  Type from;  // kCast: of the operand
  int32_t result = -1;
  int32_t first = 0;
  int32_t count = 0;
  int32_t index = -1;
  int64_t immediate = 0;
  int64_t immediate2 = 0;
};

// Control passing into a block: parallel moves, already put in an order in which they can be done
// one after another, then a jump.
struct Edge {
  struct Move {
    int32_t from = 0;
    int32_t to = 0;
  };
  std::vector<Move> moves;
  int32_t target = 0;  // an instruction
};

struct GepOperand {
  int32_t value = -1;  // -1: constant
  int64_t scale = 0;
};

struct Switch {
  struct Case {
    int32_t constant = 0;  // a value number
    int32_t edge = 0;
  };
  std::vector<Case> cases;
  int32_t otherwise = 0;  // an edge
};

// What attributes of a kernel's pointer parameter promise, for the launcher to check.
struct ParameterFacts {
  int64_t alignment = 1;
  int64_t dereferenceable = 0;  // bytes
  bool noalias = false;
  bool readable = true;  // false: writeonly
  bool writable = true;  // false: readonly
};

struct Function {
  std::string name;
  int num_parameters = 0;    // values [0, num_parameters)
  std::vector<Type> values;  // type of each value number: parameters, constants, results, copies
  std::vector<ParameterFacts> facts;
  std::vector<bool> noundef;  // of each parameter
  // Constant k is value num_parameters + k.
  std::vector<Constant> constants;
  Type result;
  std::vector<Instruction> code;  // begins with the entry block
  std::vector<int32_t> operands;
  std::vector<Edge> edges;
  std::vector<std::vector<int>> masks;
  std::vector<std::vector<GepOperand>> geps;
  std::vector<Switch> switches;
};

// A constant global variable.
struct Global {
  std::string name;
  std::string bytes;
  std::vector<bool> defined;  // of each byte: not undef
  int64_t alignment = 1;
};

struct SourceMap;  // from instructions to their text

// Immutable after reading. No function calls itself, directly or through others.
struct Module {
  std::vector<Function> functions;
  std::vector<Global> globals;
  std::vector<std::string> libraries;  // names of external functions; mathlib's for a scalar

  // Index into `functions`, or -1.
  int Find(std::string_view name) const;
  // "%x = add nsw i64 %a, %b, line 12"; empty if there is none.
  std::string Text(int function, int instruction) const;

  std::shared_ptr<const SourceMap> source;
};

// Reads LLVM IR text. What is not understood, and what promises something that neither the machine
// nor the launcher checks (fast-math flags, !tbaa, !range, volatile, ...), is kUnimplemented with
// the function, the instruction and its line; malformed text is kInvalidArgument. Never aborts.
absl::StatusOr<Module> ReadModule(std::string_view llvm_ir);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_FUNCTION_H_
