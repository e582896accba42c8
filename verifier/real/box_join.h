// Joining boxes that together are one.
#ifndef QUERN_VERIFIER_REAL_BOX_JOIN_H_
#define QUERN_VERIFIER_REAL_BOX_JOIN_H_

#include <vector>

#include "verifier/real/box.h"

namespace quern::verifier {

// Joins boxes that continue one another along a dimension, else those whose offsets lie at equal
// distances, else, *splits times, parts of boxes of unequal lengths. The points stay the same.
// false: none can be joined.
bool JoinSome(Gathering gathering, const ShapeTable& shapes, int counters, int* splits,
              std::vector<IndexBox>* boxes);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOX_JOIN_H_
