// What symbolic iterations of a loop leave in memory.
#include <algorithm>
#include <set>

#include "verifier/symbolic/memory.h"

namespace quern::verifier {

void SymbolicMemory::EnterLoop() {
  ++clock_;
  loops_.push_back({clock_, writes_.size(), reads_.size()});
}

std::optional<Value> SymbolicMemory::Held(const Slot& slot) {
  if (slot.object >= count() || !objects_[slot.object].alive) return std::nullopt;
  Value value;
  Fault ignored;
  if (!ReadCells(slot.object, {slot.linear, slot.offset}, slot.bytes, &value, &ignored) ||
      value.is_loose()) {
    return std::nullopt;
  }
  return value;
}

void SymbolicMemory::Hold(const Slot& slot, Value value) {
  ++clock_;
  WriteCells(slot.object, {slot.linear, slot.offset}, slot.bytes, value);
}

bool SymbolicMemory::LeaveLoop(SymbolId counter, bool carries, const std::set<Slot>& carried,
                               std::set<Slot>* conflicts) {
  const Loop loop = loops_.back();
  const auto shared = [&](LinearId linear) {
    return terms_.affine().coefficient(linear, counter) == 0;
  };
  for (size_t i = loop.reads; i < reads_.size(); ++i) {
    const Access& read = reads_[i];
    if (read.stamp >= loop.start || !shared(read.linear)) continue;
    for (int64_t byte = 0; byte < read.bytes; ++byte) {
      const Cell* cell = Find(objects_[read.object], read.linear, read.offset + byte);
      if (cell == nullptr || cell->stamp >= loop.start) {
        conflicts->insert({read.object, read.linear, read.offset, read.bytes});
      }
    }
  }
  bool escapes = false;
  for (size_t i = loop.writes; i < writes_.size(); ++i) {
    const Access& write = writes_[i];
    if (write.object >= count()) continue;
    const bool kept = carried.contains({write.object, write.linear, write.offset, write.bytes});
    for (int64_t byte = 0; byte < write.bytes; ++byte) {
      const int64_t offset = write.offset + byte;
      if (Find(objects_[write.object], write.linear, offset) == nullptr) continue;
      Cell& cell = At(objects_[write.object], write.linear, offset);
      cell.lost |= shared(write.linear);
      escapes |= carries && !cell.lost && !kept && terms_.IsCarried(cell.value);
    }
  }
  loops_.pop_back();
  if (loops_.empty()) {
    writes_.clear();
    reads_.clear();
  }
  return conflicts->empty() && !escapes;
}

}  // namespace quern::verifier
