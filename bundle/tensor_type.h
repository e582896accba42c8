// Element types, and the static shape and element type of a tensor.
#ifndef QUERN_BUNDLE_TENSOR_TYPE_H_
#define QUERN_BUNDLE_TENSOR_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

enum class ElementType {
#define QUERN_ELEMENT_TYPE(enumerator, name, bytes, kind, dlpack, numpy) enumerator,
#include "bundle/element_types.def"
#undef QUERN_ELEMENT_TYPE
};

enum class ElementKind { kFloat, kSigned, kUnsigned, kBool, kComplex };

std::string Name(ElementType type);  // "f32"
std::optional<ElementType> ParseElementType(std::string_view name);
int64_t ByteSize(ElementType type);  // in memory
int BitWidth(ElementType type);      // of values: 4 of an i4, 1 of a bool
ElementKind KindOf(ElementType type);
bool IsFloat(ElementType type);    // not of complex numbers
bool IsInteger(ElementType type);  // signed or unsigned; not of bools
std::vector<ElementType> AllElementTypes();

// How DLPack describes elements as they lie in memory: i4 as i8.
struct DlpackType {
  uint8_t code, bits;
};
DlpackType ToDlpack(ElementType type);

// The descriptors of .npy files that may hold such elements, first the one to write.
std::vector<std::string> NumpyDescriptors(ElementType type);

// Whether programs over such elements can be searched and compiled; others are interpreted only.
bool HasCodeGeneration(ElementType type);

// A dense tensor, row-major (last dimension fastest) and compact unless a Layout says otherwise.
struct TensorType {
  ElementType element = ElementType::kF32;
  std::vector<int64_t> shape;  // extents >= 0; empty for a scalar

  // Both saturate at INT64_MAX.
  int64_t num_elements() const;
  int64_t num_bytes() const;
  std::string ToString() const;  // "f32[512,1024]"
  bool operator==(const TensorType&) const = default;
};

// Parses TensorType::ToString's form.
std::optional<TensorType> ParseTensorType(std::string_view text);

}  // namespace quern

#endif  // QUERN_BUNDLE_TENSOR_TYPE_H_
