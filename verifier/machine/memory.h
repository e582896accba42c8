// The memory of the concrete machine: objects with bounds, initialised bytes and races.
#ifndef QUERN_VERIFIER_MACHINE_MEMORY_H_
#define QUERN_VERIFIER_MACHINE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verifier/machine/domain.h"

namespace quern::verifier {

// One bit a byte.
class ByteSet {
 public:
  explicit ByteSet(int64_t size = 0, bool full = false);
  bool All(int64_t begin, int64_t end) const;
  bool Any(int64_t begin, int64_t end) const;
  void Fill(int64_t begin, int64_t end, bool value);
  bool Has(int64_t byte) const { return words_[byte / 64] >> (byte % 64) & 1; }
  // The first byte that is missing, or nothing.
  std::optional<int64_t> FirstMissing() const;

 private:
  int64_t size_ = 0;
  std::vector<uint64_t> words_;
};

struct ObjectSpec {
  std::string name;
  std::byte* data = nullptr;  // null: the memory owns zeroed bytes
  int64_t bytes = 0;
  int64_t alignment = 1;
  bool initialised = false;
  bool readable = true;
  bool writable = true;
  bool shared = false;  // by blocks: races are looked for
};

class Memory {
 public:
  // A number from 0. Data outlives the memory; objects added later get higher numbers.
  int Add(const ObjectSpec& spec);
  // Forgets the objects from number `count` on.
  void Truncate(int count) { objects_.resize(count); }
  int count() const { return static_cast<int>(objects_.size()); }

  const std::byte* data(int object) const { return objects_[object].spec.data; }
  // From now on the object's bytes are those at `data`, all initialised.
  void Lend(int object, std::byte* data);
  int64_t bytes(int object) const { return objects_[object].spec.bytes; }
  const std::string& name(int object) const { return objects_[object].spec.name; }
  void SetPermissions(int object, bool readable, bool writable);
  void SetAlive(int object, bool alive) { objects_[object].alive = alive; }
  // All bytes become uninitialised.
  void Forget(int object);
  const ByteSet& initialised(int object) const { return objects_[object].initialised; }

  // `bytes` at `offset`, to read or write, or null and a fault. A write marks them initialised.
  const std::byte* Read(int object, int64_t offset, int64_t bytes, int64_t alignment, Fault* fault);
  std::byte* Write(int object, int64_t offset, int64_t bytes, int64_t alignment, Fault* fault);
  // Checks like both of them, copies bytes that may be uninitialised.
  void Move(int to, int64_t to_offset, int64_t to_alignment, int from, int64_t from_offset,
            int64_t from_alignment, int64_t bytes, Fault* fault);

  // Races: a kernel begins; then, for each block, EndBlock when it is done.
  void BeginKernel();
  void EndBlock();

 private:
  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };
  struct Object {
    ObjectSpec spec;
    std::unique_ptr<std::byte[]> owned;
    bool alive = true;
    ByteSet initialised;
    // Of shared objects: what earlier blocks of this kernel wrote and read, and what this one did.
    ByteSet written;
    ByteSet read;
    std::vector<Range> writes;
    std::vector<Range> reads;
  };

  std::byte* Check(int object, int64_t offset, int64_t bytes, int64_t alignment, bool write,
                   Fault* fault);
  void NoteRead(Object& object, Range range, Fault* fault);
  void NoteWrite(Object& object, Range range, Fault* fault);

  std::vector<Object> objects_;
};

}  // namespace quern::verifier

#endif  // QUERN_VERIFIER_MACHINE_MEMORY_H_
