// Systems of linear equations over complex numbers, as real ones of twice the size.
#ifndef QUERN_FRONTEND_COMPLEX_LINEAR_H_
#define QUERN_FRONTEND_COMPLEX_LINEAR_H_

#include "frontend/complex_parts.h"

namespace quern::frontend {

// The result of an op from the parts of its operands, in f64 and rounded once. A number a + bi is
// the real matrix [[a, -b], [b, a]], whose sums and products are the number's: a Cholesky factor,
// whose diagonal is real, is that of the real matrix, and a triangular system is one once its rows
// are divided by their diagonal elements.
Parts ExpandSolve(Steps& steps, stablehlo::TriangularSolveOp op, Parts a, Parts b);
Parts ExpandCholesky(Steps& steps, stablehlo::CholeskyOp op, Parts a);

}  // namespace quern::frontend

#endif  // QUERN_FRONTEND_COMPLEX_LINEAR_H_
