// Random changes of LLVM IR, for looking for proofs that should not be.
#ifndef QUERN_VERIFIER_TESTING_MUTATION_H_
#define QUERN_VERIFIER_TESTING_MUTATION_H_

#include <optional>
#include <random>
#include <string>

namespace quern::verifier {

struct MutatedIr {
  std::string text;
  std::string what;  // "swaps the operands of %5 = fsub ..."
};

// `llvm_ir` with one to three changes that leave it well-formed: other operands, constants,
// operators, predicates, flags, alignments, targets of branches, places of stores. Nothing where
// the draw fits nothing or the result is not valid. The same for the same state of `random`.
std::optional<MutatedIr> MutateIr(const std::string& llvm_ir, std::mt19937_64& random);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_TESTING_MUTATION_H_
