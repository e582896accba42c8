#include "frontend/context.h"

#include "ir/program/program.h"
#include "ir/sdy/sdy.h"
#include "ir/stablehlo/check.h"
#include "ir/stablehlo/chlo.h"
#include "ir/stablehlo/stablehlo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

std::unique_ptr<mlir::MLIRContext> MakeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<mlir::func::FuncDialect, stablehlo::StableHloDialect, chlo::ChloDialect,
                       check::CheckDialect, program::QuernDialect, sdy::SdyDialect>();
  // Attributes of other projects mean nothing here, and their ops get a message of our own.
  context->allowUnregisteredDialects();
  return context;
}

}  // namespace quern::frontend
