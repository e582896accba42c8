// Where a class of blocks writes, as sets that the solver can tell apart.
#ifndef QUERN_VERIFIER_SYMBOLIC_PLACES_H_
#define QUERN_VERIFIER_SYMBOLIC_PLACES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/oracle.h"

namespace quern::verifier {

// `bytes` bytes at linear + first + step * k, for each k from 0 to count - 1 and all values of the
// symbols.
struct Places {
  LinearId linear = 0;
  int64_t first = 0;
  int64_t bytes = 0;
  int64_t step = 0;
  int64_t count = 1;
};

// Adds one place, to the last set if it continues it.
void AddPlace(Places place, std::vector<Places>* places);

// Whether no two places of `fresh`, and none of `fresh` and one of `old`, share a byte, at any two
// points, unless they are one place of one set at one point. By the solver; false: not shown.
bool Disjoint(const AffineTable& affine, Oracle* oracle, absl::Span<const Places> old,
              absl::Span<const Places> fresh);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_PLACES_H_
