// The checker's own reader of StableHLO, independent of frontend/.
#ifndef QUERN_VERIFIER_SPEC_READER_H_
#define QUERN_VERIFIER_SPEC_READER_H_

#include <string>

#include "absl/status/statusor.h"
#include "verifier/spec/graph.h"

namespace quern::verifier {

// Of text, of portable bytecode (ir/vhlo/reader.h), or of an artifact of jax.export, told apart by
// content. The function @main, else the only public one; calls are replaced by what they compute,
// and annotations of where tensors lie (sdy.sharding_constraint, @Sharding) by their operands.
// kInvalidArgument, with line and column: text that does not parse, bytecode that is malformed, an
// op, an element type or a use of either that the checker lacks, recursion, more than a million
// values, brackets nested more than 256 deep. kResourceExhausted if constants do not fit in memory.
absl::StatusOr<SpecGraph> ReadSpec(const std::string& module);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SPEC_READER_H_
