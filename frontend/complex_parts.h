// Complex numbers as two real tensors: what element-wise ops make of their parts.
#ifndef QUERN_FRONTEND_COMPLEX_PARTS_H_
#define QUERN_FRONTEND_COMPLEX_PARTS_H_

#include <optional>

#include "frontend/steps.h"
#include "mlir/IR/TypeUtilities.h"

namespace quern::frontend {

struct Parts {
  mlir::Value real, imaginary;
};

inline bool IsComplex(mlir::Type type) {
  return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
}

// Of each part of a tensor of complex numbers.
inline mlir::RankedTensorType PartType(mlir::Type type) {
  auto element = llvm::cast<mlir::ComplexType>(mlir::getElementTypeOrSelf(type)).getElementType();
  return llvm::cast<mlir::RankedTensorType>(type).clone(element);
}

// The arithmetic of parts, with the formulas of the interpreter: sums and products in the parts'
// type, quotients and functions in f64, rounded once. Results are within a few units in the last
// place of the interpreter's, measured by the larger part. A product or a quotient of an infinity
// follows its formula, and may be NaN where C's Annex G has an infinity.
class ComplexSteps {
 public:
  explicit ComplexSteps(Steps& steps) : steps_(steps) {}

  Parts Multiply(Parts a, Parts b);
  Parts Divide(Parts a, Parts b);
  mlir::Value Magnitude(Parts z);

  // Of an element-wise op with one complex result and operands of that type; nothing for another.
  std::optional<Parts> Function(mlir::Operation* op, llvm::ArrayRef<Parts> operands);
  // Whether a < b by their real parts, then by their imaginary ones.
  mlir::Value Less(Parts a, Parts b);
  mlir::Value Compare(stablehlo::ComparisonDirection direction, Parts a, Parts b);

 private:
  Steps& steps_;
};

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_COMPLEX_PARTS_H_
