#include <iterator>

#include "absl/strings/str_cat.h"
#include "verifier/real/form.h"

namespace quern::verifier {

// Writes parts of forms. A row of a slot's column is its offset, then a stride for each name.
class FormTable::Describer {
 public:
  Describer(const FormTable& table, std::string* text) : table_(table), text_(*text) {}

  using Names = std::vector<std::string>;

  void Product(const Coefficient& coefficient, ShapeId shape, const int64_t* column,
               const Names& names) {
    const absl::Span<const int64_t> words = table_.shapes_.words(shape);
    const bool one = coefficient == Coefficient(1);
    if (coefficient == Coefficient(-1) && words.size() > 1) {
      absl::StrAppend(&text_, "-");
    } else if (!one || words.size() == 1) {
      absl::StrAppend(&text_, coefficient.ToString(), words.size() > 1 ? "*" : "");
    }
    for (size_t i = 1; i < words.size(); i += 2) {
      if (i > 1) absl::StrAppend(&text_, "*");
      column = Atom(static_cast<ShapeId>(words[i]), column, names);
      if (words[i + 1] != 1) absl::StrAppend(&text_, "^", words[i + 1]);
    }
  }

  // Adds a name for each dimension to `names`.
  void Extents(absl::Span<const int64_t> extents, size_t first, const Names& names) {
    for (size_t d = 0; d < extents.size(); ++d) {
      absl::StrAppend(&text_, d == 0 ? " for " : ", ", names[first + d], "<", extents[d]);
    }
  }
  static void AddNames(size_t count, Names* names) {
    for (size_t d = 0; d < count; ++d) names->push_back(absl::StrCat("k", names->size()));
  }

 private:
  static constexpr size_t kMaxText = 400;

  void Number(LinearId linear, const int64_t* column, const Names& names) {
    const Affine base{linear, column[0]};
    bool any = !base.is_constant() || base.constant != 0;
    if (any) absl::StrAppend(&text_, table_.affine_->ToString(base));
    for (size_t i = 0; i < names.size(); ++i) {
      const int64_t stride = column[1 + i];
      if (stride == 0) continue;
      absl::StrAppend(&text_, any ? " + " : "", stride == 1 ? "" : absl::StrCat(stride, "*"),
                      names[i]);
      any = true;
    }
    if (!any) absl::StrAppend(&text_, "0");
  }

  const int64_t* Atom(ShapeId shape, const int64_t* column, const Names& names) {
    const absl::Span<const int64_t> words = table_.shapes_.words(shape);
    const int64_t* end = column + table_.shapes_.slots(shape) * (1 + names.size());
    if (text_.size() > kMaxText) {
      absl::StrAppend(&text_, "...");
      return end;
    }
    switch (words[0]) {
      case ShapeTable::kLeaf:
        absl::StrAppend(&text_, "arg", words[1], "[");
        Number(static_cast<LinearId>(words[2]), column, names);
        absl::StrAppend(&text_, "]");
        break;
      case ShapeTable::kIndex:
        absl::StrAppend(&text_, "(");
        Number(static_cast<LinearId>(words[1]), column, names);
        absl::StrAppend(&text_, ")");
        break;
      case ShapeTable::kFunction:
        absl::StrAppend(&text_, table_.keys_[words[1]], "(");
        for (size_t i = 2; i < words.size(); ++i) {
          if (i > 2) absl::StrAppend(&text_, ", ");
          column = FormPart(static_cast<ShapeId>(words[i]), column, names);
        }
        absl::StrAppend(&text_, ")");
        break;
      case ShapeTable::kSet:
        absl::StrAppend(&text_, table_.keys_[words[1]], "{");
        for (size_t i = 3; i < words.size();) {
          if (i > 3) absl::StrAppend(&text_, ", ");
          const auto entry = static_cast<ShapeId>(words[i]);
          const size_t dimensions = words[i + 1];
          const absl::Span<const int64_t> extents = words.subspan(i + 2, dimensions);
          i += 2 + dimensions;
          Names inner = names;
          AddNames(dimensions, &inner);
          std::vector<int64_t> columns;
          Weave(table_.shapes_.slots(entry), dimensions, names.size(), words.begin() + i, &column,
                &columns);
          FormPart(entry, columns.data(), inner);
          Extents(extents, names.size(), inner);
          i += dimensions * table_.shapes_.slots(entry);
        }
        absl::StrAppend(&text_, "}");
        break;
      case ShapeTable::kInfinity:
        absl::StrAppend(&text_, "inf");
        break;
      default:
        absl::StrAppend(&text_, "(a value that is rounded otherwise)");
    }
    return end;
  }

  // Columns of offset, outer strides and the strides by the dimensions.
  template <typename Strides>
  static void Weave(int slots, size_t dimensions, size_t outer, Strides strides,
                    const int64_t** column, std::vector<int64_t>* columns) {
    for (int slot = 0; slot < slots; ++slot) {
      columns->insert(columns->end(), *column, *column + 1 + outer);
      columns->insert(columns->end(), strides, std::next(strides, dimensions));
      strides += dimensions;
      *column += 1 + outer;
    }
  }

  const int64_t* FormPart(ShapeId shape, const int64_t* column, const Names& names) {
    const absl::Span<const int64_t> words = table_.shapes_.words(shape);
    if (words.size() == 2) absl::StrAppend(&text_, "0");
    for (size_t i = 2; i < words.size();) {
      if (i > 2) absl::StrAppend(&text_, " + ");
      const auto product = static_cast<ShapeId>(words[i]);
      const Coefficient coefficient = Coefficient::FromWords(&words[i + 1]);
      i += 1 + Coefficient::kWords;
      const size_t dimensions = words[i];
      const absl::Span<const int64_t> extents = words.subspan(i + 1, dimensions);
      i += 1 + dimensions;
      Names inner = names;
      AddNames(dimensions, &inner);
      std::vector<int64_t> columns;
      const int slots = table_.shapes_.slots(product);
      Weave(slots, dimensions, names.size(), words.begin() + i, &column, &columns);
      i += dimensions * slots;
      Product(coefficient, product, columns.data(), inner);
      Extents(extents, names.size(), inner);
    }
    return column;
  }

  const FormTable& table_;
  std::string& text_;
};

std::string FormTable::ToString(const IndexBox& box) const {
  std::string text;
  Describer describer(*this, &text);
  std::vector<std::string> names;
  Describer::AddNames(box.extents.size(), &names);
  describer.Product(box.coefficient, box.shape, box.columns.data(), names);
  describer.Extents(box.extents, 0, names);
  return text;
}

std::string FormTable::ToString(const Form& form) const {
  std::string text;
  for (const IndexBox& box : form.boxes) {
    if (text.size() > 400) return absl::StrCat(text, " + ...");
    absl::StrAppend(&text, text.empty() ? "" : " + ", ToString(box));
  }
  return text.empty() ? "0" : text;
}

}  // namespace quern::verifier
