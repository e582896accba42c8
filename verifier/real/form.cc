#include "verifier/real/form.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"

namespace quern::verifier {

absl::Status FormTable::TooLarge() {
  return absl::ResourceExhaustedError("a normal form has too large numbers or too many terms");
}

FormTable::FormTable(AffineTable* affine) : affine_(affine) {
  one_ = shapes_.Intern({ShapeTable::kProduct}, 0);
  infinity_ = shapes_.Intern({ShapeTable::kInfinity}, 0);
  exponential_ = Key("exp");
}

int64_t FormTable::Key(const std::string& name) {
  const auto [found, fresh] = key_ids_.emplace(name, static_cast<int64_t>(keys_.size()));
  if (fresh) keys_.push_back(name);
  return found->second;
}

absl::StatusOr<Form> FormTable::Finish(Form form, bool join, int counters) const {
  if (form.boxes.size() > kMaxBoxes) return TooLarge();
  if (!Canonicalise(Gathering::kSum, join, shapes_, counters, &form.boxes)) return TooLarge();
  if (form.modulus == 0) return form;
  bool changed = false;
  for (IndexBox& box : form.boxes) {
    const std::optional<Coefficient> wrapped = box.coefficient.Wrapped(form.modulus);
    if (!wrapped.has_value()) return TooLarge();
    changed |= !(*wrapped == box.coefficient);
    box.coefficient = *wrapped;
  }
  // Coefficients that became equal may join boxes, and others vanish.
  return changed ? Finish(std::move(form), join, counters) : form;
}

absl::StatusOr<Form> FormTable::Constant(int modulus, const Coefficient& value) const {
  return Finish({.modulus = modulus, .boxes = {{.coefficient = value, .shape = one_}}},
                /*join=*/false, 0);
}

Form FormTable::FromAtom(int modulus, ShapeId atom, std::vector<int64_t> columns) {
  IndexBox box{.shape = shapes_.Intern({ShapeTable::kProduct, atom, 1}, shapes_.slots(atom))};
  box.columns = std::move(columns);
  return {.modulus = modulus, .boxes = {std::move(box)}};
}

Form FormTable::Infinity(bool negative) {
  Form form = FromAtom(0, infinity_, {});
  if (negative) form.boxes[0].coefficient = Coefficient(-1);
  return form;
}

absl::StatusOr<std::vector<int64_t>> FormTable::Column(Affine a, const Counters& counters,
                                                       LinearId* rest) {
  std::vector<int64_t> column = {a.constant};
  column.resize(1 + counters.size(), 0);
  std::vector<Monomial> left;
  for (const Monomial& term : affine_->monomials(a.linear)) {
    const auto found = std::find(counters.begin(), counters.end(), term.symbol);
    if (found != counters.end()) {
      column[1 + (found - counters.begin())] = term.coefficient;
    } else if (affine_->level(term.symbol) >= 0) {
      return absl::UnimplementedError("an index runs with a sum that does not enclose it");
    } else {
      left.push_back(term);
    }
  }
  const bool same = left.size() == affine_->monomials(a.linear).size();
  *rest = same ? a.linear : affine_->Intern(std::move(left));
  return column;
}

absl::StatusOr<Form> FormTable::Leaf(int modulus, int argument, Affine element,
                                     const Counters& counters) {
  LinearId rest = 0;
  QUERN_ASSIGN_OR_RETURN(std::vector<int64_t> column, Column(element, counters, &rest));
  return FromAtom(modulus, shapes_.Intern({ShapeTable::kLeaf, argument, rest}, 1),
                  std::move(column));
}

absl::StatusOr<Form> FormTable::Index(int modulus, Affine value, const Counters& counters) {
  if (value.is_constant()) return Constant(modulus, Coefficient(value.constant));
  LinearId rest = 0;
  QUERN_ASSIGN_OR_RETURN(std::vector<int64_t> column, Column(value, counters, &rest));
  return FromAtom(modulus, shapes_.Intern({ShapeTable::kIndex, rest}, 1), std::move(column));
}

Form FormTable::Opaque(int modulus, const Value& value) {
  return FromAtom(
      modulus,
      shapes_.Intern({ShapeTable::kOpaque, value.kind, value.object, value.id, value.payload}, 0),
      {});
}

absl::StatusOr<Form> FormTable::Add(const Form& a, const Form& b, int counters) const {
  for (const auto& [infinite, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!HasInfinity(*infinite)) continue;
    if (HasInfinity(*other)) return absl::UnimplementedError("a sum of infinities");
    return *infinite;
  }
  Form sum = a;
  sum.boxes.insert(sum.boxes.end(), b.boxes.begin(), b.boxes.end());
  return Finish(std::move(sum), /*join=*/false, counters);
}

absl::StatusOr<Form> FormTable::Scale(const Form& a, const Coefficient& factor) const {
  Form scaled = a;
  for (IndexBox& box : scaled.boxes) {
    std::optional<Coefficient> product = Coefficient::Multiply(box.coefficient, factor);
    if (product.has_value() && a.modulus != 0) product = product->Wrapped(a.modulus);
    if (!product.has_value()) return TooLarge();
    box.coefficient = *product;
  }
  std::erase_if(scaled.boxes, [](const IndexBox& box) { return box.coefficient.is_zero(); });
  return scaled;
}

bool FormTable::HasInfinity(const Form& form) const {
  for (const IndexBox& box : form.boxes) {
    const absl::Span<const int64_t> words = shapes_.words(box.shape);
    for (size_t i = 1; i < words.size(); i += 2) {
      if (words[i] == infinity_) return true;
    }
  }
  return false;
}

absl::StatusOr<IndexBox> FormTable::Multiply(const IndexBox& a, const IndexBox& b, int counters) {
  IndexBox product;
  const std::optional<Coefficient> coefficient =
      Coefficient::Multiply(a.coefficient, b.coefficient);
  if (!coefficient.has_value()) return TooLarge();
  product.coefficient = *coefficient;
  product.extents = a.extents;
  product.extents.insert(product.extents.end(), b.extents.begin(), b.extents.end());
  const int width = product.width(counters);

  std::vector<Factor> factors;
  for (const IndexBox* box : {&a, &b}) {
    const absl::Span<const int64_t> words = shapes_.words(box->shape);
    const int own = box->width(counters);
    const size_t before = box == &a ? 0 : a.extents.size();  // dimensions of the other box
    const int64_t* column = box->columns.data();
    for (size_t i = 1; i < words.size(); i += 2) {
      Factor factor{.atom = words[i], .power = words[i + 1], .columns = {}};
      for (int slot = 0; slot < shapes_.slots(static_cast<ShapeId>(words[i])); ++slot) {
        const size_t start = factor.columns.size();
        factor.columns.insert(factor.columns.end(), column, column + 1 + counters);
        factor.columns.resize(start + width, 0);
        std::copy(column + 1 + counters, column + own,
                  factor.columns.begin() + start + 1 + counters + before);
        column += own;
      }
      const auto same = std::find_if(factors.begin(), factors.end(), [&](const Factor& other) {
        return other.atom == factor.atom && other.columns == factor.columns;
      });
      if (same == factors.end()) {
        factors.push_back(std::move(factor));
      } else {
        same->power += factor.power;
      }
    }
  }
  std::erase_if(factors, [](const Factor& factor) { return factor.power == 0; });
  QUERN_RETURN_IF_ERROR(MergeExponentials(width - 1, &factors));
  std::sort(factors.begin(), factors.end(), [](const Factor& x, const Factor& y) {
    return std::tie(x.atom, x.power, x.columns) < std::tie(y.atom, y.power, y.columns);
  });
  std::vector<int64_t> words = {ShapeTable::kProduct};
  for (const Factor& factor : factors) {
    words.push_back(factor.atom);
    words.push_back(factor.power);
    product.columns.insert(product.columns.end(), factor.columns.begin(), factor.columns.end());
  }
  if (product.columns.size() > kMaxColumns) return TooLarge();
  product.shape =
      shapes_.Intern(std::move(words), static_cast<int>(product.columns.size()) / width);
  return product;
}

absl::StatusOr<Form> FormTable::Multiply(const Form& a, const Form& b, int counters) {
  if (HasInfinity(a) || HasInfinity(b)) {
    return absl::UnimplementedError("a product with infinity");
  }
  if (const auto factor = AsConstant(a)) return Scale(b, *factor);
  if (const auto factor = AsConstant(b)) return Scale(a, *factor);
  if (a.boxes.size() * b.boxes.size() > kMaxBoxes) return TooLarge();
  Form product{.modulus = a.modulus};
  for (const IndexBox& x : a.boxes) {
    for (const IndexBox& y : b.boxes) {
      QUERN_ASSIGN_OR_RETURN(IndexBox box, Multiply(x, y, counters));
      product.boxes.push_back(std::move(box));
    }
  }
  return Finish(std::move(product), /*join=*/false, counters);
}

absl::StatusOr<Form> FormTable::Invert(const Form& divisor, int counters) {
  QUERN_ASSIGN_OR_RETURN(const Form a, Seal(divisor, counters));
  if (a.boxes.empty()) return absl::UnimplementedError("a division by zero");
  if (HasInfinity(a)) return absl::UnimplementedError("a division by infinity");
  const std::optional<Coefficient> inverse = a.boxes[0].coefficient.Inverse();
  if (!inverse.has_value()) return TooLarge();
  if (a.boxes.size() == 1 && a.boxes[0].extents.empty()) {
    IndexBox box = a.boxes[0];
    const absl::Span<const int64_t> old = shapes_.words(box.shape);
    std::vector<int64_t> words(old.begin(), old.end());
    for (size_t i = 2; i < words.size(); i += 2) words[i] = -words[i];
    box.shape = shapes_.Intern(std::move(words), shapes_.slots(box.shape));
    box.coefficient = *inverse;
    // The order of factors may depend on the powers.
    QUERN_ASSIGN_OR_RETURN(box, Multiply(box, {.shape = one_}, counters));
    return Form{.modulus = 0, .boxes = {std::move(box)}};
  }
  QUERN_ASSIGN_OR_RETURN(Form monic, Scale(a, *inverse));
  QUERN_ASSIGN_OR_RETURN(Form inverted, Function("inverse", 0, {monic}, counters));
  return Scale(inverted, *inverse);
}

// The box where its last counter is k.
static std::optional<IndexBox> Where(const IndexBox& box, int counters, int64_t k) {
  IndexBox point = {.coefficient = box.coefficient, .shape = box.shape, .extents = box.extents};
  const auto width = static_cast<size_t>(box.width(counters));
  for (size_t slot = 0; slot < box.columns.size(); slot += width) {
    int64_t offset = 0;
    if (__builtin_mul_overflow(box.columns[slot + counters], k, &offset) ||
        __builtin_add_overflow(box.columns[slot], offset, &offset)) {
      return std::nullopt;
    }
    point.columns.push_back(offset);
    for (size_t i = 1; i < width; ++i) {
      if (i != static_cast<size_t>(counters)) point.columns.push_back(box.columns[slot + i]);
    }
  }
  return point;
}

absl::StatusOr<Form> FormTable::SumOver(Form form, absl::Span<const int64_t> extents,
                                        int counters) const {
  // A few addends, of which some may cancel against others.
  if (extents.size() == 1 && extents[0] <= kFew) {
    Form sum = {.modulus = form.modulus, .boxes = {}};
    for (int64_t k = 0; k < extents[0]; ++k) {
      for (const IndexBox& box : form.boxes) {
        std::optional<IndexBox> point = Where(box, counters, k);
        if (!point.has_value()) return TooLarge();
        sum.boxes.push_back(*std::move(point));
      }
    }
    return Finish(std::move(sum), /*join=*/false, counters - 1);
  }
  for (IndexBox& box : form.boxes) Close(extents, &box);
  return Finish(std::move(form), /*join=*/false, counters - static_cast<int>(extents.size()));
}

std::optional<Coefficient> FormTable::AsConstant(const Form& form) const {
  if (form.boxes.empty()) return Coefficient();
  if (form.boxes.size() == 1 && form.boxes[0].shape == one_) return form.boxes[0].coefficient;
  return std::nullopt;
}

}  // namespace quern::verifier
