// The dimensions of one box, and its simplest form.
#ifndef QUERN_VERIFIER_REAL_BOX_DIMENSIONS_H_
#define QUERN_VERIFIER_REAL_BOX_DIMENSIONS_H_

#include <cstdint>
#include <vector>

#include "verifier/real/box.h"

namespace quern::verifier {

// One dimension of a box, taken out of its columns.
struct Dimension {
  int64_t extent = 1;
  std::vector<int64_t> strides;  // by slot
  bool operator==(const Dimension&) const = default;
  auto operator<=>(const Dimension&) const = default;
};

// Leaves a box without dimensions, to which they can be put back.
std::vector<Dimension> TakeDimensions(int counters, IndexBox* box);
void PutDimensions(const std::vector<Dimension>& dimensions, int counters, IndexBox* box);

// Drops, turns and joins dimensions, and sorts them and the factors of a product. false: overflow.
bool Simplify(Gathering gathering, const ShapeTable& shapes, int counters, IndexBox* box);

// What two boxes share that differ in offsets alone; and those, by slot.
std::vector<int64_t> Key(const IndexBox& box, int counters);
std::vector<int64_t> Offsets(const IndexBox& box, int counters);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOX_DIMENSIONS_H_
