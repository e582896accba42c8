// Inputs and results of the commands that run something.
#ifndef QUERN_CLI_TENSOR_FILES_H_
#define QUERN_CLI_TENSOR_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"

namespace quern::cli {

// A .npy file for each argument; without any, drawn from `seed` as measuring does.
absl::StatusOr<std::vector<Tensor>> ReadOrDrawInputs(const std::vector<std::string>& paths,
                                                     const std::vector<TensorType>& arguments,
                                                     uint64_t seed);

// Writes `directory`/N.npy, or, without a directory, prints each result's type and first elements.
absl::Status PrintOrWrite(const std::vector<Tensor>& results, const std::string& directory);

}  // namespace quern::cli

#endif  // QUERN_CLI_TENSOR_FILES_H_
