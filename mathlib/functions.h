// The functions of mathlib, each written once over a builder of operations: one that computes
// (scalar.h), one that emits LLVM IR. Every operation rounds alike in both, so results are
// bit-equal.
//
// A builder B has values of types B::F (f32), B::D (f64), B::I and B::L (32 and 64 bits) and B::M
// (a truth); scalars, or the lanes of a vector. Integers wrap. Nothing converts a NaN to an
// integer: floats are rounded by adding 1.5 * 2^23 and read from the bits.
#ifndef QUERN_MATHLIB_FUNCTIONS_H_
#define QUERN_MATHLIB_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace quern::mathlib {

// The polynomials are fit.py's.
inline constexpr float kExpM1[] = {0x1p-1f, 0x1.5554dcp-3f, 0x1.55551p-5f, 0x1.120be4p-7f,
                                   0x1.6d1d1p-10f};
inline constexpr float kExp2[] = {0x1.62e43p-1f,  0x1.ebfbep-3f,   0x1.c6af6cp-5f,
                                  0x1.3b2a52p-7f, 0x1.5f08b8p-10f, 0x1.4413a4p-13f};
inline constexpr float kLog[] = {0x1.555554p-2f,  -0x1.fffffcp-3f, 0x1.999d5cp-3f,
                                 -0x1.555b4ep-3f, 0x1.23d1fap-3f,  -0x1.fcf388p-4f,
                                 0x1.dea3bep-4f,  -0x1.d64044p-4f, 0x1.1d993p-4f};
inline constexpr float kTanh[] = {-0x1.555556p-2f, 0x1.1110d8p-3f,  -0x1.ba02a6p-5f,
                                  0x1.6449cep-6f,  -0x1.0f107cp-7f, 0x1.2247c8p-9f};
inline constexpr float kErf[] = {0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2d1p-4f,  -0x1.b7fab6p-6f,
                                 0x1.541248p-8f, -0x1.a44f5p-11f, 0x1.4a5308p-14f};
inline constexpr float kErfc[] = {0x1.d97fcp+0f,    0x1.51c9b2p+1f,  0x1.afab6cp-1f,
                                  0x1.5496a6p-5f,   -0x1.4a3ac8p-7f, 0x1.0d42e6p-9f,
                                  -0x1.4fcba8p-12f, 0x1.147ed8p-15f, -0x1.b7783p-20f};
inline constexpr float kSin[] = {-0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a013a2p-13f,
                                 0x1.6dbbeep-19f};
inline constexpr float kCos[] = {0x1.555556p-5f, -0x1.6c16cp-10f, 0x1.a015cp-16f, -0x1.2522e6p-22f};
inline constexpr double kLog2Wide[] = {
    0x1.71547652b82ffp+1, 0x1.ec709dc39ca19p-1, 0x1.2776c516a4d66p-1, 0x1.a617567b881e4p-2,
    0x1.484fab27d3f13p-2, 0x1.0bb7d67502e05p-2, 0x1.f1830525e41e6p-3};
inline constexpr double kExp2Wide[] = {
    0x1.0000000000000p+0,  0x1.62e42fef84c25p-1,  0x1.ebfbdff823cb5p-3,
    0x1.c6b08dd71cba5p-5,  0x1.3b2ab71824365p-7,  0x1.5d874581411cbp-10,
    0x1.4308ac70a8e77p-13, 0x1.00dc6396f4ca0p-16, 0x1.63d1523780311p-20};
// 2 / pi after the point.
inline constexpr uint32_t kTwoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                          0xdb629599, 0x3c439041, 0xfe5163ab};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kRound = 0x1.8p23f;  // a float of up to 2^22 plus this is a whole number
inline constexpr double kRoundWide = 0x1.8p52;

template <class B>
class Functions {
 public:
  using F = typename B::F;
  using D = typename B::D;
  using I = typename B::I;
  using L = typename B::L;
  using M = typename B::M;

  explicit Functions(B& builder) : b(builder) {}

  F Exp(F x) {
    const F clamped = Clamp(x, -104, 89);
    const auto [k, r] = Reduce(clamped, 0x1.715476p+0f);
    return Scale(b.Add(b.Float(1), ExpM1Of(r)), k);
  }

  F Exp2(F x) {
    const F clamped = Clamp(x, -151, 128.5f);
    const F shifted = b.Add(clamped, b.Float(kRound));
    const I k = b.Sub(b.Bits(shifted), b.Int(kRoundBits));
    const F r = b.Sub(clamped, b.Sub(shifted, b.Float(kRound)));
    return Scale(b.Fma(r, Polynomial(kExp2, r), b.Float(1)), k);
  }

