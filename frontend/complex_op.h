// One op on complex numbers, as ops on their parts.
#ifndef QUERN_FRONTEND_COMPLEX_OP_H_
#define QUERN_FRONTEND_COMPLEX_OP_H_

#include <optional>

#include "frontend/complex_parts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace quern::frontend {

class ComplexOp {
 public:
  // `parts_of`, which must live as long, gives a real value as the real part and no imaginary one.
  ComplexOp(Steps& steps, llvm::function_ref<Parts(mlir::Value)> parts_of)
      : steps_(steps), parts_of_(parts_of) {}

  // What stands for the result of an op that has one, and no regions: for a complex one, and for
  // one that is none. Nothing for an op without such a form.
  std::optional<Parts> Complex(mlir::Operation* op);
  mlir::Value Real(mlir::Operation* op);

 private:
  Parts Twice(mlir::Operation* op);
  std::optional<Parts> Products(mlir::Operation* op);
  Parts Convert(stablehlo::ConvertOp op);
  Parts Bitcast(stablehlo::BitcastConvertOp op);
  std::optional<Parts> Elementwise(mlir::Operation* op);

  Steps& steps_;
  llvm::function_ref<Parts(mlir::Value)> parts_of_;
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_COMPLEX_OP_H_
