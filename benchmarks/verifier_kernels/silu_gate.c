// SwiGLU's gate: x sigmoid(x) y.
// grid: 128 1 1
// mutant 1: the sign of the exponent
// mutant 2: the gate and the value are swapped
#include <math.h>
void kernel(const float* restrict x, const float* restrict y, float* restrict out, long bx, long by,
            long bz) {
  for (long j = 0; j < 2048; ++j) {
    long i = bx * 2048 + j;
#if MUTANT == 1
    out[i] = x[i] / (1 + expf(x[i])) * y[i];
#elif MUTANT == 2
    out[i] = y[i] / (1 + expf(-y[i])) * x[i];
#else
    out[i] = x[i] / (1 + expf(-x[i])) * y[i];
#endif
  }
}
// assume: arg0 in [-80,80]
