// Moving boxes of elements between row-major tensors, whatever the elements are.
#ifndef QUERN_FRONTEND_STRIDED_H_
#define QUERN_FRONTEND_STRIDED_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace quern::frontend {

// Of a row-major tensor, in elements.
llvm::SmallVector<int64_t> Strides(llvm::ArrayRef<int64_t> shape);

// The product of extents.
int64_t Count(llvm::ArrayRef<int64_t> extents);

// to[i . to_strides] = from[i . from_strides] for every index i below `extents`; strides count
// elements of `size` bytes (1, 2, 4, 8 or 16) and may be negative or 0.
void CopyStrided(const std::byte* from, llvm::ArrayRef<int64_t> from_strides, std::byte* to,
                 llvm::ArrayRef<int64_t> to_strides, llvm::ArrayRef<int64_t> extents, int64_t size);

// Calls visit(index) for every index below `extents`, in row-major order, until it returns false.
template <typename Visitor>
void ForEachIndex(llvm::ArrayRef<int64_t> extents, Visitor visit) {
  if (llvm::is_contained(extents, 0)) return;
  llvm::SmallVector<int64_t> index(extents.size(), 0);
  while (visit(llvm::ArrayRef<int64_t>(index))) {
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// The position that an index has under strides.
inline int64_t Dot(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) position += index[i] * strides[i];
  return position;
}

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_STRIDED_H_