  F ExpM1(F x) {
    const F clamped = Clamp(x, -20, 89);
    const auto [k, r] = Reduce(clamped, 0x1.715476p+0f);
    const F p = ExpM1Of(r);
    // 2^k (p + 1) - 1, halved, since 2^k may be infinite.
    const F half = PowerOfTwo(b.Sub(k, b.Int(1)));
    const F result = b.Mul(b.Float(2), b.Fma(half, p, b.Sub(half, b.Float(0.5f))));
    // A product with a subnormal number may be inexact, and 0 + -0 is 0.
    const F near = b.Select(b.Less(b.Abs(x), b.Float(0x1p-30f)), x, p);
    return b.Select(b.Equal(k, b.Int(0)), near, result);
  }

  F Log(F x) {
    const M tiny = b.Less(x, b.Float(0x1p-126f));
    const F normal = b.Select(tiny, b.Mul(x, b.Float(0x1p23f)), x);
    const I lift = b.Select(tiny, b.Int(23), b.Int(0));
    const auto [k, m] = Split(normal);
    const F result = LogOf(b.Sub(k, lift), b.Sub(m, b.Float(1)));
    return LogAtEnds(x, b.Float(0), result);
  }

  F Log1P(F x) {
    // 1 + x = sum + rest, exactly.
    const F sum = b.Add(x, b.Float(1));
    const F back = b.Sub(sum, b.Float(1));
    const F rest = b.Add(b.Sub(b.Float(1), b.Sub(sum, back)), b.Sub(x, back));
    const auto [k, m] = Split(sum);
    // 2^-k, which is none of a normal number for a great x: there the rest is of no account.
    const F power = b.FromBits(b.ShiftLeft(b.Sub(b.Int(127), k), 23));
    const F scale = b.Select(b.Less(b.Float(0x1p60f), x), b.Float(0), power);
    const F f = b.Fma(rest, scale, b.Sub(m, b.Float(1)));
    const F result = LogAtEnds(x, b.Float(-1), LogOf(k, f));
    return b.Select(b.Less(b.Abs(x), b.Float(0x1p-30f)), x, result);
  }

  F Tanh(F x) {
    const F size = b.Abs(x);
    const F square = b.Mul(x, x);
    const F near = b.Fma(b.Mul(square, size), Polynomial(kTanh, square), size);
    const F e = Exp(b.Add(Least(size, 10), Least(size, 10)));
    const F far = b.Sub(b.Float(1), b.Div(b.Float(2), b.Add(e, b.Float(1))));
    return SignOf(x, b.Select(b.Less(size, b.Float(0.65f)), near, far));
  }

  F Erf(F x) {
    const F size = b.Abs(x);
    const F square = b.Mul(x, x);
    const F near = b.Fma(size, Polynomial(kErf, square), size);
    const F t = b.Sub(Least(size, 4), b.Float(1));
    const F far = b.Sub(b.Float(1), Exp(b.Negate(Polynomial(kErfc, t))));
    return SignOf(x, b.Select(b.Less(size, b.Float(1)), near, far));
  }

  F Sin(F x) { return Wave(x, /*turns=*/0, /*odd=*/true); }
  F Cos(F x) { return Wave(x, /*turns=*/1, /*odd=*/false); }

  // In double: the product of y and the logarithm needs 8 bits more than a float has.
  F Pow(F x, F y) {
    const F size = b.Abs(x);
    const D result = PowOf(size, y);
    F power = b.Narrow(result);
    // What is odd changes the sign; a float of at least 2^24 is even.
    const F limited = Least(b.Abs(y), 0x1p24f);
    const F half = b.Mul(limited, b.Float(0.5f));
    const M whole = b.Equal(Whole(limited), limited);
    const M odd = b.And(whole, b.Not(b.Equal(Whole(half), half)));
    const M negative = b.Equal(b.ShiftRight(b.Bits(x), 31), b.Int(1));
    const F flipped = b.FromBits(b.Xor(b.Bits(power), b.Int(0x80000000)));
    power = b.Select(b.And(negative, odd), flipped, power);
    const M below = b.And(b.Less(x, b.Float(0)), b.Less(size, b.Float(kInfinity)));
    power = b.Select(b.And(below, b.Not(whole)), b.Float(kNaN), power);
    power = b.Select(b.Or(b.IsNaN(x), b.IsNaN(y)), b.Add(x, y), power);
    const M minus_one = b.And(b.Equal(x, b.Float(-1)), b.Equal(b.Abs(y), b.Float(kInfinity)));
    const M one = b.Or(b.Or(b.Equal(x, b.Float(1)), b.Equal(y, b.Float(0))), minus_one);
    return b.Select(one, b.Float(1), power);
  }

 private:
  static constexpr uint32_t kRoundBits = 0x4b400000;
  static constexpr uint32_t kRootHalf = 0x3f3504f3;

