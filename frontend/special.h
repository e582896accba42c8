// Special functions in f64, accurate to a few units in the last place of f32 and far beyond.
#ifndef QUERN_FRONTEND_SPECIAL_H_
#define QUERN_FRONTEND_SPECIAL_H_

namespace quern::frontend {

// The x with erf(x) = y: infinite at 1 and -1, NaN beyond. Halley's iteration.
double InverseErf(double y);

// log |gamma(x)|; infinite at 0 and the negative integers.
double LogOfGamma(double x);

// The derivative of log gamma; NaN at 0 and the negative integers. Recurrence up to 10, then the
// asymptotic series (Abramowitz and Stegun 6.3.18); below 0 by reflection.
double DigammaOf(double x);

// The n-th derivative of digamma, (-1)^(n+1) n! zeta(n+1, x); NaN unless n is 0, 1, 2, ...
double PolygammaOf(double n, double x);

// The sum of (q + k)^-x over k >= 0, by Euler-Maclaurin summation: infinite for x = 1 and, if x is
// even, at q = 0, -1, ...; NaN for x < 1, and for q <= 0 unless x is an integer.
double HurwitzZeta(double x, double q);

// exp(-|x|) I1(x), by the power series, or the asymptotic one beyond 30 (Abramowitz and Stegun
// 9.6.10, 9.7.1).
double ScaledBesselI1(double x);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_SPECIAL_H_
