// Bytes of MLIR bytecode, read without ever leaving them.
#ifndef QUERN_IR_VHLO_CURSOR_H_
#define QUERN_IR_VHLO_CURSOR_H_

#include <cstddef>
#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"

namespace quern::vhlo {

// A range of a file and a place in it. Reading past the end yields zeros and empty ranges, and
// ok() is false from then on; a loop over Count() elements always ends. The encodings are those of
// MLIR's bytecode format (mlir.llvm.org/docs/BytecodeFormat).
class Cursor {
 public:
  Cursor() = default;
  Cursor(llvm::ArrayRef<uint8_t> file, size_t begin, size_t end)
      : file_(file), at_(begin), end_(end) {}

  bool ok() const { return ok_; }
  bool empty() const { return at_ == end_; }
  size_t left() const { return end_ - at_; }
  // From the start of the file; where reading failed, once it has.
  size_t at() const { return ok_ ? at_ : failed_at_; }
  void Fail() {
    if (ok_) failed_at_ = at_;
    ok_ = false;
    at_ = end_;
  }

  uint8_t Byte() {
    if (at_ < end_) return file_[at_++];
    Fail();
    return 0;
  }

  // As many low zero bits as bytes follow the first.
  uint64_t Varint() {
    const uint8_t first = Byte();
    if (first & 1) return first >> 1;
    const int more = first == 0 ? 8 : llvm::countr_zero(first);
    uint64_t value = first == 0 ? 0 : first;
    for (int i = 0; i < more && ok_; ++i) {
      value |= static_cast<uint64_t>(Byte()) << (first == 0 ? 8 * i : 8 * (i + 1));
    }
    if (!ok_) return 0;
    return first == 0 ? value : value >> (more + 1);
  }

  int64_t Signed() {
    const uint64_t value = Varint();
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }

  // A varint whose low bit says something else.
  uint64_t Flagged(bool& flag) {
    const uint64_t value = Varint();
    flag = (value & 1) != 0;
    return value >> 1;
  }

  // A number of elements that take a byte or more each; fails if they cannot fit.
  size_t Count() { return Bounded(Varint()); }
  size_t FlaggedCount(bool& flag) { return Bounded(Flagged(flag)); }

  Cursor Sub(uint64_t size) {
    if (size > left()) Fail();
    if (!ok_) return Cursor(file_, end_, end_);
    at_ += size;
    return Cursor(file_, at_ - size, at_);
  }

  llvm::ArrayRef<uint8_t> Bytes(uint64_t size) {
    const Cursor range = Sub(size);
    return file_.slice(range.at_, range.left());
  }

  // Up to a zero byte, which is passed.
  llvm::ArrayRef<uint8_t> Terminated() {
    for (size_t i = at_; i < end_; ++i) {
      if (file_[i] != 0) continue;
      llvm::ArrayRef<uint8_t> bytes = file_.slice(at_, i - at_);
      at_ = i + 1;
      return bytes;
    }
    Fail();
    return {};
  }

  // The contents of a section: its number, its length, perhaps an alignment and padding.
  Cursor Section(uint8_t& id) {
    const uint8_t head = Byte();
    id = head & 0x7f;
    const uint64_t size = Varint();
    if (head & 0x80) {
      const uint64_t alignment = Varint();
      if (!llvm::has_single_bit(alignment) || alignment > 4096) Fail();
      while (ok_ && at_ % alignment != 0) {
        if (Byte() != 0xcb) Fail();
      }
    }
    return Sub(size);
  }

 private:
  size_t Bounded(uint64_t count) {
    if (count <= left()) return count;
    Fail();
    return 0;
  }

  llvm::ArrayRef<uint8_t> file_;
  size_t at_ = 0, end_ = 0, failed_at_ = 0;
  bool ok_ = true;
};

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_CURSOR_H_
