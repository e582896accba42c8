// The tensors of one runner, in memory that both processes map.
#ifndef QUERN_WORKERS_RUNNER_MEMORY_H_
#define QUERN_WORKERS_RUNNER_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "workers/descriptor.h"
#include "workers/runner/protocol.h"
#include "workers/signature.h"

namespace quern::workers {

// Several sets of inputs, which the runner can only read (the memory is sealed), one set of
// outputs and a workspace. Each tensor lies between two pages that fault in the runner; what is
// left around outputs and workspace is a red zone of a known pattern.
class RunnerMemory {
 public:
  // `placement` moves the tensors by multiples of 64 bytes, so that no result hangs on one
  // alignment; with 0, inputs end where the guard page begins. kResourceExhausted, or
  // kInvalidArgument for a rank above kMaxRank.
  static absl::StatusOr<std::unique_ptr<RunnerMemory>> Create(const Signature& signature,
                                                              int num_sets, int64_t workspace_bytes,
                                                              uint32_t placement);
  ~RunnerMemory();
  RunnerMemory(const RunnerMemory&) = delete;

  // Requires tensors of the signature's types.
  void WriteInputs(int set, const std::vector<Tensor>& inputs);
  // Fills outputs and workspace with `pattern`, and the red zones with theirs.
  void Poison(uint32_t pattern);
  // "result 0, 4 bytes behind its end", if a red zone is not as it was filled.
  std::optional<std::string> DamagedRedZone() const;
  // Copies, which the runner can no longer change.
  absl::StatusOr<std::vector<Tensor>> ReadOutputs() const;
  const std::byte* output(size_t result) const;

  const Signature& signature() const { return signature_; }
  const Setup& setup() const { return setup_; }  // the fields about memory are filled in
  const std::vector<TensorRecord>& records() const { return records_; }
  int input_fd() const { return input_fd_.get(); }
  int output_fd() const { return output_fd_.get(); }

 private:
  RunnerMemory() = default;
  absl::Status Map();
  void Place(const TensorType& type, uint32_t shift, bool flush, uint64_t* cursor);
  uint64_t bytes_of(size_t record) const;

  Signature signature_;
  Setup setup_ = {};
  std::vector<TensorRecord> records_;  // arguments, results, workspace
  Descriptor input_fd_;
  Descriptor output_fd_;
  std::byte* inputs_ = nullptr;
  std::byte* outputs_ = nullptr;
};

// Signalling NaNs as f32 and as bf16, and no bool.
inline constexpr uint32_t kPoison = 0x7fa57fa5;
inline constexpr uint32_t kOtherPoison = 0xff9aff9a;

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_MEMORY_H_
