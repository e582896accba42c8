// Intervals and errors of one operation: what bounds.h does with the terms is done here with
// numbers.
#ifndef QUERN_VERIFIER_REAL_BOUND_H_
#define QUERN_VERIFIER_REAL_BOUND_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "verifier/machine/ops.h"

namespace quern::verifier {

struct RealInterval {
  double low = 0;
  double high = 0;
};

// The real number lies in `real`, the computed one in `computed`, and they differ by at most
// `error`. All are rounded outward.
struct Bound {
  RealInterval real;
  RealInterval computed;
  double error = 0;
  // If not negative: they differ by at most floor + relative * |real number|, too.
  double floor = -1;
  double relative = 0;
};
// These, of any bound.
double Floor(const Bound& a);
double Relative(const Bound& a);

struct Format {
  double unit = 0;       // half the distance of 1 and the next number
  double subnormal = 0;  // half the least subnormal
  double greatest = 0;
};
std::optional<Format> FormatOf(const Type& type);

absl::Status OutOfRange(const std::string& what);  // "... for inputs in the boxes"
absl::Status NoRule(const std::string& what);      // "there is no error bound for ..."

// A result of a double operation, rounded outward with room to spare.
double Up(double x);
double Down(double x);

double Magnitude(const RealInterval& a);
RealInterval Plus(const RealInterval& a, const RealInterval& b);
RealInterval Hull(const RealInterval& a, const RealInterval& b);

// The bound of a rounded result, from that of the operation before it is rounded: on the real
// operands, on the computed ones, and how far those two results lie apart. `errors`: of rounding,
// in units; `tiny`: results may be subnormal and inexact.
absl::StatusOr<Bound> Rounded(const Type& type, Bound b, double errors = 1, bool tiny = true);

// Rounded.
absl::StatusOr<Bound> Add(const Type& type, const Bound& a, const Bound& b);
absl::StatusOr<Bound> Divide(const Type& type, const Bound& a, const Bound& b);
absl::StatusOr<Bound> SquareRoot(const Type& type, const Bound& a);

// Not rounded. `same`: the factors are one value.
Bound Product(const Bound& a, const Bound& b, bool same);
Bound Negate(const Bound& a);
Bound Max(const Bound& a, const Bound& b);
Bound Min(const Bound& a, const Bound& b);
Bound Abs(const Bound& a);
// exp, before it is rounded.
Bound Exp(const Bound& a);
// f increasing on the hull of the arguments, with a slope of at most `slope` there.
Bound Increasing(double (*f)(double), double slope, const Bound& a);

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOUND_H_
