// Normal forms of numbers: sums of products of atoms over boxes, and what can be done with them.
#ifndef QUERN_VERIFIER_REAL_FORM_H_
#define QUERN_VERIFIER_REAL_FORM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "verifier/real/box.h"
#include "verifier/symbolic/affine.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

// The sum of its boxes, canonical. Modulus 0: a real number; n > 0: an integer modulo 2^n.
struct Form {
  int modulus = 0;
  std::vector<IndexBox> boxes;
  bool operator==(const Form&) const = default;
};

// Counters that are free in a form, outermost first; a box closed over the last of them binds them.
using Counters = std::vector<SymbolId>;

// Makes forms, all over the same counters while they meet. A status is kResourceExhausted: a
// number or a form grew too large; kUnimplemented: something has no form. Forms are equal as
// functions of the elements if they are equal as structures, where denominators are not 0 and
// nothing is infinite or NaN but constants below max and min, which the bounds of the terms must
// show (bounds.h). The converse does not hold.
class FormTable {
 public:
  // Outlives this.
  explicit FormTable(AffineTable* affine);

  absl::StatusOr<Form> Constant(int modulus, const Coefficient& value) const;
  // Plus or minus infinity.
  Form Infinity(bool negative);
  absl::StatusOr<Form> Leaf(int modulus, int argument, Affine element, const Counters& counters);
  // A number that is an affine form.
  absl::StatusOr<Form> Index(int modulus, Affine value, const Counters& counters);
  // A number of which nothing is known but that equal values are equal. Not over counters.
  Form Opaque(int modulus, const Value& value);

  // The last step: joins boxes. Only sealed forms are to be compared.
  absl::StatusOr<Form> Seal(Form form, int counters) const {
    return Finish(std::move(form), /*join=*/true, counters);
  }
  absl::StatusOr<Form> Add(const Form& a, const Form& b, int counters) const;
  absl::StatusOr<Form> Scale(const Form& a, const Coefficient& factor) const;
  absl::StatusOr<Form> Multiply(const Form& a, const Form& b, int counters);  // merges exponentials
  // 1 / a, for a real.
  absl::StatusOr<Form> Invert(const Form& a, int counters);
  // An unknown function, of which the key says all that matters.
  absl::StatusOr<Form> Function(const std::string& key, int modulus,
                                absl::Span<const Form> arguments, int counters);
  // An associative, commutative and idempotent operation; greatest: it is max on the reals.
  absl::StatusOr<Form> Set(const std::string& key, const Form& a, const Form& b, int counters);
  absl::StatusOr<Form> Max(const Form& a, const Form& b, int counters);
  absl::StatusOr<Form> Min(const Form& a, const Form& b, int counters);

  // Sums, or combines by an operation of Set (or "max"), over the last extents.size() counters,
  // which run over [0, extent), all extents at least 1. `counters`: before.
  absl::StatusOr<Form> SumOver(Form form, absl::Span<const int64_t> extents, int counters) const;
  absl::StatusOr<Form> SetOver(const std::string& key, const Form& form,
                               absl::Span<const int64_t> extents, int counters);

  std::optional<Coefficient> AsConstant(const Form& form) const;  // if it is one
  std::string ToString(const Form& form) const;                   // over no counters
  std::string ToString(const IndexBox& box) const;                // likewise; a sum of products
  int64_t bytes() const { return shapes_.bytes(); }

 private:
  static absl::Status TooLarge();
  // A form as part of a larger one: its shape, and the offsets and counters of its slots.
  struct Part {
    ShapeId shape = 0;
    std::vector<int64_t> columns;  // 1 + counters a slot
  };
  absl::StatusOr<Part> Export(const Form& form, int counters);
  Form FromPart(const Part& part, int counters) const;
  Form FromAtom(int modulus, ShapeId atom, std::vector<int64_t> columns);
  absl::StatusOr<Form> Finish(Form form, bool join, int counters) const;
  absl::StatusOr<Form> FromEntries(const std::string& key, int modulus,
                                   std::vector<IndexBox> entries, int counters);
  absl::StatusOr<std::vector<IndexBox>> Entries(const std::string& key, const Form& form,
                                                int counters);
  // The strides of an affine form by the counters; what is left goes to `rest`.
  absl::StatusOr<std::vector<int64_t>> Column(Affine a, const Counters& counters, LinearId* rest);
  absl::StatusOr<IndexBox> Multiply(const IndexBox& a, const IndexBox& b, int counters);
  // An atom of a product; `columns` of its slots, over counters and the dimensions of the product.
  struct Factor {
    int64_t atom = 0, power = 0;
    std::vector<int64_t> columns;
  };
  bool IsExponential(int64_t atom) const;
  // A product has one exponential at most, of power 1. `counters` with the product's dimensions.
  absl::Status MergeExponentials(int counters, std::vector<Factor>* factors);
  bool HasInfinity(const Form& form) const;
  int64_t Key(const std::string& name);

  class Describer;

  static constexpr int64_t kFew = 4;
  static constexpr size_t kMaxBoxes = 4096;
  static constexpr int64_t kMaxPoints = 256;   // of a set that is taken apart
  static constexpr size_t kMaxColumns = 4096;  // numbers in a box

  AffineTable* affine_;
  ShapeTable shapes_;
  ShapeId one_ = 0;  // the empty product
  ShapeId infinity_ = 0;
  int64_t exponential_ = 0;  // the key of exp
  std::vector<std::string> keys_;
  absl::flat_hash_map<std::string, int64_t> key_ids_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_REAL_FORM_H_
