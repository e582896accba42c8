#include "verifier/symbolic/memory.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "verifier/machine/integer_bits.h"
#include "verifier/symbolic/places.h"
#include "verifier/symbolic/points.h"

namespace quern::verifier {

static bool Set(Fault* fault, FaultKind kind, std::string message) {
  if (fault->kind == FaultKind::kNone) *fault = {.kind = kind, .message = std::move(message)};
  return false;
}

int SymbolicMemory::Add(SymbolicObject object) {
  objects_.emplace_back();
  objects_.back().spec = std::move(object);
  return count() - 1;
}

const SymbolicMemory::Cell* SymbolicMemory::Find(const Object& object, LinearId linear,
                                                 int64_t offset) const {
  const int64_t chunk = FloorDivide(offset, kChunk);
  const auto found = object.chunks.find(Key(linear, chunk));
  if (found == object.chunks.end()) return nullptr;
  const Cell& cell = (*found->second)[offset - chunk * kChunk];
  return cell.stamp == 0 ? nullptr : &cell;
}

SymbolicMemory::Cell& SymbolicMemory::At(Object& object, LinearId linear, int64_t offset) {
  const int64_t chunk = FloorDivide(offset, kChunk);
  std::unique_ptr<Chunk>& cells = object.chunks[Key(linear, chunk)];
  if (cells == nullptr) cells = std::make_unique<Chunk>();
  return (*cells)[offset - chunk * kChunk];
}

bool SymbolicMemory::Check(int index, Affine offset, int64_t bytes, int64_t alignment, bool write,
                           Fault* fault) {
  if (index < 0 || index >= count()) {
    return Set(fault, FaultKind::kOutOfBounds, "an access through a dead object");
  }
  const SymbolicObject& object = objects_[index].spec;
  AffineTable& affine = terms_.affine();
  const auto where = [&] {
    return absl::StrCat(write ? "writes " : "reads ", bytes, " bytes at ", affine.ToString(offset),
                        " of '", object.name, "' (", object.bytes, " bytes)");
  };
  if (!affine.Bounds(offset).has_value()) {
    return Set(fault, FaultKind::kUndecided, where() + ": no bounds");
  }
  if (!integers_.Within(offset, {0, object.bytes - bytes}, "in-bounds")) {
    return Set(fault, FaultKind::kOutOfBounds, where());
  }
  if (alignment > 1 && (object.alignment % alignment != 0 || offset.constant % alignment != 0 ||
                        affine.gcd(offset.linear) % alignment != 0)) {
    return Set(fault, FaultKind::kMisaligned,
               absl::StrCat(where(), ", not aligned to ", alignment));
  }
  // Of a place that data tells it is not known which others it is.
  if (terms_.affine().has_data(offset.linear) && (write || object.source == nullptr)) {
    return Set(fault, FaultKind::kUnsupported, absl::StrCat(where(), ", an address from data"));
  }
  if (write ? !object.writable : !object.readable) {
    return Set(fault, FaultKind::kPermission, where());
  }
  return true;
}

bool SymbolicMemory::ReadSource(Object& object, Affine offset, int64_t bytes, Value* value,
                                Fault* fault) {
  AffineTable& affine = terms_.affine();
  const int64_t size = object.spec.element_bytes;
  if (bytes != size || offset.constant % size != 0 || affine.gcd(offset.linear) % size != 0) {
    return Set(fault, FaultKind::kUnsupported,
               absl::StrCat("reads ", bytes, " bytes at ", affine.ToString(offset), " of '",
                            object.spec.name, "', which is not one element"));
  }
  const std::optional<AffineTable::Division> element = affine.Divide(offset, size);
  absl::StatusOr<Value> read = object.spec.source(element->quotient);
  if (read.ok()) {
    *value = *read;
    return true;
  }
  if (absl::IsOutOfRange(read.status()) && affine.blocked().has_value()) {
    integers_.SplitBlocked();
    if (integers_.split().has_value()) return Set(fault, FaultKind::kSplit, "");
  }
  return Set(fault, FaultKind::kUndecided,
             absl::StrCat("'", object.spec.name, "': ", read.status().message()));
}

bool SymbolicMemory::ReadCells(int index, Affine offset, int64_t bytes, Value* value,
                               Fault* fault) {
  Object& object = objects_[index];
  const auto where = [&] {
    return absl::StrCat("reads ", bytes, " bytes at ", terms_.affine().ToString(offset), " of '",
                        object.spec.name, "'");
  };
  uint64_t bits = 0;
  bool constant = true;
  bool whole = true;
  uint32_t stamp = 0;
  const Cell* first = nullptr;
  for (int64_t i = 0; i < bytes; ++i) {
    const Cell* cell = Find(object, offset.linear, offset.constant + i);
    if (cell == nullptr) {
      const bool alone = object.chunks.empty() || Symbols(index).empty();
      return Set(fault,
                 alone && offset.linear == 0 ? FaultKind::kUninitialised : FaultKind::kUndecided,
                 absl::StrCat(where(), ", which nothing is known to have written"));
    }
    if (cell->lost) {
      return Set(fault, FaultKind::kUndecided,
                 absl::StrCat(where(), ", which the last iteration of a loop wrote"));
    }
    if (first == nullptr) first = cell;
    whole = whole && cell->size == bytes && cell->byte == i && cell->value == first->value;
    stamp = std::max(stamp, cell->stamp);
    const std::optional<uint64_t> own =
        TermTable::ConstantBits({Type::kInt, static_cast<uint8_t>(8 * cell->size), 1}, cell->value);
    constant = constant && own.has_value();
    if (constant) bits |= (*own >> (8 * cell->byte) & 0xff) << (8 * i);
  }
  if (whole && first != nullptr) {
    *value = first->value;
  } else if (constant) {
    *value = TermTable::Bits({Type::kInt, static_cast<uint8_t>(8 * bytes), 1}, bits);
  } else {
    return Set(fault, FaultKind::kUnsupported, absl::StrCat(where(), ", parts of several values"));
  }
  if (!loops_.empty()) reads_.push_back({index, offset.linear, offset.constant, bytes, stamp});
  return true;
}

bool SymbolicMemory::Read(int index, Affine offset, int64_t bytes, int lanes, int64_t alignment,
                          Value* values, Fault* fault) {
  if (!Check(index, offset, bytes * lanes, alignment, false, fault)) return false;
  Object& object = objects_[index];
  for (int i = 0; i < lanes; ++i, offset.constant += bytes) {
    const bool read = object.spec.source != nullptr
                          ? ReadSource(object, offset, bytes, &values[i], fault)
                          : ReadCells(index, offset, bytes, &values[i], fault);
    if (!read) return false;
  }
  return true;
}

void SymbolicMemory::WriteCells(int index, Affine offset, int64_t bytes, Value value) {
  for (int64_t i = 0; i < bytes; ++i) {
    At(objects_[index], offset.linear, offset.constant + i) = {.value = value,
                                                               .stamp = clock_,
                                                               .size = static_cast<uint8_t>(bytes),
                                                               .byte = static_cast<uint8_t>(i)};
  }
  if (!loops_.empty()) writes_.push_back({index, offset.linear, offset.constant, bytes, clock_});
}

bool SymbolicMemory::Write(int index, Affine offset, int64_t bytes, int lanes, int64_t alignment,
                           const Value* values, Fault* fault) {
  if (!Check(index, offset, bytes * lanes, alignment, true, fault)) return false;
  ++clock_;
  for (int i = 0; i < lanes; ++i, offset.constant += bytes) {
    WriteCells(index, offset, bytes, values[i]);
  }
  return true;
}

bool SymbolicMemory::Copy(int to, Affine to_offset, int64_t to_alignment, int from,
                          Affine from_offset, int64_t from_alignment, int64_t bytes,
                          bool may_overlap, Fault* fault) {
  static constexpr int64_t kMaxCopy = 1 << 20;
  if (bytes == 0) return true;
  if (!Check(from, from_offset, bytes, from_alignment, false, fault) ||
      !Check(to, to_offset, bytes, to_alignment, true, fault)) {
    return false;
  }
  if (to == from || bytes > kMaxCopy) {
    return Set(fault, FaultKind::kUnsupported, "a copy inside one object, or of over a MiB");
  }
  ++clock_;
  Object& source = objects_[from];
  if (source.spec.source != nullptr) {
    const int64_t size = source.spec.element_bytes;
    if (bytes % size != 0)
      return Set(fault, FaultKind::kUnsupported, "a copy of part of an element");
    for (int64_t i = 0; i < bytes; i += size) {
      Value value;
      Affine at = from_offset;
      at.constant += i;
      if (!ReadSource(source, at, size, &value, fault)) return false;
      WriteCells(to, {to_offset.linear, to_offset.constant + i}, size, value);
    }
    return true;
  }
  for (int64_t i = 0; i < bytes; ++i) {
    const Cell* cell = Find(source, from_offset.linear, from_offset.constant + i);
    if (cell == nullptr || cell->lost) {
      return Set(fault, FaultKind::kUndecided,
                 absl::StrCat("copies bytes of '", source.spec.name, "' that are not known"));
    }
    if (!loops_.empty()) {
      reads_.push_back({from, from_offset.linear, from_offset.constant + i, 1, cell->stamp});
      writes_.push_back({to, to_offset.linear, to_offset.constant + i, 1, clock_});
    }
    Cell moved = *cell;
    moved.stamp = clock_;
    At(objects_[to], to_offset.linear, to_offset.constant + i) = moved;
  }
  return true;
}

void SymbolicMemory::Forget(int index) { objects_[index].chunks.clear(); }

std::optional<std::vector<Written>> SymbolicMemory::Contents(int index) const {
  const Object& object = objects_[index];
  std::vector<Written> written;
  for (const auto& [key, chunk] : object.chunks) {
    for (int64_t i = 0; i < kChunk; ++i) {
      const Cell& cell = (*chunk)[i];
      if (cell.stamp == 0) continue;
      if (cell.lost) return std::nullopt;
      const int64_t offset = key.second * kChunk + i;
      const Cell* first = Find(object, key.first, offset - cell.byte);
      const Cell* last = Find(object, key.first, offset - cell.byte + cell.size - 1);
      const auto belongs = [&cell](const Cell* other) {
        return other != nullptr && !other->lost && other->value == cell.value &&
               other->size == cell.size && other->stamp == cell.stamp;
      };
      if (!belongs(first) || first->byte != 0 || !belongs(last) || last->byte != cell.size - 1) {
        return std::nullopt;
      }
      if (cell.byte == 0) written.push_back({key.first, offset, cell.size, cell.value});
    }
  }
  std::sort(written.begin(), written.end(), [](const Written& a, const Written& b) {
    return std::pair(a.linear, a.offset) < std::pair(b.linear, b.offset);
  });
  return written;
}

std::vector<SymbolId> SymbolicMemory::Symbols(int index) const {
  std::vector<SymbolId> symbols;
  for (const auto& [key, chunk] : objects_[index].chunks) {
    for (const SymbolId symbol : terms_.affine().FreeSymbols(key.first)) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
        symbols.push_back(symbol);
      }
    }
  }
  return symbols;
}

