#include "verifier/real/coefficient.h"

#include <cassert>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"

namespace quern::verifier {

static constexpr int64_t kMaxExponent = int64_t{1} << 30;

static int TrailingZeros(__int128 x) {
  const auto low = static_cast<uint64_t>(x);
  if (low != 0) return __builtin_ctzll(low);
  return 64 + __builtin_ctzll(static_cast<uint64_t>(static_cast<unsigned __int128>(x) >> 64));
}

static __int128 Gcd(__int128 a, __int128 b) {
  if (a < 0) a = -a;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

std::optional<Coefficient> Coefficient::Make(Wide numerator, Wide denominator, int64_t exponent) {
  const Wide kLowest = static_cast<Wide>(static_cast<unsigned __int128>(1) << 127);
  if (numerator == kLowest || denominator == kLowest) return std::nullopt;
  Coefficient result;
  if (numerator == 0) return result;
  const int up = TrailingZeros(numerator), down = TrailingZeros(denominator);
  numerator >>= up;
  denominator >>= down;
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (denominator != 1) {
    const Wide common = Gcd(numerator, denominator);
    numerator /= common;
    denominator /= common;
  }
  result.numerator_ = numerator;
  result.denominator_ = denominator;
  result.exponent_ = exponent + up - down;
  if (result.exponent_ > kMaxExponent || result.exponent_ < -kMaxExponent) return std::nullopt;
  return result;
}

Coefficient::Coefficient(int64_t value) { *this = *Make(value, 1, 0); }

Coefficient Coefficient::FromDouble(double finite) {
  assert(std::isfinite(finite));
  int exponent = 0;
  const double fraction = std::frexp(finite, &exponent);
  return *Make(static_cast<int64_t>(std::ldexp(fraction, 53)), 1, exponent - 53);
}

std::optional<Coefficient> Coefficient::Multiply(const Coefficient& a, const Coefficient& b) {
  // Common factors first, so that less overflows.
  const Wide left = Gcd(a.numerator_, b.denominator_), right = Gcd(b.numerator_, a.denominator_);
  Wide numerator = 0, denominator = 0;
  if (a.is_zero() || b.is_zero()) return Coefficient();
  if (__builtin_mul_overflow(a.numerator_ / left, b.numerator_ / right, &numerator) ||
      __builtin_mul_overflow(a.denominator_ / right, b.denominator_ / left, &denominator)) {
    return std::nullopt;
  }
  return Make(numerator, denominator, a.exponent_ + b.exponent_);
}

std::optional<Coefficient> Coefficient::Add(const Coefficient& a, const Coefficient& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (a.exponent_ < b.exponent_) return Add(b, a);
  const int64_t shift = a.exponent_ - b.exponent_;
  if (shift > 126) return std::nullopt;
  Wide left = 0, right = 0, sum = 0, denominator = 0;
  if (__builtin_mul_overflow(a.numerator_, Wide{1} << shift, &left) ||
      __builtin_mul_overflow(left, b.denominator_, &left) ||
      __builtin_mul_overflow(b.numerator_, a.denominator_, &right) ||
      __builtin_add_overflow(left, right, &sum) ||
      __builtin_mul_overflow(a.denominator_, b.denominator_, &denominator)) {
    return std::nullopt;
  }
  return Make(sum, denominator, b.exponent_);
}

std::optional<Coefficient> Coefficient::Inverse() const {
  if (is_zero()) return std::nullopt;
  return Make(denominator_, numerator_, -exponent_);
}

Coefficient Coefficient::Negated() const {
  Coefficient result = *this;
  result.numerator_ = -numerator_;
  return result;
}

std::optional<Coefficient> Coefficient::Wrapped(int bits) const {
  assert(bits >= 1 && bits <= 64);
  if (denominator_ != 1 || exponent_ < 0) return std::nullopt;
  if (is_zero() || exponent_ >= bits) return Coefficient();
  const unsigned __int128 all = static_cast<unsigned __int128>(numerator_) << exponent_;
  const int unused = 128 - bits;
  return Make(static_cast<Wide>(all << unused) >> unused, 1, 0);
}

std::optional<bool> Coefficient::Less(const Coefficient& a, const Coefficient& b) {
  const std::optional<Coefficient> difference = Add(a, b.Negated());
  if (!difference.has_value()) return std::nullopt;
  return difference->is_negative();
}

double Coefficient::ToDouble() const {
  return std::ldexp(static_cast<double>(numerator_) / static_cast<double>(denominator_),
                    static_cast<int>(exponent_));
}

std::string Coefficient::ToString() const { return absl::StrFormat("%.17g", ToDouble()); }

void Coefficient::AppendTo(std::vector<int64_t>* words) const {
  for (const Wide part : {numerator_, denominator_}) {
    words->push_back(static_cast<int64_t>(part >> 64));
    words->push_back(static_cast<int64_t>(part));
  }
  words->push_back(exponent_);
}

Coefficient Coefficient::FromWords(const int64_t* words) {
  const auto wide = [](int64_t high, int64_t low) {
    return static_cast<Wide>((static_cast<unsigned __int128>(static_cast<uint64_t>(high)) << 64) |
                             static_cast<uint64_t>(low));
  };
  Coefficient result;
  result.numerator_ = wide(words[0], words[1]);
  result.denominator_ = wide(words[2], words[3]);
  result.exponent_ = words[4];
  return result;
}

}  // namespace quern::verifier
