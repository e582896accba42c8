// Normal forms of terms over the real numbers.
#ifndef QUERN_VERIFIER_REAL_NORMAL_FORM_H_
#define QUERN_VERIFIER_REAL_NORMAL_FORM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "verifier/real/form.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// Reads a term as a number: a float's operations as those of the reals without rounding, integers
// modulo 2^bits. Held values are what they hold.
//   Continuous functions apply to forms. Comparisons, conversions to integers, floor and the like
//   apply to forms of operands that nothing rounded, else to the very term, so that only equal
//   terms give equal results. select(x > y, x, y) and its like are max and min, |x| is max(x, -x).
//   Nothing is NaN: comparisons are ordered.
// Equality of forms is that of results only where denominators are not zero and nothing becomes
// infinite or NaN on either side: Bounds::Of (bounds.h) of both terms shows this.
class Normaliser {
 public:
  // Outlives this.
  explicit Normaliser(TermTable* terms) : terms_(*terms), forms_(&terms->affine()) {}

  // `type`: of the value; decides what a constant means. Poison has no form.
  absl::StatusOr<Form> Normalise(const Value& value, const Type& type);
  // Whether the forms are equal. Errors of Normalise: unknown.
  absl::StatusOr<bool> Equal(const Value& a, const Value& b, const Type& type);
  // What first distinguishes the forms, for a message: "arg0[64*bx + 8] is missing".
  std::string Difference(const Form& actual, const Form& expected) const;
  std::string ToString(const Form& form) const { return forms_.ToString(form); }
  // Whether nothing rounds: an argument, a constant, a value moved, negated, widened or selected.
  bool IsExact(const Value& value);
  int64_t bytes() const;  // of memory, approximately

 private:
  static int Modulus(const Type& type);
  static absl::Status Unsupported(const std::string& what);

  absl::StatusOr<Form> Of(const Value& value, const Type& type, const Counters& counters);
  absl::StatusOr<Form> OfTerm(const Value& value, const Counters& counters);
  absl::StatusOr<Form> OfRun(const Value& value, const Counters& counters);
  // A short product, factor by factor.
  absl::StatusOr<Form> OfPower(const Run& run, int64_t length, const Counters& counters);
  absl::StatusOr<Form> OfConstant(const Value& value, const Type& type, const Counters& counters);
  absl::StatusOr<Form> Binary(const Value& value, const Counters& counters);
  absl::StatusOr<Form> Compare(const Value& value, const Counters& counters);
  absl::StatusOr<Form> Cast(const Value& value, const Counters& counters);
  absl::StatusOr<Form> Select(const Value& value, const Counters& counters);
  absl::StatusOr<Form> Named(const std::string& name, const Value& value, const Counters& counters);
  // Operand `index` of a term; of a function that is not continuous.
  absl::StatusOr<Form> Operand(const Value& value, int index, const Counters& counters);
  absl::StatusOr<Form> ExactOperand(const Value& value, int index, const Counters& counters);
  absl::StatusOr<Form> OpaqueOf(const Value& value, const Type& type, const Counters& counters);
  // A function of all operands, each a form if it may be.
  absl::StatusOr<Form> Function(const std::string& key, const Value& value, bool continuous,
                                const Counters& counters);

  TermTable& terms_;
  FormTable forms_;
  int depth_ = 0;
  absl::flat_hash_map<std::pair<Value, Counters>, Form> memo_;  // of terms and runs
  absl::flat_hash_map<int32_t, bool> exact_;                    // by term
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_NORMAL_FORM_H_
