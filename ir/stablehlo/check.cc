#include "ir/stablehlo/check.h"

#include "mlir/IR/Builders.h"

#include "ir/stablehlo/check_dialect.cc.inc"

#define GET_OP_CLASSES
#include "ir/stablehlo/check_ops.cc.inc"

namespace quern::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/stablehlo/check_ops.cc.inc"
      >();
}

}  // namespace quern::check