  template <size_t N>
  F Polynomial(const float (&coefficients)[N], F x) {
    F sum = b.Float(coefficients[N - 1]);
    for (size_t i = N - 1; i-- > 0;) sum = b.Fma(sum, x, b.Float(coefficients[i]));
    return sum;
  }
  template <size_t N>
  D Polynomial(const double (&coefficients)[N], D x) {
    D sum = b.Double(coefficients[N - 1]);
    for (size_t i = N - 1; i-- > 0;) sum = b.Fma(sum, x, b.Double(coefficients[i]));
    return sum;
  }

  F Least(F x, float high) { return b.Select(b.Less(b.Float(high), x), b.Float(high), x); }
  F Clamp(F x, float low, float high) {
    const F below = Least(x, high);
    return b.Select(b.Less(below, b.Float(low)), b.Float(low), below);
  }
  F SignOf(F x, F size) {
    return b.FromBits(b.Or(b.And(b.Bits(x), b.Int(0x80000000)), b.Bits(size)));
  }
  // To even, of a float from 0 to 2^24; from 2^23 all are whole.
  F Whole(F x) {
    const F rounded = b.Sub(b.Add(x, b.Float(0x1p23f)), b.Float(0x1p23f));
    return b.Select(b.Less(x, b.Float(0x1p23f)), rounded, x);
  }

  F PowerOfTwo(I k) { return b.FromBits(b.ShiftLeft(b.Add(k, b.Int(127)), 23)); }
  // x 2^k, rounded once.
  F Scale(F x, I k) {
    const I half = b.ShiftRightSigned(k, 1);
    return b.Mul(b.Mul(x, PowerOfTwo(half)), PowerOfTwo(b.Sub(k, half)));
  }

  // x = k ln 2 + r, where |r| is at most about ln 2 / 2.
  std::pair<I, F> Reduce(F x, float log2_e) {
    const F shifted = b.Fma(x, b.Float(log2_e), b.Float(kRound));
    const F k = b.Sub(shifted, b.Float(kRound));
    const F r = b.Fma(k, b.Float(-0x1.62e4p-1f), x);
    return {b.Sub(b.Bits(shifted), b.Int(kRoundBits)), b.Fma(k, b.Float(-0x1.7f7d1cp-20f), r)};
  }
  F ExpM1Of(F r) { return b.Fma(b.Mul(r, r), Polynomial(kExpM1, r), r); }

  // x = 2^k m for a normal x, with m from sqrt(1/2) to sqrt(2).
  std::pair<I, F> Split(F x) {
    const I bits = b.Bits(x);
    const I k = b.ShiftRightSigned(b.Sub(bits, b.Int(kRootHalf)), 23);
    return {k, b.FromBits(b.Sub(bits, b.ShiftLeft(k, 23)))};
  }
  // log(2^k (1 + f)).
  F LogOf(I k, F f) {
    const F exponent = b.FromSigned(k);
    const F square = b.Mul(f, f);
    const F small =
        b.Fma(exponent, b.Float(0x1.7f7d1cp-20f), b.Mul(b.Mul(square, f), Polynomial(kLog, f)));
    const F rest = b.Fma(b.Float(-0.5f), square, small);
    // The greater part last: f + rest is 0 where k ln 2 is not.
    return b.Fma(exponent, b.Float(0x1.62e4p-1f), b.Add(f, rest));
  }
  F LogAtEnds(F x, F pole, F result) {
    result = b.Select(b.Equal(x, b.Float(kInfinity)), x, result);
    result = b.Select(b.Equal(x, pole), b.Float(-kInfinity), result);
    result = b.Select(b.Less(x, pole), b.Float(kNaN), result);
    return b.Select(b.IsNaN(x), b.Add(x, x), result);
  }

