// Floats of 8 bits as LLVM code on integers: no target of LLVM has them all.
#ifndef QUERN_CODEGEN_FLOAT8_H_
#define QUERN_CODEGEN_FLOAT8_H_

#include <optional>

#include "bundle/small_float.h"
#include "llvm/IR/IRBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quern::codegen {

// The format of a type of 8 bits; nothing for another type.
std::optional<SmallFloat> Float8Format(mlir::Type type);

// From i8 to float, exact, as DecodeSmall does. Scalars or vectors.
llvm::Value* DecodeFloat8(llvm::IRBuilder<>& builder, llvm::Value* bits, SmallFloat format);

// From float to i8, rounded to nearest, ties to even, as EncodeSmall does.
llvm::Value* EncodeFloat8(llvm::IRBuilder<>& builder, llvm::Value* number, SmallFloat format);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_FLOAT8_H_
