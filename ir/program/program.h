// The `quern` dialect's C++ types; program.td says what each op means.
#ifndef QUERN_IR_PROGRAM_PROGRAM_H_
#define QUERN_IR_PROGRAM_PROGRAM_H_

#include <cstdint>

#include "bundle/layout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/program/program_dialect.h.inc"
#include "ir/program/program_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/program/program_attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/program/program_types.h.inc"

#define GET_OP_CLASSES
#include "ir/program/program_ops.h.inc"

namespace quern::program {

// Between the attribute and the bundle's Layout.
Layout ToLayout(LayoutAttr attribute);
LayoutAttr FromLayout(mlir::MLIRContext* context, const Layout& layout);

// The type of one element of a buffer outside of it: integers lose their sign, which the ops on
// them have instead.
mlir::Type ScalarType(mlir::Type element);

}  // namespace quern::program

#endif  // QUERN_IR_PROGRAM_PROGRAM_H_
