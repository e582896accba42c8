// Forms inside forms: arguments of functions, and the entries of sets.
#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bundle/status.h"
#include "verifier/real/form.h"

namespace quern::verifier {

absl::StatusOr<FormTable::Part> FormTable::Export(const Form& unsealed, int counters) {
  QUERN_ASSIGN_OR_RETURN(const Form form, Seal(unsealed, counters));
  Part part;
  std::vector<int64_t> words = {ShapeTable::kForm, form.modulus};
  for (const IndexBox& box : form.boxes) {
    words.push_back(box.shape);
    box.coefficient.AppendTo(&words);
    words.push_back(static_cast<int64_t>(box.extents.size()));
    words.insert(words.end(), box.extents.begin(), box.extents.end());
    for (auto column = box.columns.begin(); column != box.columns.end();
         column += box.width(counters)) {
      part.columns.insert(part.columns.end(), column, column + 1 + counters);
      words.insert(words.end(), column + 1 + counters, column + box.width(counters));
    }
  }
  part.shape =
      shapes_.Intern(std::move(words), static_cast<int>(part.columns.size()) / (1 + counters));
  return part;
}

Form FormTable::FromPart(const Part& part, int counters) const {
  const absl::Span<const int64_t> words = shapes_.words(part.shape);
  Form form{.modulus = static_cast<int>(words[1])};
  const int64_t* column = part.columns.data();
  for (size_t i = 2; i < words.size();) {
    IndexBox box{.shape = static_cast<ShapeId>(words[i])};
    box.coefficient = Coefficient::FromWords(&words[i + 1]);
    i += 1 + Coefficient::kWords;
    const size_t dimensions = words[i++];
    box.extents.assign(words.begin() + i, words.begin() + i + dimensions);
    i += dimensions;
    for (int slot = 0; slot < shapes_.slots(box.shape); ++slot, i += dimensions) {
      box.columns.insert(box.columns.end(), column, column + 1 + counters);
      box.columns.insert(box.columns.end(), words.begin() + i, words.begin() + i + dimensions);
      column += 1 + counters;
    }
    form.boxes.push_back(std::move(box));
  }
  return form;
}

absl::StatusOr<Form> FormTable::Function(const std::string& key, int modulus,
                                         absl::Span<const Form> arguments, int counters) {
  std::vector<int64_t> words = {ShapeTable::kFunction, Key(key)}, columns;
  for (const Form& argument : arguments) {
    QUERN_ASSIGN_OR_RETURN(Part part, Export(argument, counters));
    words.push_back(part.shape);
    columns.insert(columns.end(), part.columns.begin(), part.columns.end());
  }
  const int slots = static_cast<int>(columns.size()) / (1 + counters);
  return FromAtom(modulus, shapes_.Intern(std::move(words), slots), std::move(columns));
}

absl::StatusOr<std::vector<IndexBox>> FormTable::Entries(const std::string& key, const Form& form,
                                                         int counters) {
  std::vector<IndexBox> entries;
  if (form.boxes.size() == 1 && form.boxes[0].coefficient == Coefficient(1) &&
      form.boxes[0].extents.empty()) {
    const IndexBox& box = form.boxes[0];
    const absl::Span<const int64_t> product = shapes_.words(box.shape);
    if (product.size() == 3 && product[2] == 1) {
      const absl::Span<const int64_t> words = shapes_.words(static_cast<ShapeId>(product[1]));
      if (words[0] == ShapeTable::kSet && words[1] == Key(key)) {
        const int64_t* column = box.columns.data();
        for (size_t i = 3; i < words.size();) {
          IndexBox entry{.shape = static_cast<ShapeId>(words[i])};
          const size_t dimensions = words[i + 1];
          i += 2;
          entry.extents.assign(words.begin() + i, words.begin() + i + dimensions);
          i += dimensions;
          for (int slot = 0; slot < shapes_.slots(entry.shape); ++slot, i += dimensions) {
            entry.columns.insert(entry.columns.end(), column, column + 1 + counters);
            entry.columns.insert(entry.columns.end(), words.begin() + i,
                                 words.begin() + i + dimensions);
            column += 1 + counters;
          }
          entries.push_back(std::move(entry));
        }
        return entries;
      }
    }
  }
  QUERN_ASSIGN_OR_RETURN(Part part, Export(form, counters));
  IndexBox entry{.shape = part.shape};
  entry.columns = std::move(part.columns);
  entries.push_back(std::move(entry));
  return entries;
}

absl::StatusOr<Form> FormTable::FromEntries(const std::string& key, int modulus,
                                            std::vector<IndexBox> entries, int counters) {
  if (key == "max") {
    // The greatest constant; minus infinity is none.
    std::optional<Coefficient> greatest;
    std::vector<IndexBox> others;
    bool lowest = false;
    for (IndexBox& entry : entries) {
      if (!entry.columns.empty()) {
        others.push_back(std::move(entry));
        continue;
      }
      Form form = FromPart({entry.shape, {}}, counters);
      if (const std::optional<Coefficient> constant = AsConstant(form)) {
        const std::optional<bool> less =
            greatest.has_value() ? Coefficient::Less(*greatest, *constant) : true;
        if (!less.has_value()) return TooLarge();
        if (*less) greatest = constant;
      } else if (form == Infinity(/*negative=*/true)) {
        lowest = true;
      } else if (form == Infinity(/*negative=*/false)) {
        return form;
      } else {
        others.push_back(std::move(entry));
      }
    }
    if (greatest.has_value()) {
      QUERN_ASSIGN_OR_RETURN(Form constant, Constant(0, *greatest));
      QUERN_ASSIGN_OR_RETURN(Part part, Export(constant, counters));
      others.push_back({.shape = part.shape});
    }
    if (others.empty() && lowest) return Infinity(/*negative=*/true);
    entries = std::move(others);
  }
  // Points that two boxes share are dropped where they can be seen.
  if (entries.size() > 1) Explode(kMaxPoints, counters, &entries);
  if (entries.size() > kMaxBoxes ||
      !Canonicalise(Gathering::kSet, /*join=*/true, shapes_, counters, &entries)) {
    return TooLarge();
  }
  if (entries.size() == 1 && entries[0].extents.empty()) {
    return FromPart({entries[0].shape, entries[0].columns}, counters);
  }
  std::vector<int64_t> words = {ShapeTable::kSet, Key(key), modulus}, columns;
  for (const IndexBox& entry : entries) {
    words.push_back(entry.shape);
    words.push_back(static_cast<int64_t>(entry.extents.size()));
    words.insert(words.end(), entry.extents.begin(), entry.extents.end());
    for (auto column = entry.columns.begin(); column != entry.columns.end();
         column += entry.width(counters)) {
      columns.insert(columns.end(), column, column + 1 + counters);
      words.insert(words.end(), column + 1 + counters, column + entry.width(counters));
    }
  }
  if (columns.size() > kMaxColumns) return TooLarge();
  const int slots = static_cast<int>(columns.size()) / (1 + counters);
  return FromAtom(modulus, shapes_.Intern(std::move(words), slots), std::move(columns));
}

absl::StatusOr<Form> FormTable::Set(const std::string& key, const Form& a, const Form& b,
                                    int counters) {
  QUERN_ASSIGN_OR_RETURN(std::vector<IndexBox> entries, Entries(key, a, counters));
  QUERN_ASSIGN_OR_RETURN(std::vector<IndexBox> more, Entries(key, b, counters));
  for (IndexBox& entry : more) entries.push_back(std::move(entry));
  return FromEntries(key, a.modulus, std::move(entries), counters);
}

absl::StatusOr<Form> FormTable::Max(const Form& a, const Form& b, int counters) {
  return Set("max", a, b, counters);
}

absl::StatusOr<Form> FormTable::Min(const Form& a, const Form& b, int counters) {
  QUERN_ASSIGN_OR_RETURN(Form x, Scale(a, Coefficient(-1)));
  QUERN_ASSIGN_OR_RETURN(Form y, Scale(b, Coefficient(-1)));
  QUERN_ASSIGN_OR_RETURN(Form max, Max(x, y, counters));
  return Scale(max, Coefficient(-1));
}

absl::StatusOr<Form> FormTable::SetOver(const std::string& key, const Form& form,
                                        absl::Span<const int64_t> extents, int counters) {
  QUERN_ASSIGN_OR_RETURN(std::vector<IndexBox> entries, Entries(key, form, counters));
  for (IndexBox& entry : entries) Close(extents, &entry);
  return FromEntries(key, form.modulus, std::move(entries),
                     counters - static_cast<int>(extents.size()));
}

}  // namespace quern::verifier
