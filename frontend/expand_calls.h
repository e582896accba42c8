// Library functions whose meaning StableHLO's own ops can say.
#ifndef QUERN_FRONTEND_EXPAND_CALLS_H_
#define QUERN_FRONTEND_EXPAND_CALLS_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites chlo.top_k and custom calls of @mhlo.erf, @mhlo.tan and @mhlo.topk,
// @cu_threefry2x32_ffi and @hip_threefry2x32_ffi (JAX's random bits), and @lapack_?trsm_ffi. top_k
// sorts stably in the total order of floats. Other calls stay.
void ExpandCalls(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_CALLS_H_
