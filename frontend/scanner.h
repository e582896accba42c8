// StableHLO text before MLIR's parser sees it.
#ifndef QUERN_FRONTEND_SCANNER_H_
#define QUERN_FRONTEND_SCANNER_H_

#include <string>

#include "absl/status/status.h"

namespace quern::frontend {

// Refuses text that would make MLIR's parser recurse deeply: brackets nested more than 256 deep,
// affine maps, and aliases other than those of locations. "name:line: error: ...".
absl::Status ScanText(const std::string& text, const std::string& name);

// Newer producers write the elements of a large i1 constant as a byte each, as in
// dense<"0x0001..."> : tensor<128xi1>; MLIR 22 takes a bit each. The text with such constants
// rewritten, of the same length and with every other character in its place; empty if there are
// none.
std::string RepackBools(const std::string& text);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SCANNER_H_
