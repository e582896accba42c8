// Portable StableHLO artifacts (VHLO bytecode) as StableHLO modules.
#ifndef QUERN_IR_VHLO_READER_H_
#define QUERN_IR_VHLO_READER_H_

#include "llvm/ADT/StringRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace quern::vhlo {

// Reads MLIR bytecode of the VHLO dialect, releases 0.9 to 1.20 of StableHLO, and the sdy ops and
// attributes mixed into it; the module holds func, stablehlo and sdy ops and is verified. An op of
// VHLO reads as soon as the context's stablehlo dialect has an op of its name, or allows unknown
// ones. Null after an error, which names an unknown op or version, or the byte where the file is
// malformed, at the place in the program's source that the file gives.
//
// The container is read here and not by MLIR's own bytecode reader, because files are untrusted:
// that one allocates by counts before it sees the elements, writes through use-list indices it does
// not check, retries attributes that refer to each other for ever, and hands embedded text to the
// parser. A check in front of it would have to decode every attribute, op and value to be sound,
// which is all there is to reading them. Here every count is bounded by the bytes that are left, so
// that memory is at most a constant times the file; regions may nest 128 deep, attributes 64.
mlir::OwningOpRef<mlir::ModuleOp> ReadPortable(llvm::StringRef bytes, mlir::MLIRContext& context);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_READER_H_
