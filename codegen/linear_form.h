// Integer index expressions over loop counters, kept as simple as the counters' ranges allow.
#ifndef QUERN_CODEGEN_LINEAR_FORM_H_
#define QUERN_CODEGEN_LINEAR_FORM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace quern::codegen {

// Inclusive; never empty.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
  bool operator==(const Range&) const = default;
};

// The ranges of the counters, by number: outer loops before inner ones.
using Ranges = std::vector<Range>;

struct Quotient;

// A counter, or the quotient of a form by a constant.
struct Term {
  int counter = -1;
  std::shared_ptr<const Quotient> quotient;  // null: the counter
};

// constant + sum of coefficient * term. Terms are distinct, ordered by the innermost counter in
// them, and have coefficients other than 0.
class LinearForm {
 public:
  LinearForm() = default;
  static LinearForm Constant(int64_t value);
  static LinearForm Counter(int number);
  static LinearForm Of(const Term& term, int64_t coefficient);

  int64_t constant() const { return constant_; }
  const std::vector<std::pair<Term, int64_t>>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty(); }

  LinearForm Plus(const LinearForm& other) const;
  LinearForm Times(int64_t factor) const;
  // Rounding down; divisor >= 1. Exact simplifications only: parts that the divisor divides leave
  // the quotient, and a quotient whose range is one number is that number.
  LinearForm FloorDiv(int64_t divisor, const Ranges& ranges) const;
  // this - divisor * FloorDiv(divisor), in [0, divisor).
  LinearForm Mod(int64_t divisor, const Ranges& ranges) const;

  // Bounds, not always attained. Nothing if they are not within +-2^62.
  std::optional<Range> RangeOf(const Ranges& ranges) const;

  // How much the form grows when the counter grows by 1; nothing if that is not a constant.
  std::optional<int64_t> Stride(int counter) const;
  bool DependsOn(int counter) const;
  LinearForm Without(int counter) const;  // with counter = 0
  LinearForm At(int counter, int64_t value, const Ranges& ranges) const;
  // The largest power of two, up to `limit`, that divides all values.
  int64_t PowerOfTwo(int64_t limit) const;

  bool operator==(const LinearForm& other) const;

 private:
  void Add(const Term& term, int64_t coefficient);

  int64_t constant_ = 0;
  std::vector<std::pair<Term, int64_t>> terms_;
};

struct Quotient {
  LinearForm dividend;
  int64_t divisor = 1;
};

// A total order of terms: by innermost counter, then by structure.
int Compare(const Term& a, const Term& b);

}  // namespace quern::codegen

#endif  // QUERN_CODEGEN_LINEAR_FORM_H_
