// Exact numbers: the coefficients of normal forms.
#ifndef QUERN_VERIFIER_REAL_COEFFICIENT_H_
#define QUERN_VERIFIER_REAL_COEFFICIENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quern::verifier {

// numerator / denominator * 2^exponent, in one form for each number: 0, or both odd, without a
// common factor, and the denominator positive.
class Coefficient {
 public:
  Coefficient() = default;
  explicit Coefficient(int64_t value);
  static Coefficient FromDouble(double finite);

  // nullopt: a part leaves 127 bits, or the exponent 2^30.
  static std::optional<Coefficient> Add(const Coefficient& a, const Coefficient& b);
  static std::optional<Coefficient> Multiply(const Coefficient& a, const Coefficient& b);
  std::optional<Coefficient> Inverse() const;  // also nullopt: of 0
  Coefficient Negated() const;
  // Of an integer: the member of its class modulo 2^bits that is in [-2^(bits-1), 2^(bits-1)).
  // nullopt if the number is no integer of 127 bits.
  std::optional<Coefficient> Wrapped(int bits) const;

  bool is_zero() const { return numerator_ == 0; }
  bool is_negative() const { return numerator_ < 0; }
  bool operator==(const Coefficient&) const = default;
  // Whether a < b; nullopt as for Add.
  static std::optional<bool> Less(const Coefficient& a, const Coefficient& b);
  double ToDouble() const;  // nearby
  std::string ToString() const;

  static constexpr int kWords = 5;
  void AppendTo(std::vector<int64_t>* words) const;    // kWords of them, injective
  static Coefficient FromWords(const int64_t* words);  // of AppendTo

 private:
  using Wide = __int128;
  static std::optional<Coefficient> Make(Wide numerator, Wide denominator, int64_t exponent);

  Wide numerator_ = 0;
  Wide denominator_ = 1;
  int64_t exponent_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_COEFFICIENT_H_
