// Simplifications of single operations that hold bit by bit.
#ifndef QUERN_VERIFIER_SYMBOLIC_FOLD_H_
#define QUERN_VERIFIER_SYMBOLIC_FOLD_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// A simpler value with the same bits, if there is a rule for it: integer operations on constants,
// casts that cancel, selections between equals, masks with all or no bits, and that a bool of an
// argument is a byte that is 0 or 1. `args` are of the operation's types, none poison or lost.
std::optional<Value> Fold(TermTable& terms, const Op& op, absl::Span<const Value> args);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_FOLD_H_
