// The `stablehlo` dialect's C++ types; stablehlo.td lists the ops.
#ifndef QUERN_IR_STABLEHLO_STABLEHLO_H_
#define QUERN_IR_STABLEHLO_STABLEHLO_H_

#include <cstdint>
#include <optional>

#include "bundle/tensor_type.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/stablehlo/stablehlo_dialect.h.inc"
#include "ir/stablehlo/stablehlo_enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/stablehlo/stablehlo_attributes.h.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/stablehlo_ops.h.inc"

namespace quern::stablehlo {

// Signless integers are signed, i1 is a bool. nullopt for a type that quern lacks.
std::optional<ElementType> ToElementType(mlir::Type type);

// The tensor type of the bundle; nullopt for a dynamic shape or an element type that quern lacks.
std::optional<TensorType> ToTensorType(mlir::Type type);

}  // namespace quern::stablehlo

#endif  // QUERN_IR_STABLEHLO_STABLEHLO_H_
