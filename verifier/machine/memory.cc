#include "verifier/machine/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quern::verifier {

ByteSet::ByteSet(int64_t size, bool full)
    : size_(size), words_((size + 63) / 64, full ? ~uint64_t{0} : 0) {}

// The bits of [begin, end) that lie in word `word`.
static uint64_t WordMask(int64_t word, int64_t begin, int64_t end) {
  uint64_t mask = ~uint64_t{0};
  if (begin > word * 64) mask &= ~uint64_t{0} << (begin - word * 64);
  if (end < word * 64 + 64) mask &= ~uint64_t{0} >> (word * 64 + 64 - end);
  return mask;
}

bool ByteSet::All(int64_t begin, int64_t end) const {
  for (int64_t word = begin / 64; word * 64 < end; ++word) {
    const uint64_t mask = WordMask(word, begin, end);
    if ((words_[word] & mask) != mask) return false;
  }
  return true;
}

bool ByteSet::Any(int64_t begin, int64_t end) const {
  for (int64_t word = begin / 64; word * 64 < end; ++word) {
    if ((words_[word] & WordMask(word, begin, end)) != 0) return true;
  }
  return false;
}

void ByteSet::Fill(int64_t begin, int64_t end, bool value) {
  for (int64_t word = begin / 64; word * 64 < end; ++word) {
    const uint64_t mask = WordMask(word, begin, end);
    words_[word] = value ? words_[word] | mask : words_[word] & ~mask;
  }
}

std::optional<int64_t> ByteSet::FirstMissing() const {
  for (size_t word = 0; word < words_.size(); ++word) {
    if (words_[word] == ~uint64_t{0}) continue;
    const int64_t byte = static_cast<int64_t>(word) * 64 + std::countr_one(words_[word]);
    if (byte < size_) return byte;
  }
  return std::nullopt;
}

int Memory::Add(const ObjectSpec& spec) {
  Object object;
  object.spec = spec;
  if (spec.data == nullptr) {
    object.owned = std::make_unique<std::byte[]>(spec.bytes);
    object.spec.data = object.owned.get();
  }
  object.initialised = ByteSet(spec.bytes, spec.initialised);
  objects_.push_back(std::move(object));
  return count() - 1;
}

void Memory::Lend(int object, std::byte* data) {
  objects_[object].spec.data = data;
  objects_[object].owned.reset();
  objects_[object].initialised = ByteSet(objects_[object].spec.bytes, true);
}

void Memory::SetPermissions(int object, bool readable, bool writable) {
  objects_[object].spec.readable = readable;
  objects_[object].spec.writable = writable;
}

void Memory::Forget(int object) {
  objects_[object].initialised.Fill(0, objects_[object].spec.bytes, false);
}

static void SetFault(Fault* fault, FaultKind kind, std::string message) {
  if (fault->kind != FaultKind::kNone) return;
  fault->kind = kind;
  fault->message = std::move(message);
}

static std::string Describe(bool write, int64_t bytes, int64_t offset, const ObjectSpec& spec) {
  return absl::StrCat(write ? "a store of " : "a load of ", bytes, " bytes at byte ", offset,
                      " of '", spec.name, "', which has ", spec.bytes, " bytes");
}

std::byte* Memory::Check(int index, int64_t offset, int64_t bytes, int64_t alignment, bool write,
                         Fault* fault) {
  const Object& object = objects_[index];
  if (offset < 0 || bytes > object.spec.bytes || offset > object.spec.bytes - bytes) {
    SetFault(fault, FaultKind::kOutOfBounds, Describe(write, bytes, offset, object.spec));
    return nullptr;
  }
  if (!object.alive) {
    SetFault(fault, FaultKind::kOutOfBounds,
             absl::StrCat("an access to '", object.spec.name, "' after the end of its life"));
    return nullptr;
  }
  if (alignment > object.spec.alignment || (offset & (alignment - 1)) != 0) {
    SetFault(fault, FaultKind::kMisaligned,
             absl::StrCat(Describe(write, bytes, offset, object.spec), " and alignment ",
                          object.spec.alignment, ", promises alignment ", alignment));
    return nullptr;
  }
  if (write ? !object.spec.writable : !object.spec.readable) {
    SetFault(fault, FaultKind::kPermission,
             absl::StrCat(Describe(write, bytes, offset, object.spec), " and is ",
                          write ? "read only" : "write only"));
    return nullptr;
  }
  return object.spec.data + offset;
}

