// A chip that kernels are made for. Adding one: a class of its own under targets/ and a line in
// targets/targets.def.
#ifndef QUERN_CODEGEN_TARGET_H_
#define QUERN_CODEGEN_TARGET_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bundle/artifact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace quern::codegen {

class Target {
 public:
  virtual ~Target() = default;

  virtual std::string name() const = 0;      // of the target: "x86_64", "sm_90a"
  virtual std::string triple() const = 0;    // LLVM's
  virtual std::string cpu() const = 0;       // LLVM's -mcpu
  virtual std::string features() const = 0;  // LLVM's -mattr
  virtual BinaryKind kind() const = 0;
  virtual llvm::CodeGenFileType file_type() const { return llvm::CodeGenFileType::ObjectFile; }

  // How kernels are shaped.
  virtual unsigned global_address_space() const { return 0; }
  // Most blocks along each axis of the grid, and most threads of a block. One thread: lanes are a
  // serial loop.
  virtual int64_t max_grid(int axis) const { return INT64_MAX; }
  virtual int64_t max_threads() const { return 1; }
  virtual bool has_scratch() const { return true; }
  virtual bool has_libm() const { return false; }  // expf and the like can be called
  // Whether a driver launches an entry that finds out the coordinates of its block by itself.
  virtual bool has_entries() const { return false; }
  // Adds such an entry, `symbol`, which calls `body`.
  virtual void AddEntry(llvm::Function& body, const std::string& symbol,
                        const KernelPlan& plan) const {}
  // The index of this thread along an axis of its block, i32.
  virtual llvm::Value* ThreadIndex(llvm::IRBuilder<>& builder, int axis) const { return nullptr; }

  // What LLVM's code generator cannot do itself; done after the proof, so part of what is trusted.
  virtual void Prepare(llvm::Module& module) const {}
  // Makes the artifact's binary of `code`, what LLVM made of the kernels.
  virtual absl::StatusOr<std::string> Finish(std::string code, const LaunchPlan& plan) const = 0;
};

// The chip of that name; "host" is the machine that this runs on. kInvalidArgument that lists the
// known ones.
absl::StatusOr<const Target*> FindTarget(std::string_view name);

// A machine that generates code as all of quern does: no fusion of floating-point operations,
// position independent, no loop strength reduction. kInternal if LLVM does not know the chip.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachine(const Target& target,
                                                                   std::string_view cpu,
                                                                   std::string_view features);

// Runs LLVM's code generator.
absl::StatusOr<std::string> GenerateCode(llvm::Module& module, llvm::TargetMachine& machine,
                                         llvm::CodeGenFileType file_type);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_TARGET_H_
