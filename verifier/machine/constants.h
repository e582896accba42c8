// Constants of LLVM IR as the machine's.
#ifndef QUERN_VERIFIER_MACHINE_CONSTANTS_H_
#define QUERN_VERIFIER_MACHINE_CONSTANTS_H_

#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/IR/Constant.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Type.h"
#include "verifier/machine/function.h"

namespace quern::verifier {

// nullopt: not a type that a register can have.
std::optional<Type> DecodeType(const llvm::Type* type);

// A type that can be loaded, stored or copied: every lane is a whole power of two of bytes.
bool InMemory(const Type& type);

// Numbers the constant globals in the order in which they are first used.
class GlobalTable {
 public:
  explicit GlobalTable(const llvm::DataLayout& layout) : layout_(layout) {}

  absl::StatusOr<Constant> Decode(const llvm::Constant& constant);
  std::vector<Global> Take() { return std::move(globals_); }

 private:
  absl::StatusOr<ConstantLane> DecodeLane(const llvm::Constant& lane);
  absl::StatusOr<int> Number(const llvm::GlobalVariable& variable);

  const llvm::DataLayout& layout_;
  std::map<const llvm::GlobalVariable*, int> numbers_;
  std::vector<Global> globals_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_CONSTANTS_H_