bool SymbolicMemory::Distinct(int index, int64_t limit) const {
  const Object& object = objects_[index];
  if (Symbols(index).empty()) return true;
  const bool few = object.spec.bytes <= limit;
  std::vector<bool> taken(few ? object.spec.bytes : 0);
  for (const auto& [key, chunk] : object.chunks) {
    Points points(terms_.affine(), key.first);
    const std::optional<int64_t> count = points.count();
    if (!count.has_value()) return false;
    if (!few || *count > limit / kChunk) return DistinctBySolver(index);
    limit -= *count * kChunk;
    for (int64_t point = 0; point < *count; ++point, points.Next()) {
      const int64_t address = points.value() + key.second * kChunk;
      for (int64_t i = 0; i < kChunk; ++i) {
        if ((*chunk)[i].stamp == 0) continue;
        if (address + i < 0 || address + i >= object.spec.bytes || taken[address + i]) return false;
        taken[address + i] = true;
      }
    }
  }
  return true;
}

bool SymbolicMemory::DistinctBySolver(int index) const {
  if (integers_.oracle() == nullptr) return false;
  const std::optional<std::vector<Written>> written = Contents(index);
  if (!written.has_value()) return false;
  std::vector<Places> places;
  for (const Written& cell : *written) AddPlace({cell.linear, cell.offset, cell.bytes}, &places);
  return Disjoint(terms_.affine(), integers_.oracle(), {}, places);
}

}  // namespace quern::verifier
