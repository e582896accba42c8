// What a program itself needs of its inputs to have finite values.
#ifndef QUERN_VERIFIER_PRECONDITIONS_H_
#define QUERN_VERIFIER_PRECONDITIONS_H_

#include <vector>

#include "verifier/checker.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// Boxes, besides those of `options`, within which some elements of each result are shown to be in
// domain and in range: that no root is taken of a negative number, no logarithm or quotient of 0,
// and nothing overflows. Empty if that needs none, or if none of those that are tried will do:
// [0, 1024], [2^-20, 1024], and the like of 64 and 1. Each argument has the widest that is enough.
// They are a proposal, whose choice needs no proof: what is proved is proved within them, and says
// so. Time: at most (9 + 9 * arguments) bounds of a few elements.
std::vector<Box> DerivePreconditions(const SpecGraph& graph, const CheckOptions& options);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_PRECONDITIONS_H_
