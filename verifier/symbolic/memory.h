// The memory of the symbolic machine: for each object, what lies at linear form + constant.
#ifndef QUERN_VERIFIER_SYMBOLIC_MEMORY_H_
#define QUERN_VERIFIER_SYMBOLIC_MEMORY_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "verifier/machine/domain.h"
#include "verifier/symbolic/integers.h"
#include "verifier/symbolic/slot.h"
#include "verifier/symbolic/term.h"

namespace quern::verifier {

struct SymbolicObject {
  std::string name;
  int64_t bytes = 0;
  int64_t alignment = 1;
  bool readable = true;
  bool writable = true;
  // Of objects that hold values from the start: the element at an offset counted in elements.
  // kOutOfRange: AffineTable::blocked says which symbol is to be split.
  int64_t element_bytes = 0;
  std::function<absl::StatusOr<Value>(Affine element)> source = nullptr;
};

// A whole value written at linear + offset.
struct Written {
  LinearId linear = 0;
  int64_t offset = 0;
  int64_t bytes = 0;
  Value value;
};

// Cells at different constants of one linear form never meet. Cells at different linear forms must
// not meet either: Distinct() proves it afterwards, for all values of the symbols, so that until
// then every cell is the only one at its address. A symbol stands for all its values at once: a
// loop that was executed once has written all of them.
class SymbolicMemory {
 public:
  SymbolicMemory(TermTable* terms, Integers* integers) : terms_(*terms), integers_(*integers) {}

  int Add(SymbolicObject object);  // a number from 0
  void Truncate(int count) { objects_.erase(objects_.begin() + count, objects_.end()); }
  int count() const { return static_cast<int>(objects_.size()); }
  const SymbolicObject& object(int index) const { return objects_[index].spec; }

  // Values of `lanes` lanes of `bytes` each from `offset` on. false: `fault` says why; kSplit if
  // integers().split() is to be done first.
  bool Read(int object, Affine offset, int64_t bytes, int lanes, int64_t alignment, Value* values,
            Fault* fault);
  bool Write(int object, Affine offset, int64_t bytes, int lanes, int64_t alignment,
             const Value* values, Fault* fault);
  bool Copy(int to, Affine to_offset, int64_t to_alignment, int from, Affine from_offset,
            int64_t from_alignment, int64_t bytes, bool may_overlap, Fault* fault);
  void Seal(int index) { objects_[index].spec.writable = false; }
  void Forget(int object);  // all bytes become uninitialised

  // All that is written, by linear form and offset; nullopt: a byte of it is unknown, or part of a
  // value.
  std::optional<std::vector<Written>> Contents(int object) const;
  // Whether no two cells meet: by enumeration of at most `limit` points, else by the solver.
  bool Distinct(int object, int64_t limit) const;
  // The symbols in the addresses of an object's cells.
  std::vector<SymbolId> Symbols(int object) const;

  // Around one symbolic iteration of a loop. Leave: false if an iteration reads what another one
  // may have written, at the `conflicts`, or if the loop `carries` values and leaves one in a cell
  // that is not one of `carried`. Cells that every iteration writes hold, afterwards, what only
  // the last one knows, and are unknown.
  void EnterLoop();
  bool LeaveLoop(SymbolId counter, bool carries, const std::set<Slot>& carried,
                 std::set<Slot>* conflicts);
  // The whole value in a slot; nullopt: none that is known. And another one there.
  std::optional<Value> Held(const Slot& slot);
  void Hold(const Slot& slot, Value value);

 private:
  struct Cell {
    Value value;
    uint32_t stamp = 0;  // when written; 0: never
    uint8_t size = 0;    // of the value
    uint8_t byte = 0;    // of the value
    bool lost = false;
  };
  static constexpr int64_t kChunk = 16;
  using Chunk = std::array<Cell, kChunk>;
  using Key = std::pair<LinearId, int64_t>;
  struct Object {
    SymbolicObject spec;
    bool alive = true;
    absl::flat_hash_map<Key, std::unique_ptr<Chunk>> chunks;
  };
  struct Access {
    int object = 0;
    LinearId linear = 0;
    int64_t offset = 0;
    int64_t bytes = 0;
    uint32_t stamp = 0;  // of a read: of what was read
  };
  struct Loop {
    uint32_t start = 0;
    size_t writes = 0;
    size_t reads = 0;
  };

  const Cell* Find(const Object& object, LinearId linear, int64_t offset) const;
  Cell& At(Object& object, LinearId linear, int64_t offset);
  bool Check(int object, Affine offset, int64_t bytes, int64_t alignment, bool write, Fault* fault);
  bool DistinctBySolver(int object) const;
  bool ReadSource(Object& object, Affine offset, int64_t bytes, Value* value, Fault* fault);
  bool ReadCells(int index, Affine offset, int64_t bytes, Value* value, Fault* fault);
  void WriteCells(int index, Affine offset, int64_t bytes, Value value);

  TermTable& terms_;
  Integers& integers_;
  std::vector<Object> objects_;
  uint32_t clock_ = 1;
  std::vector<Loop> loops_;
  std::vector<Access> writes_;  // inside loops
  std::vector<Access> reads_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_SYMBOLIC_MEMORY_H_
