// Constants as tensors.
#ifndef QUERN_IR_STABLEHLO_CONSTANT_H_
#define QUERN_IR_STABLEHLO_CONSTANT_H_

#include "absl/status/statusor.h"
#include "bundle/tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace quern::stablehlo {

// The elements of a dense constant, splats spread out. kInvalidArgument for elided data or a type
// that quern lacks, kResourceExhausted if memory cannot hold it.
absl::StatusOr<Tensor> ToTensor(mlir::ElementsAttr value);

// The constant of `type`, the tensor's own, with its bits; a splat if all elements are equal.
mlir::DenseElementsAttr FromTensor(const Tensor& tensor, mlir::RankedTensorType type);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_CONSTANT_H_