void Memory::NoteRead(Object& object, Range range, Fault* fault) {
  if (!object.spec.shared || !object.spec.writable) return;
  if (object.written.Any(range.begin, range.end)) {
    SetFault(fault, FaultKind::kRace,
             absl::StrCat("reads bytes ", range.begin, " to ", range.end, " of '", object.spec.name,
                          "', which another block writes"));
  }
  if (!object.reads.empty() && object.reads.back().end == range.begin) {
    object.reads.back().end = range.end;
  } else {
    object.reads.push_back(range);
  }
}

void Memory::NoteWrite(Object& object, Range range, Fault* fault) {
  if (!object.spec.shared) return;
  const bool written = object.written.Any(range.begin, range.end);
  if (written || object.read.Any(range.begin, range.end)) {
    SetFault(
        fault, FaultKind::kRace,
        absl::StrCat("writes bytes ", range.begin, " to ", range.end, " of '", object.spec.name,
                     "', which another block ", written ? "writes" : "reads"));
  }
  if (!object.writes.empty() && object.writes.back().end == range.begin) {
    object.writes.back().end = range.end;
  } else {
    object.writes.push_back(range);
  }
}

const std::byte* Memory::Read(int index, int64_t offset, int64_t bytes, int64_t alignment,
                              Fault* fault) {
  const std::byte* at = Check(index, offset, bytes, alignment, false, fault);
  if (at == nullptr) return nullptr;
  Object& object = objects_[index];
  if (!object.initialised.All(offset, offset + bytes)) {
    SetFault(fault, FaultKind::kUninitialised,
             absl::StrCat(Describe(false, bytes, offset, object.spec),
                          ", reads what nothing has written"));
    return nullptr;
  }
  NoteRead(object, {offset, offset + bytes}, fault);
  return at;
}

std::byte* Memory::Write(int index, int64_t offset, int64_t bytes, int64_t alignment,
                         Fault* fault) {
  std::byte* at = Check(index, offset, bytes, alignment, true, fault);
  if (at == nullptr) return nullptr;
  NoteWrite(objects_[index], {offset, offset + bytes}, fault);
  objects_[index].initialised.Fill(offset, offset + bytes, true);
  return at;
}

void Memory::Move(int to, int64_t to_offset, int64_t to_alignment, int from, int64_t from_offset,
                  int64_t from_alignment, int64_t bytes, Fault* fault) {
  std::byte* target = Check(to, to_offset, bytes, to_alignment, true, fault);
  const std::byte* source = Check(from, from_offset, bytes, from_alignment, false, fault);
  if (target == nullptr || source == nullptr || bytes == 0) return;
  NoteRead(objects_[from], {from_offset, from_offset + bytes}, fault);
  NoteWrite(objects_[to], {to_offset, to_offset + bytes}, fault);
  std::memmove(target, source, bytes);
  std::vector<bool> known(bytes);
  for (int64_t i = 0; i < bytes; ++i) known[i] = objects_[from].initialised.Has(from_offset + i);
  for (int64_t i = 0; i < bytes; ++i) {
    objects_[to].initialised.Fill(to_offset + i, to_offset + i + 1, known[i]);
  }
}

void Memory::BeginKernel() {
  for (Object& object : objects_) {
    if (!object.spec.shared) continue;
    object.written = ByteSet(object.spec.bytes);
    object.read = ByteSet(object.spec.writable ? object.spec.bytes : 0);
    object.writes.clear();
    object.reads.clear();
  }
}

void Memory::EndBlock() {
  for (Object& object : objects_) {
    for (const Range& range : object.writes) object.written.Fill(range.begin, range.end, true);
    for (const Range& range : object.reads) object.read.Fill(range.begin, range.end, true);
    object.writes.clear();
    object.reads.clear();
  }
}

}  // namespace quern::verifier
