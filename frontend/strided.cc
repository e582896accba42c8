#include "frontend/strided.h"

#include <complex>
#include <cstring>

namespace quern::frontend {

llvm::SmallVector<int64_t> Strides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

int64_t Count(llvm::ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents) count *= extent;
  return count;
}

// A box without dimensions of extent 1, and with those joined that lie one after the other.
struct Box {
  llvm::SmallVector<int64_t> extents, from, to;

  void Add(int64_t extent, int64_t from_stride, int64_t to_stride) {
    if (extent == 1) return;
    if (!extents.empty() && from.back() == extent * from_stride &&
        to.back() == extent * to_stride) {
      extents.back() *= extent;
      from.back() = from_stride;
      to.back() = to_stride;
      return;
    }
    extents.push_back(extent);
    from.push_back(from_stride);
    to.push_back(to_stride);
  }
};

template <typename T>
static void CopyBox(const std::byte* from_bytes, std::byte* to_bytes, const Box& box) {
  const T* from = reinterpret_cast<const T*>(from_bytes);
  T* to = reinterpret_cast<T*>(to_bytes);
  if (box.extents.empty()) {
    *to = *from;
    return;
  }
  const size_t outer = box.extents.size() - 1;
  const int64_t extent = box.extents[outer], f = box.from[outer], t = box.to[outer];
  llvm::SmallVector<int64_t> index(outer, 0);
  while (true) {
    if (f == 1 && t == 1) {
      std::memcpy(to, from, extent * sizeof(T));
    } else {
      for (int64_t i = 0; i < extent; ++i) to[i * t] = from[i * f];
    }
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == box.extents[d - 1]) {
      from -= (box.extents[d - 1] - 1) * box.from[d - 1];
      to -= (box.extents[d - 1] - 1) * box.to[d - 1];
      index[--d] = 0;
    }
    if (d == 0) return;
    from += box.from[d - 1];
    to += box.to[d - 1];
  }
}

void CopyStrided(const std::byte* from, llvm::ArrayRef<int64_t> from_strides, std::byte* to,
                 llvm::ArrayRef<int64_t> to_strides, llvm::ArrayRef<int64_t> extents,
                 int64_t size) {
  if (llvm::is_contained(extents, 0)) return;
  Box box;
  for (size_t i = 0; i < extents.size(); ++i) box.Add(extents[i], from_strides[i], to_strides[i]);
  switch (size) {
    case 1:
      return CopyBox<uint8_t>(from, to, box);
    case 2:
      return CopyBox<uint16_t>(from, to, box);
    case 4:
      return CopyBox<uint32_t>(from, to, box);
    case 8:
      return CopyBox<uint64_t>(from, to, box);
    default:
      return CopyBox<std::complex<double>>(from, to, box);
  }
}

}  // namespace quern::frontend
