// Sums and sets over boxes of indices, brought to one form however a program split them.
#ifndef QUERN_VERIFIER_REAL_BOX_H_
#define QUERN_VERIFIER_REAL_BOX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "verifier/real/coefficient.h"

namespace quern::verifier {

using ShapeId = int32_t;

// Interns the parts of normal forms with their element offsets left out: words that say what a
// part is, and how many slots for offsets it has. Equal shapes of a table are equal ids.
class ShapeTable {
 public:
  enum Kind : int64_t {
    kLeaf,      // argument, linear form; one slot: the element offset
    kIndex,     // linear form; one slot: the integer is the form plus the offset
    kFunction,  // key, shapes of forms
    kSet,       // key, modulus, entries: shape of a form, boxed
    kOpaque,    // members of a Value
    kInfinity,
    kProduct,  // atoms with powers
    kForm,     // modulus, addends: shape of a product, coefficient, boxed
    // "boxed" is a number of dimensions, their extents, and their strides, slot after slot.
  };
  ShapeId Intern(std::vector<int64_t> words, int slots);
  absl::Span<const int64_t> words(ShapeId id) const { return shapes_[id].words; }
  Kind kind(ShapeId id) const { return static_cast<Kind>(shapes_[id].words[0]); }
  int slots(ShapeId id) const { return shapes_[id].slots; }
  int64_t bytes() const { return bytes_; }

 private:
  struct Shape {
    std::vector<int64_t> words;
    int slots = 0;
  };
  std::vector<Shape> shapes_;
  absl::flat_hash_map<std::vector<int64_t>, ShapeId> ids_;
  int64_t bytes_ = 0;
};

// coefficient * SUM over k in a box of shape(slot offsets at k), or the set of those. Each slot
// has a column of 1 + counters + dimensions numbers: its offset, its strides by the counters of
// enclosing boxes, which are free here, and its strides by the dimensions.
struct IndexBox {
  Coefficient coefficient = Coefficient(1);
  ShapeId shape = 0;
  std::vector<int64_t> extents;
  std::vector<int64_t> columns;

  int width(int counters) const { return 1 + counters + static_cast<int>(extents.size()); }
  bool operator==(const IndexBox&) const = default;
};

// Turns the last extents.size() counters of the box, which have these extents, all at least 1, into
// dimensions.
void Close(absl::Span<const int64_t> extents, IndexBox* box);

enum class Gathering { kSum, kSet };

// The order in which boxes are kept: offsets count last, so that it is the same at every offset.
bool Before(const IndexBox& a, const IndexBox& b, int counters);

// Brings boxes to a normal form, all by identities of multisets of points (kSum) or of sets of
// points (kSet; coefficients are 1):
//   dimensions without strides are counted and dropped, negative strides turned, a dimension that
//   continues another one is joined with it (stride s2 = n1 * s1);
//   equal boxes are added up or dropped;
//   if `join`, boxes that continue one another along a dimension become one, and boxes at equal
//   distances one with a dimension more. What is joined cancels no longer: join at the end.
// False: a number left its range. O(n log n) boxes a pass, at most as many passes as boxes.
bool Canonicalise(Gathering gathering, bool join, const ShapeTable& shapes, int counters,
                  std::vector<IndexBox>* boxes);

// Replaces each box by its points. False, and nothing happens: they are more than `limit`, or a
// number leaves its range.
bool Explode(int64_t limit, int counters, std::vector<IndexBox>* boxes);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOX_H_
