// How far what a term computes may lie from the real number that it stands for.
#ifndef QUERN_VERIFIER_REAL_BOUNDS_H_
#define QUERN_VERIFIER_REAL_BOUNDS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "verifier/real/greatest.h"
#include "verifier/real/normal_form.h"
#include "verifier/real/term_bounds.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// TermBounds for all inputs in boxes at once. An element less the greatest of its set is not
// positive, and the sum of such exponentials at least 1 (greatest.h).
class Bounds : public TermBounds {
 public:
  // `boxes`: of the values of each argument; only those of floats are used. `terms` outlives this.
  Bounds(TermTable* terms, std::vector<RealInterval> boxes)
      : TermBounds(terms), boxes_(std::move(boxes)), greatest_(terms) {}

  void SetHeld(int32_t buffer, Held held) {
    held_[buffer] = held;
    memo_.clear();
  }
  const HeldBuffers& held() const { return held_; }
  // Tells which values are equal over the reals. Outlives this.
  void UseNormaliser(Normaliser* normaliser) { normaliser_ = normaliser; }

  // Whether a float, computed on inputs in the boxes and truncated, surely fits an integer type.
  bool Fits(const Value& number, const Type& from, const Type& to, bool is_signed);

 private:
  absl::StatusOr<Bound> Any(const Value& value, const Type& type) override;
  bool IsAtMost(const Value& a, const Value& b) override;
  // What an operation divides by, or takes the logarithm or root of, has the range of what is equal
  // and was seen before.
  void LearnRange(const Value& value, const Type& type, Bound* bound) override;
  absl::StatusOr<Bound> OfRun(const Run& run, int64_t length);
  // OfTerm, and what is known of rescaled sums.
  absl::StatusOr<Bound> OfSum(const Term& term);
  // What one addend is at least, of exp(0) and scale * exp(0); 0 without a scale.
  absl::StatusOr<double> LeastAddend(std::optional<Value> scale, const Type& type);
  static void Raise(double least, double lacks, const Type& type, Bound* sum);

  std::vector<RealInterval> boxes_;
  Greatest greatest_;
  // Of terms and runs, and the extents of the counters around them.
  absl::flat_hash_map<std::pair<Value, int>, Bound> memo_;
  absl::flat_hash_map<std::vector<double>, Bound> folds_;  // by everything they depend on
  // Such values, their ranges, and their forms once they are asked for.
  struct Known {
    Value value;
    Type type;
    RealInterval range;
    std::optional<Form> form;
  };
  std::vector<Known> known_;
  Normaliser* normaliser_ = nullptr;
  int depth_ = 0;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_BOUNDS_H_
