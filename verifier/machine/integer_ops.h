// LLVM's integer operations on numbers of a given width: the one meaning that all domains share.
#ifndef QUERN_VERIFIER_MACHINE_INTEGER_OPS_H_
#define QUERN_VERIFIER_MACHINE_INTEGER_OPS_H_

#include <cstdint>

#include "verifier/machine/ops.h"

namespace quern::verifier {

// Operands are the lowest `width` bits (1 to 64), zero-extended, and so are results. What a
// poisoned operand does is the domain's business.

// Of a predicate from kEq on.
bool IntegerHolds(Predicate predicate, int width, uint64_t a, uint64_t b);

// Undefined behaviour of a division; kNone for all other operations.
enum class DivisionFault { kNone, kByZero, kOverflow };
DivisionFault FaultOfDivision(BinaryOp op, int width, uint64_t a, uint64_t b);

// A poisoned result has the bits of the wrapped number, or 0.
struct IntegerResult {
  uint64_t bits = 0;
  bool poison = false;
};
// Not of floats, nor of divisions that are undefined.
IntegerResult EvaluateInteger(BinaryOp op, BinaryFlags flags, int width, uint64_t a, uint64_t b);

// Of kSMin, kSMax, kUMin and kUMax: whether the result is `a`.
bool ChoosesFirst(Intrinsic intrinsic, int width, uint64_t a, uint64_t b);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_INTEGER_OPS_H_
