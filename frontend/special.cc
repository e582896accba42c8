#include "frontend/special.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace quern::frontend {

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
static constexpr double kInf = std::numeric_limits<double>::infinity();
static constexpr double kPi = std::numbers::pi;

double InverseErf(double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return kNan;
  if (y == 0) return y;
  const double q = 1 - std::fabs(y);  // exact where it is small
  if (q == 0) return std::copysign(kInf, y);
  // Winitzki's approximation, within 2e-3, to start from.
  const double a = 0.147, log = std::log(q * (2 - q)), b = 2 / (kPi * a) + log / 2;
  double x = std::sqrt(std::sqrt(b * b - log / a) - b);
  if (std::fabs(y) < 1e-4) x = std::fabs(y) * std::sqrt(kPi) / 2;
  for (int i = 0; i < 4; ++i) {
    const double error = std::fabs(y) < 0.5 ? std::fabs(y) - std::erf(x) : std::erfc(x) - q;
    const double slope = 2 / std::sqrt(kPi) * std::exp(-x * x);
    x += error / (slope + x * error);
  }
  return std::copysign(x, y);
}

double LogOfGamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

double DigammaOf(double x) {
  if (x <= 0 && x == std::floor(x)) return kNan;
  if (x < 0) return DigammaOf(1 - x) - kPi / std::tan(kPi * (x - std::floor(x)));
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  static constexpr double kTerms[] = {-1.0 / 12,  1.0 / 120,     -1.0 / 252, 1.0 / 240,
                                      -1.0 / 132, 691.0 / 32760, -1.0 / 12};
  double power = 1, series = 0;
  for (double term : kTerms) series += term * (power /= x * x);
  return sum + std::log(x) - 1 / (2 * x) + series;
}

double PolygammaOf(double n, double x) {
  if (std::isnan(x) || !(n >= 0) || n != std::floor(n)) return kNan;
  if (n == 0) return DigammaOf(x);
  return (std::fmod(n, 2) == 0 ? -1 : 1) * std::tgamma(n + 1) * HurwitzZeta(n + 1, x);
}

double HurwitzZeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return kInf;
  if (q <= 0) {
    if (q == std::floor(q)) return std::fmod(x, 2) == 0 ? kInf : kNan;
    if (x != std::floor(x)) return kNan;
  }
  double sum = 0;
  for (; q < 12; ++q) sum += std::pow(q, -x);
  // B(2k) / (2k)!
  static constexpr double kBernoulli[] = {1.0 / 12,          -1.0 / 720,
                                          1.0 / 30240,       -1.0 / 1209600,
                                          1.0 / 47900160,    -691.0 / 1307674368000,
                                          1.0 / 74724249600, -3617.0 / 10670622842880000};
  const double power = std::pow(q, -x);
  sum += q * power / (x - 1) + power / 2;
  double factor = x * power / q;
  for (int k = 0; k < 8; ++k) {
    sum += kBernoulli[k] * factor;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2) / (q * q);
  }
  return sum;
}

double ScaledBesselI1(double x) {
  const double size = std::fabs(x);
  if (std::isnan(x)) return x;
  if (size > 30) {
    double term = 1, series = 1;
    for (int k = 1; k < 20; ++k) {
      term *= -(4 - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * size);
      series += term;
    }
    return std::copysign(series / std::sqrt(2 * kPi * size), x);
  }
  double term = size / 2, series = term;
  for (int k = 1; term > series * 1e-18; ++k) {
    term *= size * size / (4.0 * k * (k + 1));
    series += term;
  }
  return std::copysign(series * std::exp(-size), x);
}

}  // namespace quern::frontend
