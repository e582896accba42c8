// Buffers of complex numbers.
#ifndef QUERN_IR_PROGRAM_COMPLEX_BUFFER_H_
#define QUERN_IR_PROGRAM_COMPLEX_BUFFER_H_

#include "llvm/ADT/StringRef.h"

namespace quern::program {

// The attribute of an input or output whose last dimension is the two parts of complex numbers: to
// the program a tensor of floats, to the launch plan one of complex numbers.
inline constexpr llvm::StringLiteral kComplexBuffer = "quern.complex";

}  // namespace quern::program

#endif  // QUERN_IR_PROGRAM_COMPLEX_BUFFER_H_
