// Conversions between element types, one element at a time.
#ifndef QUERN_SEARCH_NAIVE_CONVERT_H_
#define QUERN_SEARCH_NAIVE_CONVERT_H_

#include "mlir/IR/Builders.h"

namespace quern::search {

// A scalar of element type `from`, as stablehlo.convert makes it one of `to`: floats round once,
// toward zero and into the range to integers; integers keep their low bits.
mlir::Value ConvertScalar(mlir::OpBuilder& builder, mlir::Value value, mlir::Type from,
                          mlir::Type to);

// The signed integer whose order is IEEE 754's total order of a float.
mlir::Value TotalOrderKey(mlir::OpBuilder& builder, mlir::Value number);

// What stablehlo.reduce_precision makes of a float of an IEEE format.
mlir::Value ReducePrecision(mlir::OpBuilder& builder, mlir::Value number, int exponent_bits,
                            int mantissa_bits);

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_CONVERT_H_
