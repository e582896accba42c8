// Complex numbers as pairs of real tensors.
#ifndef QUERN_FRONTEND_EXPAND_COMPLEX_H_
#define QUERN_FRONTEND_EXPAND_COMPLEX_H_

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace quern::frontend {

// Rewrites a function so that it computes on real tensors alone: each complex value is two, its
// real and its imaginary part (frontend/complex_op.h), and fft is sums of products with roots of
// unity (frontend/expand_fft.h). An argument or a result of type tensor<...xcomplex<T>> becomes
// tensor<...x2xT>, which has the same bytes. An op that has no such form, such as an fft of a large
// prime length, stays as it is, between ops that take its operands together and its results apart.
void ExpandComplex(mlir::func::FuncOp function);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_EXPAND_COMPLEX_H_
