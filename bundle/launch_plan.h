// How an artifact's kernels are run: the buffers, and which kernel sees which of them over what
// grid.
#ifndef QUERN_BUNDLE_LAUNCH_PLAN_H_
#define QUERN_BUNDLE_LAUNCH_PLAN_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/layout.h"
#include "bundle/tensor_type.h"

namespace quern {

enum class BufferRole {
  kInput,      // argument `position` of the spec; read only
  kOutput,     // result `position` of the spec
  kTemporary,  // written by one kernel, read by later ones; undefined before
  kScratch,    // one per running block; undefined at block entry
};

struct BufferPlan {
  std::string name;
  BufferRole role = BufferRole::kInput;
  int position = -1;  // of an input or output, else -1
  TensorType type;    // logical
  Layout layout;      // row-major unless a temporary
  int64_t bytes = 0;  // of the buffer, padding included
  int64_t alignment = 64;
  // What a temporary holds when its kernel is done: a StableHLO module whose @main takes the spec's
  // arguments and returns one tensor of `type`. A hint: the checker proves it or does not use it.
  std::string holds;
};

// `void symbol(ptr buffers..., i64 bx, i64 by, i64 bz)`, once for each block of the grid, in any
// order and on any number of threads; kernels of a plan run one after another.
struct KernelPlan {
  std::string symbol;
  std::array<int64_t, 3> grid = {1, 1, 1};     // blocks in x, y, z
  std::array<int64_t, 3> threads = {1, 1, 1};  // of a block; {1, 1, 1} on a CPU
  std::vector<int> buffers;  // indices into LaunchPlan::buffers, in parameter order
};

struct LaunchPlan {
  // What the code generator was told; the emitter is told the same.
  std::string target;    // "x86_64", "sm_90a", "gfx942"
  std::string cpu;       // LLVM's -mcpu
  std::string features;  // LLVM's -mattr
  std::vector<BufferPlan> buffers;
  std::vector<KernelPlan> kernels;

  // Where each buffer lies in the workspace, a byte offset: temporaries follow one another in order
  // of appearance, each at the next multiple of its alignment. -1 for other buffers.
  std::vector<int64_t> workspace_offsets() const;
  // The end of the last temporary, rounded up to 64.
  int64_t workspace_bytes() const;
};

// JSON, version 1, keys sorted: equal plans have equal text.
std::string ToJson(const LaunchPlan& plan);
// Parses and validates. kInvalidArgument that names the offending key.
absl::StatusOr<LaunchPlan> ParseLaunchPlan(std::string_view json);
// Buffers: distinct names; inputs and outputs have a position of their own, no layout and exactly
// the bytes of their type; others have enough bytes; alignments are powers of two, of temporaries
// at most 64; only temporaries have a layout and `holds`. Kernels: a symbol, each buffer at most
// once, a grid below 2^63 blocks, 1 to 1024 threads. The workspace is below 2^63 bytes.
absl::Status Validate(const LaunchPlan& plan);

}  // namespace quern

#endif  // QUERN_BUNDLE_LAUNCH_PLAN_H_
