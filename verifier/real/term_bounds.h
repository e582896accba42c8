// The rules by which the error of an operation follows from those of its operands.
#ifndef QUERN_VERIFIER_REAL_TERM_BOUNDS_H_
#define QUERN_VERIFIER_REAL_TERM_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "verifier/real/bound.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Forward interval and error analysis: each operation rounds to nearest (relative u, and half the
// least subnormal where results may be subnormal), functions of the C library are within 4 units in
// the last place (glibc 2.36's manual, "Errors in Math Functions", lists at most 2 for those that
// are here in float and double on x86-64), those of mathlib within their contracts. What compares,
// floors or converts to an integer is defined on the computed operands: normal forms are equal only
// if those are the same.
class TermBounds {
 public:
  // Outlives this.
  explicit TermBounds(TermTable* terms) : terms_(*terms) {}
  virtual ~TermBounds() = default;

  // kOutOfRange with a reason: something may overflow, be NaN, leave the domain of a function or
  // divide by zero. kUnimplemented: no rule.
  absl::StatusOr<Bound> Of(const Value& value, const Type& type);

  // Of what a buffer holds, as Bound's.
  struct Held {
    double error = 0;
    double floor = -1;
    double relative = 0;
  };

  // Whether a number that may be rounded was compared, floored or made an integer on the way, and
  // the real number may give another result: what follows is a function of what was computed, not
  // of the reals.
  bool steps() const { return steps_; }

 protected:
  // By Op::name of kHeld; without one, a held value has no bound.
  using HeldBuffers = absl::flat_hash_map<int32_t, Held>;

  // The bound of any value; constants may be infinite.
  virtual absl::StatusOr<Bound> Any(const Value& value, const Type& type) = 0;
  absl::StatusOr<Bound> Finite(const Value& value, const Type& type);
  // What else is known of the bound of a value that must not be zero or negative.
  virtual void LearnRange(const Value& value, const Type& type, Bound* bound) {}
  // Whether a - b is not positive, whatever rounds.
  virtual bool IsAtMost(const Value& a, const Value& b) { return false; }

  absl::StatusOr<Bound> OfTerm(const Term& term);
  // Whether infinite elements may take part: a maximum or minimum.
  bool Passes(const Run& run) const;
  // One step of a run, from the bounds of the accumulator and of the elements.
  absl::StatusOr<Bound> Step(const Run& run, const Bound& sum, absl::Span<const Bound> elements);

  static RealInterval IntegerRange(const Type& type);  // as signed; {0, 1} of an i1
  TermTable& terms_;
  HeldBuffers held_;

 private:
  absl::StatusOr<Bound> Binary(const Term& term);
  absl::StatusOr<Bound> Compare(const Term& term);
  absl::StatusOr<Bound> Select(const Term& term);
  absl::StatusOr<Bound> Cast(const Term& term);
  // `units`: of rounding that a library function may be off by.
  absl::StatusOr<Bound> Named(const std::string& name, const Term& term, double units);
  // Of a function that is constant but for steps, applied to `x`.
  Bound Stepped(const Bound& x, double (*f)(double));

  bool steps_ = false;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_TERM_BOUNDS_H_