  // Quarters of a turn and the rest, of a finite x of at least 2^-100: Payne and Hanek's way. With
  // x = m 2^e, bits of 2 / pi above 2^(2 - e) only add whole turns.
  std::pair<I, I> ReduceHuge(F x) {
    const I bits = b.Bits(x);
    const I m = b.Or(b.And(bits, b.Int(0x7fffff)), b.Int(0x800000));
    // 32 zeros and e - 2 bits to skip.
    const I skip = b.Sub(b.ShiftRight(bits, 23), b.Int(127 + 23 + 2 - 32));
    const I word = b.ShiftRight(skip, 5);
    const I shift = b.And(skip, b.Int(31));
    I words[4];
    for (uint32_t i = 0; i < 4; ++i) {
      words[i] = b.Int(i == 0 ? 0 : kTwoOverPi[i - 1]);
      for (uint32_t first = 1; first < 5 && first + i <= 7; ++first) {
        words[i] =
            b.Select(b.Equal(word, b.Int(first)), b.Int(kTwoOverPi[first + i - 1]), words[i]);
      }
    }
    L window[3];
    for (int i = 0; i < 3; ++i) window[i] = b.Extend(b.Funnel(words[i], words[i + 1], shift));
    const L wide = b.Extend(m);
    const L low = b.ShiftRight(b.Mul(wide, window[2]), 32);
    const L product =
        b.Add(b.Add(b.ShiftLeft(b.Mul(wide, window[0]), 32), b.Mul(wide, window[1])), low);
    const L quarters = b.ShiftRight(b.Add(product, b.Long(uint64_t{1} << 61)), 62);
    const L rest = b.ShiftLeft(product, 2);  // of a quarter, as a signed fraction
    const D upper = b.Mul(b.WideFromSigned(b.Truncate(b.ShiftRight(rest, 32))), b.Double(0x1p-32));
    const D lower = b.Mul(b.WideFromUnsigned(b.Truncate(rest)), b.Double(0x1p-64));
    const D angle = b.Mul(b.Add(upper, lower), b.Double(0x1.921fb54442d18p+0));
    return {b.Truncate(quarters), b.Bits(b.Narrow(angle))};
  }

  F Wave(F x, uint32_t turns, bool odd) {
    const F size = b.Abs(x);
    const F shifted = b.Fma(size, b.Float(0x1.45f306p-1f), b.Float(kRound));
    const F k = b.Sub(shifted, b.Float(kRound));
    F r = b.Fma(k, b.Float(-0x1.921fb6p+0f), size);
    r = b.Fma(k, b.Float(0x1.777a5cp-25f), r);
    r = b.Fma(k, b.Float(0x1.ee59dap-50f), r);
    const M huge = b.Not(b.Less(size, b.Float(0x1p14f)));
    const std::pair<I, I> usual = {b.Bits(shifted), b.Bits(r)};
    const auto [quarters, rest] = b.Rarely(huge, usual, [&] { return ReduceHuge(size); });
    r = b.FromBits(rest);
    const I turn = b.Add(quarters, b.Int(turns));
    const F square = b.Mul(r, r);
    const F sine = b.Fma(b.Mul(square, r), Polynomial(kSin, square), r);
    const F cosine = b.Fma(b.Mul(square, square), Polynomial(kCos, square),
                           b.Fma(square, b.Float(-0.5f), b.Float(1)));
    const M crossed = b.Equal(b.And(turn, b.Int(1)), b.Int(1));
    I bits = b.Bits(b.Select(crossed, cosine, sine));
    bits = b.Xor(bits, b.ShiftLeft(b.And(turn, b.Int(2)), 30));
    if (odd) bits = b.Xor(bits, b.And(b.Bits(x), b.Int(0x80000000)));
    return b.Select(b.Less(size, b.Float(kInfinity)), b.FromBits(bits), b.Sub(x, x));
  }

  // Of x from 0 to infinity; any y but NaN.
  D PowOf(F x, F y) {
    const D wide = b.Widen(x);  // normal, if x is subnormal
    const L bits = b.Bits(wide);
    const L k = b.ShiftRight(b.Sub(bits, b.Long(0x3fe6a09e667f3bcd - (uint64_t{1023} << 52))), 52);
    const L power = b.ShiftLeft(k, 52);
    const D m = b.FromBits(b.Add(b.Sub(bits, power), b.Long(uint64_t{1023} << 52)));
    const D s = b.Div(b.Sub(m, b.Double(1)), b.Add(m, b.Double(1)));
    const I exponent = b.Sub(b.Truncate(k), b.Int(1023));
    D logarithm = b.Fma(s, Polynomial(kLog2Wide, b.Mul(s, s)), b.WideFromSigned(exponent));
    logarithm = b.Select(b.Equal(x, b.Float(0)), b.Double(-kInfinity), logarithm);
    logarithm = b.Select(b.Equal(x, b.Float(kInfinity)), b.Double(kInfinity), logarithm);
    D z = b.Mul(logarithm, b.Widen(y));
    z = b.Select(b.Less(b.Double(200), z), b.Double(200), z);
    z = b.Select(b.Less(z, b.Double(-200)), b.Double(-200), z);
    const D shifted = b.Add(z, b.Double(kRoundWide));
    const D r = b.Sub(z, b.Sub(shifted, b.Double(kRoundWide)));
    const L scale = b.ShiftLeft(b.Add(b.Bits(shifted), b.Long(1023)), 52);
    return b.Mul(Polynomial(kExp2Wide, r), b.FromBits(scale));
  }

  B& b;
};

}  // namespace quern::mathlib

#endif  // QUERN_MATHLIB_FUNCTIONS_H_
