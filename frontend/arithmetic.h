// Element-wise functions, for FindLoop: integers wrap, floats round once.
#ifndef QUERN_FRONTEND_ARITHMETIC_H_
#define QUERN_FRONTEND_ARITHMETIC_H_

#include <bit>
#include <cmath>
#include <limits>

#include "frontend/elements.h"

namespace quern::frontend {

// Signed overflow is undefined in C++, and small unsigned integers promote to signed ones.
template <Integer T>
T Wrap(uint64_t x) {
  return static_cast<T>(x);
}

struct Abs {
  template <Real T>
  T operator()(T x) const {
    return std::fabs(x);
  }
  template <Signed T>
  T operator()(T x) const {
    return x < 0 ? Wrap<T>(-static_cast<uint64_t>(x)) : x;
  }
  template <ComplexNumber T>
  double operator()(T x) const {
    return std::abs(std::complex<double>(x));
  }
};
struct Negate {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T x) const {
    return -x;
  }
  template <Integer T>
  T operator()(T x) const {
    return Wrap<T>(-static_cast<uint64_t>(x));
  }
};
struct Sign {
  template <typename T>
    requires Real<T> || Integer<T>
  T operator()(T x) const {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  }
  template <ComplexNumber T>
  std::complex<double> operator()(T x) const {
    const std::complex<double> z(x);
    if (std::isnan(z.real()) || std::isnan(z.imag())) {
      constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
      return {kNan, kNan};
    }
    return z == 0.0 ? z : z / std::abs(z);
  }
};
struct Not {
  template <Integer T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
  bool operator()(Boolean auto x) const { return !x; }
};
struct Add {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return a + b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    return Wrap<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
  template <Boolean T>
  T operator()(T a, T b) const {
    return a || b;
  }
};
struct Subtract {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return a - b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    return Wrap<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
};
struct Multiply {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return a * b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    return Wrap<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
  template <Boolean T>
  T operator()(T a, T b) const {
    return a && b;
  }
};
// x / 0 is all ones, x % 0 is x, and the smallest integer divided by -1 wraps.
struct Divide {
  template <typename T>
    requires Real<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return a / b;
  }
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    if (Signed<T> && b == static_cast<T>(-1)) return Negate()(a);
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <Real T>
  T operator()(T a, T b) const {
    return std::fmod(a, b);
  }
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if (Signed<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

// Lexicographic for complex numbers.
struct Less {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b;
  }
  template <ComplexNumber T>
  bool operator()(T a, T b) const {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  }
};
// IEEE 754-2019 maximum and minimum: a NaN propagates, and +0 is above -0.
struct Maximum {
  template <Real T>
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  template <typename T>
    requires std::integral<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return Less()(a, b) ? b : a;
  }
};
struct Minimum {
  template <Real T>
  T operator()(T a, T b) const {
    if (std::isnan(a) || std::isnan(b)) return a + b;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
  template <typename T>
    requires std::integral<T> || ComplexNumber<T>
  T operator()(T a, T b) const {
    return Less()(b, a) ? b : a;
  }
};
struct Clamp {
  template <typename T>
    requires requires(T x) { Maximum()(x, x); }
  T operator()(T low, T x, T high) const {
    return Minimum()(Maximum()(x, low), high);
  }
};

struct And {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <std::integral T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

// The bits of an element, above them zeros.
template <typename E>
uint64_t BitsOf(typename E::Value x) {
  return static_cast<uint64_t>(x) & (~uint64_t{0} >> (64 - E::kBits));
}

// A shift by the width or more, or by a negative amount, leaves zeros, or copies of the sign.
struct ShiftLeft {
  template <typename E, Integer T>
  T operator()(E, T x, T by) const {
    const uint64_t amount = BitsOf<E>(by);
    return amount >= E::kBits ? T(0) : Wrap<T>(BitsOf<E>(x) << amount);
  }
};
struct ShiftRightLogical {
  template <typename E, Integer T>
  T operator()(E, T x, T by) const {
    const uint64_t amount = BitsOf<E>(by);
    return amount >= E::kBits ? T(0) : Wrap<T>(BitsOf<E>(x) >> amount);
  }
};
struct ShiftRightArithmetic {
  template <typename E, Integer T>
  T operator()(E, T x, T by) const {
    const auto wide = static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - E::kBits));
    const uint64_t amount = std::min<uint64_t>(BitsOf<E>(by), E::kBits - 1);
    return Wrap<T>(static_cast<uint64_t>(wide >> (64 - E::kBits) >> amount));
  }
};
struct PopCount {
  template <typename E, Integer T>
  T operator()(E, T x) const {
    return static_cast<T>(std::popcount(BitsOf<E>(x)));
  }
};
struct CountLeadingZeros {
  template <typename E, Integer T>
  T operator()(E, T x) const {
    return static_cast<T>(std::countl_zero(BitsOf<E>(x)) - (64 - E::kBits));
  }
};
// The upper half of the product.
struct MultiplyHigh {
  template <typename E, Integer T>
  T operator()(E, T a, T b) const {
    using Wide = std::conditional_t<Signed<T>, __int128, unsigned __int128>;
    return static_cast<T>(Wide{a} * Wide{b} >> E::kBits);
  }
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_ARITHMETIC_H_
