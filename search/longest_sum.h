// How exact the outputs of a candidate can be expected to be.
#ifndef QUERN_SEARCH_LONGEST_SUM_H_
#define QUERN_SEARCH_LONGEST_SUM_H_

#include <cstdint>

#include "frontend/spec.h"

namespace quern::search {

// The terms of the longest sum behind an element of a result; at least 1.
int64_t LongestSum(const frontend::Spec& spec);

}  // namespace quern::search

#endif  // QUERN_SEARCH_LONGEST_SUM_H_
