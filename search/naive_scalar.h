// One element of an element-wise StableHLO op, as scalar code.
#ifndef QUERN_SEARCH_NAIVE_SCALAR_H_
#define QUERN_SEARCH_NAIVE_SCALAR_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "mlir/IR/Builders.h"

namespace quern::search {

// kInvalidArgument: "file:line:column: 'op' why".
absl::Status Unsupported(mlir::Operation* op, std::string_view why);

// Whether EmitScalar knows the op's kind.
bool IsElementwise(mlir::Operation* op);

// The op applied to scalars, in its declared types.
absl::StatusOr<mlir::Value> EmitScalar(mlir::OpBuilder& builder, mlir::Operation* op,
                                       llvm::ArrayRef<mlir::Value> operands);

// arith.constant of a float type or a signless integer type; -1 is all ones.
mlir::Value ScalarConstant(mlir::OpBuilder& builder, mlir::Type type, double value);

}  // namespace quern::search

#endif  // QUERN_SEARCH_NAIVE_SCALAR_H_
