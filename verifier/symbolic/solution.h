// Numbers for symbols that make linear forms what they should be.
#ifndef QUERN_VERIFIER_SYMBOLIC_SOLUTION_H_
#define QUERN_VERIFIER_SYMBOLIC_SOLUTION_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "verifier/symbolic/affine.h"

namespace quern::verifier {

// A value in its range for each symbol of the forms, with which form i is numbers[i]. Each form is
// solved after those before it, its largest coefficients first: nullopt if this finds nothing,
// though there may be something, or if a form has quotients or data.
std::optional<absl::flat_hash_map<SymbolId, int64_t>> Solve(const AffineTable& affine,
                                                            absl::Span<const Affine> forms,
                                                            absl::Span<const int64_t> numbers);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_SOLUTION_H_
