// Decodes one function definition.
#ifndef QUERN_VERIFIER_MACHINE_DECODER_H_
#define QUERN_VERIFIER_MACHINE_DECODER_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "verifier/machine/constants.h"
#include "verifier/machine/function.h"

namespace quern::verifier {

// What the functions of a module share while they are decoded.
struct ModuleTables {
  const llvm::DataLayout& layout;
  GlobalTable globals;
  std::unordered_map<const llvm::Function*, int> functions;  // definitions
  std::vector<std::string> libraries;
};

class Decoder {
 public:
  Decoder(const llvm::Function& function, ModuleTables* tables)
      : source_(function), tables_(*tables) {}

  // The error has no position yet: it is about instruction `at()`, or the function if null.
  absl::Status Decode(Function* out);
  const llvm::Instruction* at() const { return at_; }
  // Where each decoded instruction comes from.
  std::vector<const llvm::Instruction*> Origins() { return std::move(origins_); }

 private:
  absl::Status NumberConstants();
  absl::Status NumberConstant(const llvm::Constant& constant);
  absl::Status NumberReduction(const llvm::IntrinsicInst& call);
  absl::Status NumberResults();
  absl::StatusOr<Type> TypeOf(const llvm::Value& value) const;
  int Value(const llvm::Value* value) const;
  int Fresh(const Type& type);

  absl::Status DecodeInstruction(const llvm::Instruction& instruction);
  absl::Status DecodeCast(const llvm::CastInst& cast);
  absl::Status DecodeGep(const llvm::GetElementPtrInst& gep);
  absl::Status DecodeAlloca(const llvm::AllocaInst& alloca);
  absl::Status DecodeLoad(const llvm::LoadInst& load);
  absl::Status DecodeStore(const llvm::StoreInst& store);
  absl::Status DecodeMasked(const llvm::IntrinsicInst& call);
  absl::Status DecodeCall(const llvm::CallInst& call);
  absl::Status DecodeNamedCall(const llvm::CallInst& call, const llvm::Function& callee);
  absl::Status DecodeIntrinsic(const llvm::IntrinsicInst& call);
  absl::Status DecodeTransfer(const llvm::MemIntrinsic& call);
  absl::Status DecodeReduction(const llvm::IntrinsicInst& call);
  absl::Status DecodeControl(const llvm::Instruction& instruction);
  int MakeEdge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

  // Appends an instruction that computes `result` (or nothing: -1) from `operands`.
  Instruction& Emit(Opcode opcode, const Type& type, int result, std::vector<int> operands);
  // The same for `instruction`'s own result and type.
  Instruction& EmitResult(Opcode opcode, const llvm::Instruction& instruction,
                          std::vector<int> operands);

  const llvm::Function& source_;
  ModuleTables& tables_;
  const llvm::Instruction* at_ = nullptr;
  Function* out_ = nullptr;
  std::unordered_map<const llvm::Value*, int> numbers_;
  std::unordered_map<const llvm::BasicBlock*, int> starts_;
  std::vector<const llvm::BasicBlock*> edge_targets_;
  std::vector<const llvm::Instruction*> origins_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_DECODER_H_
