// The builder of functions.h that computes.
#ifndef QUERN_MATHLIB_SCALAR_H_
#define QUERN_MATHLIB_SCALAR_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace quern::mathlib {

// Needs the default rounding, and a compiler that fuses nothing: each operation is a function of
// its own, and CMakeLists.txt turns contraction off.
class Scalar {
 public:
  using F = float;
  using D = double;
  using I = uint32_t;
  using L = uint64_t;
  using M = bool;

  F Float(float x) { return x; }
  D Double(double x) { return x; }
  I Int(uint32_t x) { return x; }
  L Long(uint64_t x) { return x; }

  template <class T>
  T Add(T x, T y) {
    return x + y;
  }
  template <class T>
  T Sub(T x, T y) {
    return x - y;
  }
  template <class T>
  T Mul(T x, T y) {
    return x * y;
  }
  template <class T>
  T Div(T x, T y) {
    return x / y;
  }
  template <class T>
  T Fma(T x, T y, T z) {
    return std::fma(x, y, z);
  }
  F Abs(F x) { return std::fabs(x); }
  F Negate(F x) { return -x; }

  template <class T>
  M Less(T x, T y) {
    return x < y;
  }
  template <class T>
  M Equal(T x, T y) {
    return x == y;
  }
  M IsNaN(F x) { return std::isnan(x); }
  M Not(M x) { return !x; }
  template <class T>
  T Select(M condition, T x, T y) {
    return condition ? x : y;
  }

  template <class T>
  T And(T x, T y) {
    return x & y;
  }
  template <class T>
  T Or(T x, T y) {
    return x | y;
  }
  template <class T>
  T Xor(T x, T y) {
    return x ^ y;
  }
  template <class T>
  T ShiftLeft(T x, int bits) {
    return x << bits;
  }
  template <class T>
  T ShiftRight(T x, int bits) {
    return x >> bits;
  }
  I ShiftRightSigned(I x, int bits) { return static_cast<I>(static_cast<int32_t>(x) >> bits); }
  // The upper half of high:low, shifted left by fewer than 32 bits.
  I Funnel(I high, I low, I bits) {
    return static_cast<I>(((uint64_t{high} << 32 | low) << bits) >> 32);
  }

  I Bits(F x) { return std::bit_cast<I>(x); }
  L Bits(D x) { return std::bit_cast<L>(x); }
  F FromBits(I x) { return std::bit_cast<F>(x); }
  D FromBits(L x) { return std::bit_cast<D>(x); }
  D Widen(F x) { return x; }
  F Narrow(D x) { return static_cast<F>(x); }
  L Extend(I x) { return x; }
  I Truncate(L x) { return static_cast<I>(x); }
  F FromSigned(I x) { return static_cast<F>(static_cast<int32_t>(x)); }
  D WideFromSigned(I x) { return static_cast<int32_t>(x); }
  D WideFromUnsigned(I x) { return x; }

  // What `make` makes where `condition` holds, else `usual`.
  template <class Make>
  std::pair<I, I> Rarely(M condition, std::pair<I, I> usual, Make make) {
    return condition ? make() : usual;
  }
};

}  // namespace quern::mathlib

#endif  // QUERN_MATHLIB_SCALAR_H_
