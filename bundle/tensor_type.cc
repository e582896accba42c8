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
  bool floating;
};

static constexpr ElementTypeFacts kFacts[] = {
#define QUERN_ELEMENT_TYPE(enumerator, name, bytes, floating) {name, bytes, floating},
#include "bundle/element_types.def"
#undef QUERN_ELEMENT_TYPE
};

std::string Name(ElementType type) { return std::string(kFacts[static_cast<int>(type)].name); }
int64_t ByteSize(ElementType type) { return kFacts[static_cast<int>(type)].bytes; }
bool IsFloat(ElementType type) { return kFacts[static_cast<int>(type)].floating; }

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
