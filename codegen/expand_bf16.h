// Conversions to bf16 for a code generator that has none.
#ifndef QUERN_CODEGEN_EXPAND_BF16_H_
#define QUERN_CODEGEN_EXPAND_BF16_H_

#include "llvm/IR/Module.h"

namespace quern::codegen {

// Replaces each fptrunc to bfloat, from float or double, by integer instructions that round to
// nearest, ties to even; a NaN stays a quiet NaN with the upper bits of its payload. LLVM would
// call a library instead.
void ExpandBf16(llvm::Module& module);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_EXPAND_BF16_H_
