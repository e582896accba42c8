// Transcendental functions, rounding and predicates.
#include "frontend/functions.h"
#include "ir/stablehlo/chlo.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quern::frontend {

Elementwise FindFunction(mlir::Operation& op, ElementType type) {
  return llvm::TypeSwitch<mlir::Operation*, Elementwise>(&op)
#define QUERN_ELEMENTWISE(op, function, operands) \
  .Case([&](op) { return FindLoop<function, operands>(type); })
#include "frontend/elementwise.def"
#undef QUERN_ELEMENTWISE
      .Default([](mlir::Operation*) { return nullptr; });
}

}  // namespace quern::frontend
