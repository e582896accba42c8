// The tables of an MLIR bytecode file, before anything in them is decoded.
#ifndef QUERN_IR_VHLO_CONTAINER_H_
#define QUERN_IR_VHLO_CONTAINER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/vhlo/cursor.h"
#include "llvm/ADT/StringRef.h"

namespace quern::vhlo {

// Versions of the bytecode format from which on something is so.
inline constexpr uint64_t kDialectVersions = 1, kRegionSections = 2, kUseListOrders = 3,
                          kElidedLocations = 4, kProperties = 5, kNewestFormat = 6;

// major.minor of a StableHLO release, as in the producer string "StableHLO_v1.9.0".
struct Version {
  int major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};
inline constexpr Version kNewestVhlo{1, 20};

struct OpName {
  llvm::StringRef dialect, name;
};

// An attribute or type that is not decoded yet.
struct RawEntry {
  uint32_t dialect;  // an index of Container::dialects
  uint32_t begin, size;
  bool custom;  // encoded by its dialect, and not as text
};

// Views of the file's bytes. Every table holds at most as many entries as the file has bytes.
struct Container {
  llvm::ArrayRef<uint8_t> file;
  uint64_t format = 0;  // of the bytecode
  llvm::StringRef producer;
  std::optional<Version> version;  // unless the producer names another program
  std::vector<llvm::StringRef> strings, dialects;
  std::vector<OpName> ops;
  std::vector<RawEntry> attributes, types;
  std::vector<Cursor> properties;
  Cursor ir;
};

struct ContainerError {
  size_t at;  // byte
  const char* what;
};

// Whether bytes claim to be MLIR bytecode.
bool IsBytecode(llvm::StringRef bytes);

// Splits a file of less than 4 GiB; nullopt fills `error`. O(bytes). Resources are passed over, as
// nothing can refer to one: quern reads no attribute that does.
std::optional<Container> ParseContainer(llvm::StringRef bytes, ContainerError& error);

}  // namespace quern::vhlo

#endif  // QUERN_IR_VHLO_CONTAINER_H_
