#include "ir/vhlo/jax_export.h"

#include <algorithm>
#include <cstdint>

namespace quern::vhlo {

// Fields of the table by their place in its vtable.
enum Slot { kDevicesShort = 6, kModule = 13, kDevices = 18 };

class FlatBuffer {
 public:
  explicit FlatBuffer(absl::string_view bytes) : bytes_(bytes) {
    const std::optional<uint64_t> root = Number(0, 4);
    if (!root) return;
    const std::optional<uint64_t> distance = Number(*root, 4);
    if (!distance) return;
    // Signed, and backwards from the table.
    const int64_t vtable = static_cast<int64_t>(*root) - static_cast<int32_t>(*distance);
    if (vtable < 0) return;
    const std::optional<uint64_t> size = Number(vtable, 2);
    if (!size) return;
    root_ = *root;
    vtable_ = static_cast<uint64_t>(vtable);
    vtable_size_ = *size;
  }

  // A number of `width` bytes in the root table.
  std::optional<uint64_t> Scalar(Slot slot, int width) const {
    const std::optional<uint64_t> at = Field(slot);
    return at ? Number(*at, width) : std::nullopt;
  }

  std::optional<absl::string_view> Bytes(Slot slot) const {
    const std::optional<uint64_t> at = Field(slot);
    if (!at) return std::nullopt;
    const std::optional<uint64_t> offset = Number(*at, 4);
    if (!offset) return std::nullopt;
    const uint64_t start = *at + *offset;
    const std::optional<uint64_t> size = Number(start, 4);
    if (!size || *size > bytes_.size() - start - 4) return std::nullopt;
    return bytes_.substr(start + 4, *size);
  }

 private:
  // Little-endian.
  std::optional<uint64_t> Number(uint64_t at, uint64_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return std::nullopt;
    uint64_t value = 0;
    for (uint64_t i = 0; i < width; ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes_[at + i])) << (8 * i);
    return value;
  }

  std::optional<uint64_t> Field(Slot slot) const {
    const uint64_t entry = 4 + 2 * static_cast<uint64_t>(slot);
    if (vtable_size_ < entry + 2) return std::nullopt;
    const std::optional<uint64_t> offset = Number(vtable_ + entry, 2);
    if (!offset || *offset == 0) return std::nullopt;
    return root_ + *offset;
  }

  absl::string_view bytes_;
  uint64_t root_ = 0, vtable_ = 0, vtable_size_ = 0;
};

std::optional<JaxExport> FindJaxExport(absl::string_view bytes) {
  const FlatBuffer buffer(bytes);
  const std::optional<absl::string_view> module = buffer.Bytes(kModule);
  if (!module || module->substr(0, 4) != "ML\xefR") return std::nullopt;
  const uint64_t devices =
      std::max(buffer.Scalar(kDevicesShort, 2).value_or(1), buffer.Scalar(kDevices, 4).value_or(1));
  return JaxExport{.module = *module, .devices = static_cast<uint32_t>(devices)};
}

}  // namespace quern::vhlo
