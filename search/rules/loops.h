// Loop transformations that several rules are made of.
#ifndef QUERN_SEARCH_RULES_LOOPS_H_
#define QUERN_SEARCH_RULES_LOOPS_H_

#include "absl/status/statusor.h"
#include "ir/program/program.h"

namespace quern::search {

struct Tiled {
  program::LoopOp outer, inner;
};

// Splits a loop "i" into "i.o" and "i.i" of `factor` iterations. Where it does not divide, the rest
// runs under a guard or in a copy of the loop after it, "i.t", with "i.t/" before the names of the
// loops and buffers inside.
absl::StatusOr<Tiled> Tile(program::LoopOp loop, int64_t factor, bool guarded);

// Swaps a loop with the only op of its body, a loop.
absl::Status Interchange(program::LoopOp loop);

// Distributes a loop over the ops of its body, as far inwards as scalars allow. Buffers allocated
// on the way get one more dimension, last. The innermost copy keeps the name; others get .1, .2,
// ....
absl::Status Sink(program::LoopOp loop);

}  // namespace quern::search

#endif  // QUERN_SEARCH_RULES_LOOPS_H_
