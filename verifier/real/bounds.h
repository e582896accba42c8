// How far what a term computes may lie from the real number that it stands for.
#ifndef QUERN_VERIFIER_REAL_BOUNDS_H_
#define QUERN_VERIFIER_REAL_BOUNDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "verifier/real/bound.h"
#include "verifier/real/greatest.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Forward interval and error analysis: each operation rounds to nearest (relative u, and half the
// least subnormal where results may be subnormal), functions of the C library are within 4 units in
// the last place (glibc 2.36's manual, "Errors in Math Functions", lists at most 2 for those that
// are here in float and double on x86-64). What compares, floors or converts to an integer is
// defined on the computed operands: normal forms are equal only if those are the same. An element
// less the greatest of its set is not positive, and the sum of such exponentials at least 1
// (greatest.h).
class Bounds {
 public:
  // `boxes`: of the values of each argument; only those of floats are used. `terms` outlives this.
  Bounds(TermTable* terms, std::vector<RealInterval> boxes)
      : terms_(*terms), boxes_(std::move(boxes)), greatest_(terms) {}

  // Error of what buffer `buffer` (Op::name of kHeld) holds; unset, a held value has no bound.
  void SetHeld(int32_t buffer, double error) {
    held_[buffer] = error;
    memo_.clear();
  }

  // kOutOfRange with a reason: for some inputs in the boxes something may overflow, be NaN, leave
  // the domain of a function or divide by zero. kUnimplemented: no rule.
  absl::StatusOr<Bound> Of(const Value& value, const Type& type);

  // Whether a float, computed on inputs in the boxes and truncated, surely fits an integer type.
  bool Fits(const Value& number, const Type& from, const Type& to, bool is_signed);

  // Whether a number that may be rounded was compared, floored or made an integer on the way: the
  // results are functions of what was computed, not of the reals.
  bool steps() const { return steps_; }

 private:
  absl::StatusOr<Bound> Any(const Value& value, const Type& type);  // constants may be infinite
  absl::StatusOr<Bound> Finite(const Value& value, const Type& type);
  absl::StatusOr<Bound> Compute(const Value& value, const Type& type);
  absl::StatusOr<Bound> OfTerm(const Term& term);
  absl::StatusOr<Bound> OfRun(const Run& run, int64_t length);
  absl::StatusOr<Bound> Cast(const Term& term);
  absl::StatusOr<Bound> Named(const std::string& name, const Term& term);

  TermTable& terms_;
  std::vector<RealInterval> boxes_;
  absl::flat_hash_map<int32_t, double> held_;
  Greatest greatest_;
  // Of terms and runs, and the extents of the counters around them.
  absl::flat_hash_map<std::pair<Value, int>, Bound> memo_;
  absl::flat_hash_map<std::vector<double>, Bound> folds_;  // by everything they depend on
  int depth_ = 0;
  bool steps_ = false;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOUNDS_H_
