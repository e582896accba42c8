// The candidate's shared object and the calls that are made of it.
#ifndef QUERN_WORKERS_RUNNER_CANDIDATE_H_
#define QUERN_WORKERS_RUNNER_CANDIDATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/quern_abi.h"
#include "workers/runner/protocol.h"

namespace quern::workers {

// The two arenas, mapped: inputs read only, guard pages inaccessible.
class Arenas {
 public:
  // Reads the message's tail (records). False with errno set if memory cannot be mapped.
  bool Map(const Setup& setup, const TensorRecord* records, int input_fd, int output_fd);
  // One call for each set of inputs; all have the same outputs and workspace. They stay valid as
  // long as this object does.
  std::vector<quern_call> Calls(const Setup& setup, quern_parallel_for parallel_for, void* pool);
  FaultPlace PlaceOf(const void* address) const;

 private:
  bool Protect(std::byte* base, const TensorRecord& record);

  std::byte* inputs_ = nullptr;
  std::byte* outputs_ = nullptr;
  uint64_t input_bytes_ = 0;
  std::vector<TensorRecord> records_;
  std::vector<quern_tensor> tensors_;  // all sets' inputs, then the outputs
  std::vector<const std::byte*> guards_;
};

struct Candidate {
  decltype(&quern_prepare) prepare = nullptr;
  decltype(&quern_run) run = nullptr;
};

// Loads the shared object behind `fd`. On failure `error` says why.
bool Load(int fd, uint64_t workspace_bytes, Candidate* candidate, std::string* error);

}  // namespace quern::workers

#endif  // QUERN_WORKERS_RUNNER_CANDIDATE_H_
