// NumPy's .npy files, format versions 1 to 3
// (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef QUERN_BUNDLE_NPY_H_
#define QUERN_BUNDLE_NPY_H_

#include <string>

#include "absl/status/statusor.h"
#include "bundle/tensor.h"

namespace quern {

// Reads a C-ordered little-endian array. NumPy stores elements of types that it does not know, such
// as bf16, as raw bytes ('<V2') or numbers ('<u2'), so `expected` tells what they are; a file whose
// shape or element type differs from it is an error.
// kInvalidArgument then and if the file is malformed, cut or too long, with the path.
absl::StatusOr<Tensor> ReadNpy(const std::string& path, const TensorType& expected);
absl::Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace quern

#endif  // QUERN_BUNDLE_NPY_H_
