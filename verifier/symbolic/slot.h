// Where a value lies in the memory of the symbolic machine.
#ifndef QUERN_VERIFIER_SYMBOLIC_SLOT_H_
#define QUERN_VERIFIER_SYMBOLIC_SLOT_H_

#include <compare>
#include <cstdint>

#include "verifier/symbolic/affine.h"

namespace quern::verifier {

// At linear + offset of an object, for all values of the symbols of the linear form.
struct Slot {
  int object = 0;
  LinearId linear = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  auto operator<=>(const Slot&) const = default;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_SLOT_H_
