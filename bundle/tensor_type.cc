#include "bundle/tensor_type.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quern {

struct ElementTypeFacts {
  std::string_view name;
  int64_t bytes;
  ElementKind kind;
  uint8_t dlpack;
  std::string_view numpy;
};

static constexpr ElementTypeFacts kFacts[] = {
#define QUERN_ELEMENT_TYPE(enumerator, name, bytes, kind, dlpack, numpy) \
  {name, bytes, ElementKind::kind, dlpack, numpy},
#include "bundle/element_types.def"
#undef QUERN_ELEMENT_TYPE
};

static const ElementTypeFacts& Facts(ElementType type) { return kFacts[static_cast<int>(type)]; }

std::string Name(ElementType type) { return std::string(Facts(type).name); }
int64_t ByteSize(ElementType type) { return Facts(type).bytes; }
int BitWidth(ElementType type) {
  if (type == ElementType::kBool) return 1;
  if (type == ElementType::kI4 || type == ElementType::kUI4) return 4;
  return static_cast<int>(8 * ByteSize(type));
}
ElementKind KindOf(ElementType type) { return Facts(type).kind; }
bool IsFloat(ElementType type) { return KindOf(type) == ElementKind::kFloat; }
bool IsInteger(ElementType type) {
  return KindOf(type) == ElementKind::kSigned || KindOf(type) == ElementKind::kUnsigned;
}

std::vector<ElementType> AllElementTypes() {
  std::vector<ElementType> all;
  for (size_t i = 0; i < std::size(kFacts); ++i) all.push_back(static_cast<ElementType>(i));
  return all;
}

DlpackType ToDlpack(ElementType type) {
  return {.code = Facts(type).dlpack, .bits = static_cast<uint8_t>(8 * ByteSize(type))};
}

std::vector<std::string> NumpyDescriptors(ElementType type) {
  const std::string_view all = Facts(type).numpy;
  return absl::StrSplit(absl::string_view(all.data(), all.size()), ' ');
}

bool HasCodeGeneration(ElementType type) { return KindOf(type) != ElementKind::kComplex; }

std::optional<ElementType> ParseElementType(std::string_view name) {
  for (size_t i = 0; i < std::size(kFacts); ++i) {
    if (kFacts[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

static int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t TensorType::num_elements() const {
  int64_t count = 1;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (int64_t extent : shape) count = SaturatingProduct(count, extent);
  return count;
}

int64_t TensorType::num_bytes() const {
  return SaturatingProduct(num_elements(), ByteSize(element));
}

std::string TensorType::ToString() const {
  return absl::StrCat(Name(element), "[", absl::StrJoin(shape, ","), "]");
}

std::optional<TensorType> ParseTensorType(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']') return std::nullopt;
  std::optional<ElementType> element = ParseElementType(text.substr(0, open));
  if (!element) return std::nullopt;
  TensorType type{.element = *element, .shape = {}};
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (inside.empty()) return type;
  for (absl::string_view digits :
       absl::StrSplit(absl::string_view(inside.data(), inside.size()), ',')) {
    int64_t extent = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (error != std::errc() || end != digits.data() + digits.size() || extent < 0)
      return std::nullopt;
    type.shape.push_back(extent);
  }
  return type;
}

}  // namespace quern
