// The program that a search starts from, and the one it falls back on.
#ifndef QUERN_SEARCH_NAIVE_H_
#define QUERN_SEARCH_NAIVE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/spec.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace quern::search {

// A module with one quern.program for `target`. Each op of the spec is a kernel of its own, in the
// spec's order, computed in the declared types and order; results that are not returned go to
// temporaries that say what they hold. Constants and ops that only move data are computed where
// they are used. On "x86_64" a kernel is serial loops i0, i1, ... over its result and r0, r1, ...
// over what it reduces; on a GPU each element of the result has a thread, 256 to a block (loops "b"
// and "t"). kInvalidArgument, with the op's location, for what cannot be expressed.
absl::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> NaiveProgram(const frontend::Spec& spec,
                                                               std::string_view target);

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_H_
