// The `check` dialect's C++ types; check.td lists the ops.
#ifndef QUERN_IR_STABLEHLO_CHECK_H_
#define QUERN_IR_STABLEHLO_CHECK_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "ir/stablehlo/check_dialect.h.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/check_ops.h.inc"

#endif  // QUERN_IR_STABLEHLO_CHECK_H_
