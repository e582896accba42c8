// What the verifiers of structural.td share.
#ifndef QUERN_IR_STABLEHLO_VERIFY_H_
#define QUERN_IR_STABLEHLO_VERIFY_H_

#include <cstdint>

#include "ir/stablehlo/stablehlo.h"

namespace quern::stablehlo {

inline mlir::RankedTensorType Ranked(mlir::Type type) {
  return llvm::cast<mlir::RankedTensorType>(type);
}
inline mlir::RankedTensorType Ranked(mlir::Value value) { return Ranked(value.getType()); }

// tensor<E> of an operand tensor<..xE>.
mlir::RankedTensorType ScalarOf(mlir::Value value);

// Whether each dimension is from 0 to below `rank`, and none comes twice.
bool AreDistinct(llvm::ArrayRef<int64_t> dimensions, int64_t rank);
bool AreSorted(llvm::ArrayRef<int64_t> dimensions);
llvm::SmallVector<int64_t> Concatenated(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// The dimensions below `rank` that are not in `taken`, ascending.
llvm::SmallVector<int64_t> Others(llvm::ArrayRef<int64_t> taken, int64_t rank);

// Whether a body may work on elements of type `to` where an operand has `from`: the same type, or a
// wider one of the same kind.
bool Promotes(mlir::Type from, mlir::Type to);

// The scalar types that a body with two arguments for each of `operands` works on, as far as these
// promote to them, else the operands' own.
llvm::SmallVector<mlir::Type> BodyScalars(mlir::Region& body, mlir::ValueRange operands);

// Diagnoses a region whose arguments or returned values have other types; `name` is the region's.
mlir::LogicalResult CheckRegion(mlir::Operation* op, mlir::Region& region, llvm::StringRef name,
                                mlir::TypeRange arguments, mlir::TypeRange returned);

// Diagnoses a result of another type than tensor<shape x element>.
mlir::LogicalResult CheckResult(mlir::Operation* op, mlir::Value result,
                                llvm::ArrayRef<int64_t> shape, mlir::Type element);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_VERIFY_H_
