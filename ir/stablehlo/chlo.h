// The `chlo` dialect's C++ types; chlo.td lists the ops.
#ifndef QUERN_IR_STABLEHLO_CHLO_H_
#define QUERN_IR_STABLEHLO_CHLO_H_

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/stablehlo/chlo_dialect.h.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/chlo_ops.h.inc"

#endif  // QUERN_IR_STABLEHLO_CHLO_H_
