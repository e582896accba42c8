// What targets.def is a list of.
#ifndef QUERN_CODEGEN_TARGETS_TARGETS_H_
#define QUERN_CODEGEN_TARGETS_TARGETS_H_

#include <memory>
#include <string>

#include "codegen/target.h"

namespace quern::codegen {

std::unique_ptr<Target> X86Target();                     // targets/x86/
std::unique_ptr<Target> NvptxTarget(std::string chip);   // targets/nvptx/
std::unique_ptr<Target> AmdgpuTarget(std::string chip);  // targets/amdgpu/

// For targets with an entry of their own: a function that takes the pointers of `body`, which is to
// be inlined.
llvm::Function* DeclareEntry(llvm::Function& body, const std::string& symbol,
                             llvm::IRBuilder<>& builder);
// Fills the entry with a call of `body`. `block_index` makes a coordinate of the block, i32.
void CallBody(llvm::Function& body, llvm::Function& entry, llvm::IRBuilder<>& builder,
              llvm::function_ref<llvm::Value*(int axis)> block_index);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_TARGETS_TARGETS_H_
