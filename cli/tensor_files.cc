#include "cli/tensor_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "bundle/npy.h"
#include "bundle/status.h"
#include "workers/inputs.h"

namespace quern::cli {

static constexpr int64_t kPrinted = 8;

absl::StatusOr<std::vector<Tensor>> ReadOrDrawInputs(const std::vector<std::string>& paths,
                                                     const std::vector<TensorType>& arguments,
                                                     uint64_t seed) {
  if (paths.empty()) return workers::MakeInputs(arguments, {}, seed);
  if (paths.size() != arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--inputs has ", paths.size(), " files, the program has ", arguments.size(), " arguments"));
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < paths.size(); ++i) {
    QUERN_ASSIGN_OR_RETURN(Tensor input, ReadNpy(paths[i], arguments[i]));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::Status PrintOrWrite(const std::vector<Tensor>& results, const std::string& directory) {
  if (!directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error)
      return absl::UnavailableError(absl::StrCat(directory, ": cannot be made: ", error.message()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!directory.empty()) {
      QUERN_RETURN_IF_ERROR(WriteNpy(absl::StrCat(directory, "/", i, ".npy"), results[i]));
      continue;
    }
    std::printf("result %zu: %s", i, results[i].type().ToString().c_str());
    const int64_t count = results[i].type().num_elements();
    for (int64_t k = 0; k < std::min(count, kPrinted); ++k) std::printf(" %.9g", results[i].At(k));
    std::printf(count > kPrinted ? " ...\n" : "\n");
  }
  return absl::OkStatus();
}

}  // namespace quern::cli
