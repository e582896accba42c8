#include "ir/vhlo/structs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quern::vhlo {

using mlir::Attribute;

Attribute Fields::Find(llvm::StringRef name) const {
  for (const auto& [field, value] : values) {
    if (field == name) return value;
  }
  return nullptr;
}

int64_t Fields::Number(llvm::StringRef name) const {
  auto number = llvm::dyn_cast_if_present<mlir::IntegerAttr>(Find(name));
  return number ? number.getValue().getSExtValue() : 0;
}

llvm::ArrayRef<int64_t> Fields::List(llvm::StringRef name) const {
  auto list = llvm::dyn_cast_if_present<mlir::DenseI64ArrayAttr>(Find(name));
  return list ? list.asArrayRef() : llvm::ArrayRef<int64_t>();
}

// [b, 0, 1, f] and its like: names at their dimensions. Empty if they do not make a permutation.
static std::string Dimensions(std::initializer_list<std::pair<char, int64_t>> named,
                              llvm::ArrayRef<int64_t> spatial) {
  std::vector<std::string> names(named.size() + spatial.size());
  auto put = [&](int64_t at, std::string name) {
    if (at < 0 || at >= static_cast<int64_t>(names.size()) || !names[at].empty()) return false;
    names[at] = std::move(name);
    return true;
  };
  for (auto [name, at] : named) {
    if (!put(at, std::string(1, name))) return "";
  }
  for (size_t i = 0; i < spatial.size(); ++i) {
    if (!put(spatial[i], absl::StrCat(i))) return "";
  }
  return absl::StrCat("[", absl::StrJoin(names, ", "), "]");
}

static std::string SpellConvolution(const Fields& fields) {
  const std::string input = Dimensions({{'b', fields.Number("input_batch_dimension")},
                                        {'f', fields.Number("input_feature_dimension")}},
                                       fields.List("input_spatial_dimensions"));
  const std::string kernel = Dimensions({{'i', fields.Number("kernel_input_feature_dimension")},
                                         {'o', fields.Number("kernel_output_feature_dimension")}},
                                        fields.List("kernel_spatial_dimensions"));
  const std::string output = Dimensions({{'b', fields.Number("output_batch_dimension")},
                                         {'f', fields.Number("output_feature_dimension")}},
                                        fields.List("output_spatial_dimensions"));
  if (input.empty() || kernel.empty() || output.empty()) return "";
  return absl::StrCat("#stablehlo.conv<", input, "x", kernel, "->", output, ">");
}

// All fields, or none where the op names no algorithm.
static std::string SpellAlgorithm(const Fields& fields, bool& absent) {
  static constexpr const char* kOrder[] = {
      "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
      "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
      "allow_imprecise_accumulation"};
  std::vector<std::string> parts;
  size_t missing = 0;
  for (const char* name : kOrder) {
    std::string text;
    llvm::raw_string_ostream out(text);
    Attribute value = fields.Find(name);
    auto type = llvm::dyn_cast<mlir::TypeAttr>(value);
    if (type && llvm::isa<mlir::NoneType>(type.getValue())) {
      ++missing;
    } else if (type && llvm::isa<mlir::FloatType, mlir::IntegerType>(type.getValue())) {
      out << type.getValue();
    } else if (llvm::isa<mlir::IntegerAttr>(value)) {
      value.print(out, /*elideType=*/true);
    } else {
      return "";
    }
    parts.push_back(absl::StrCat(name, " = ", text));
  }
  absent = missing == parts.size();
  if (missing > 0) return "";
  return absl::StrCat("#stablehlo.dot_algorithm<", absl::StrJoin(parts, ", "), ">");
}

// Empty lists and zeros are left out.
static std::string SpellFields(const Fields& fields) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : fields.values) {
    if (const int64_t number = fields.Number(name))
      parts.push_back(absl::StrCat(name, " = ", number));
    if (llvm::ArrayRef<int64_t> list = fields.List(name); !list.empty())
      parts.push_back(absl::StrCat(name, " = [", absl::StrJoin(list, ", "), "]"));
  }
  return absl::StrCat("#stablehlo.", fields.target, "<", absl::StrJoin(parts, ", "), ">");
}

const char* NameOf(llvm::StringRef target) {
  if (target == "dot") return "dot_dimension_numbers";
  if (target == "scatter") return "scatter_dimension_numbers";
  if (target == "dot_algorithm") return "algorithm";
  if (target == "channel_handle") return "channel_handle";
  return "dimension_numbers";
}

std::string Spell(const Fields& fields, bool& absent) {
  if (fields.target == "conv") return SpellConvolution(fields);
  if (fields.target == "dot_algorithm") return SpellAlgorithm(fields, absent);
  if (fields.target != "channel_handle") return SpellFields(fields);
  const int64_t handle = fields.Number("channel_id");
  absent = handle == 0 && !fields.Find("channel_type");
  return absl::StrCat("#stablehlo.channel_handle<handle = ", handle,
                      ", type = ", fields.Number("channel_type"), ">");
}

}  // namespace quern::vhlo
