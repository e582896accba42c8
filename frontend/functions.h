// Transcendental and other functions of floats and complex numbers, for FindLoop: computed in f64
// and rounded once.
#ifndef QUERN_FRONTEND_FUNCTIONS_H_
#define QUERN_FRONTEND_FUNCTIONS_H_

#include <cmath>
#include <complex>

#include "frontend/elements.h"
#include "frontend/special.h"

namespace quern::frontend {

using C128 = std::complex<double>;

// A function of reals given by a lambda on double.
template <auto kReal>
struct OnReals {
  double operator()(Real auto x) const { return kReal(double{x}); }
};
// Also of complex numbers.
template <auto kReal, auto kComplex>
struct OnNumbers : OnReals<kReal> {
  using OnReals<kReal>::operator();
  C128 operator()(ComplexNumber auto x) const { return kComplex(C128(x)); }
};
// A predicate of reals.
template <auto kReal>
struct Predicate {
  bool operator()(Real auto x) const { return kReal(double{x}); }
};

#define QUERN_FUNCTION(name, function) \
  using name = OnNumbers<[](double x) { return function; }, [](C128 x) -> C128 { return function; }>
QUERN_FUNCTION(Exponential, std::exp(x));
QUERN_FUNCTION(Log, std::log(x));
QUERN_FUNCTION(Sine, std::sin(x));
QUERN_FUNCTION(Cosine, std::cos(x));
QUERN_FUNCTION(Tangent, std::tan(x));
QUERN_FUNCTION(HyperbolicTangent, std::tanh(x));
QUERN_FUNCTION(SquareRoot, std::sqrt(x));
QUERN_FUNCTION(ReciprocalSquareRoot, 1.0 / std::sqrt(x));
QUERN_FUNCTION(Logistic, 1.0 / (1.0 + std::exp(-x)));
QUERN_FUNCTION(HyperbolicSine, std::sinh(x));
QUERN_FUNCTION(HyperbolicCosine, std::cosh(x));
QUERN_FUNCTION(ArcSine, std::asin(x));
QUERN_FUNCTION(ArcCosine, std::acos(x));
QUERN_FUNCTION(ArcTangent, std::atan(x));
QUERN_FUNCTION(AreaSine, std::asinh(x));
QUERN_FUNCTION(AreaCosine, std::acosh(x));
QUERN_FUNCTION(AreaTangent, std::atanh(x));
#undef QUERN_FUNCTION

// exp(z) - 1 = (expm1(x) cos y - 2 sin²(y/2)) + i exp(x) sin y, without cancellation near 0.
inline C128 ComplexExpm1(C128 z) {
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          z.imag() == 0 ? z.imag() : std::exp(z.real()) * std::sin(z.imag())};
}
// log(1 + z), near 0 by |1 + z|² - 1 = x (2 + x) + y².
inline C128 ComplexLog1p(C128 z) {
  const double x = z.real(), y = z.imag();
  const bool small = std::fabs(x) < 0.5 && std::fabs(y) < 0.5;
  const double real = small ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(std::hypot(1 + x, y));
  return {real, std::atan2(y, 1 + x)};
}

using ExponentialMinusOne = OnNumbers<[](double x) { return std::expm1(x); }, ComplexExpm1>;
using LogPlusOne = OnNumbers<[](double x) { return std::log1p(x); }, ComplexLog1p>;
using CubeRoot =
    OnNumbers<[](double x) { return std::cbrt(x); }, [](C128 x) { return std::pow(x, 1.0 / 3); }>;

using Ceil = OnReals<[](double x) { return std::ceil(x); }>;
using Floor = OnReals<[](double x) { return std::floor(x); }>;
using RoundAwayFromZero = OnReals<[](double x) { return std::round(x); }>;
using RoundToEven = OnReals<[](double x) { return std::nearbyint(x); }>;

using Erf = OnReals<[](double x) { return std::erf(x); }>;
using Erfc = OnReals<[](double x) { return std::erfc(x); }>;
using ErfInv = OnReals<InverseErf>;
using LogGamma = OnReals<LogOfGamma>;
using DiGamma = OnReals<DigammaOf>;
using BesselI1e = OnReals<ScaledBesselI1>;

using IsFinite = Predicate<[](double x) { return std::isfinite(x); }>;
using IsInf = Predicate<[](double x) { return std::isinf(x); }>;
using IsPosInf = Predicate<[](double x) { return std::isinf(x) && x > 0; }>;
using IsNegInf = Predicate<[](double x) { return std::isinf(x) && x < 0; }>;

struct Square {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T x) const {
    return x * x;
  }
  template <Integer T>
  T operator()(T x) const {
    return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
  }
};
struct Conjugate {
  template <Real T>
  T operator()(T x) const {
    return x;
  }
  template <ComplexNumber T>
  T operator()(T x) const {
    return std::conj(x);
  }
};
struct RealPart {
  template <Real T>
  T operator()(T x) const {
    return x;
  }
  template <ComplexNumber T>
  auto operator()(T x) const {
    return x.real();
  }
};
struct ImaginaryPart {
  template <Real T>
  T operator()(T) const {
    return 0;
  }
  template <ComplexNumber T>
  auto operator()(T x) const {
    return x.imag();
  }
};
// Of f32 and f64 alone: their elements are their values.
struct MakeComplex {
  template <typename E, Real T>
    requires std::same_as<typename E::Memory, T>
  std::complex<T> operator()(E, T real, T imaginary) const {
    return {real, imaginary};
  }
};

struct ArcTangent2 {
  double operator()(Real auto y, Real auto x) const { return std::atan2(double{y}, double{x}); }
  // -i log((x + i y) / sqrt(x² + y²))
  template <ComplexNumber T>
  C128 operator()(T y, T x) const {
    const C128 a(y), b(x), i(0, 1);
    return -i * std::log((b + i * a) / std::sqrt(b * b + a * a));
  }
};
struct Power {
  double operator()(Real auto a, Real auto b) const { return std::pow(double{a}, double{b}); }
  template <ComplexNumber T>
  C128 operator()(T a, T b) const {
    return std::pow(C128(a), C128(b));
  }
  // To a negative power 0, but for 1 and -1.
  template <Integer T>
  T operator()(T base, T exponent) const {
    if (exponent < 0) {
      if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? T(1) : base;
      return base == 1 ? 1 : 0;
    }
    uint64_t result = 1, factor = static_cast<uint64_t>(base);
    for (auto bits = static_cast<uint64_t>(exponent); bits != 0; bits >>= 1) {
      if (bits & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }
};
struct PolyGamma {
  double operator()(Real auto n, Real auto x) const { return PolygammaOf(n, x); }
};
struct Zeta {
  double operator()(Real auto x, Real auto q) const { return HurwitzZeta(x, q); }
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_FUNCTIONS_H_
