// NumPy's .npy files, format versions 1 to 3
// (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef QUERN_BUNDLE_NPY_H_
#define QUERN_BUNDLE_NPY_H_

#include <string>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"

namespace quern {

// Reads a C-ordered little-endian array. bf16 is stored as '<V2' or '<u2' by NumPy, so `expected`
// tells how to read two-byte elements; a file whose shape or element type differs from it is an
// error.
// kInvalidArgument then and if the file is malformed, cut or too long, with the path.
absl::StatusOr<Tensor> ReadNpy(const std::string& path, const TensorType& expected);
absl::Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace quern

#endif  // QUERN_BUNDLE_NPY_H_
