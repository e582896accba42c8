// Roundings to 16 bits for a code generator that has none.
#ifndef QUERN_CODEGEN_EXPAND_ROUNDING_H_
#define QUERN_CODEGEN_EXPAND_ROUNDING_H_

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace quern::codegen {

// A float that rounds to at most 22 bits of significand as the double does: toward zero, its last
// bit set if something was lost (Boldo, Melquiond 2005).
llvm::Value* RoundToOdd(llvm::IRBuilderBase& builder, llvm::Value* wide);

// Replaces bfloats by the integers of their bits: an fptrunc to bfloat, from float or double, by
// instructions that round to nearest, ties to even, where a NaN stays a quiet NaN with the upper
// bits of its payload; an fpext by a shift. Each fptrunc from double to half becomes one from a
// float that rounds alike. LLVM would call a library. A function that computes on
// bfloats, instead of moving and casting them, keeps them.
void ExpandRounding(llvm::Module& module);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_EXPAND_ROUNDING_H_
