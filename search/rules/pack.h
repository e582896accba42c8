// Layouts that the rule `pack` is given.
#ifndef QUERN_SEARCH_RULES_PACK_H_
#define QUERN_SEARCH_RULES_PACK_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/ArrayRef.h"

namespace quern::search {

// The parameter `digits` for panels of `factor` along dimension `panel`, one of the last two, the
// factor fastest: (N/f, K, f) for [K, N] and dimension 1. The last panel is padded.
std::string PanelDigits(llvm::ArrayRef<int64_t> shape, size_t panel, int64_t factor);

}  // namespace quern::search

#endif  // QUERN_SEARCH_RULES_PACK_H_
