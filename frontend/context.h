// The MLIR context that programs of quern live in.
#ifndef QUERN_FRONTEND_CONTEXT_H_
#define QUERN_FRONTEND_CONTEXT_H_

#include <memory>

#include "mlir/IR/MLIRContext.h"

namespace quern::frontend {

// With func, stablehlo, check, sdy and quern loaded; one thread.
std::unique_ptr<mlir::MLIRContext> MakeContext();

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_CONTEXT_H_
