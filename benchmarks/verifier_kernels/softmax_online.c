// Softmax of rows whose sum is rescaled as greater elements come.
// grid: 64 1 1
// error-ratio: 16
// mutant 1: the sum is not rescaled
// mutant 2: rescaled with the wrong sign
#include <math.h>
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  const float* row = x + bx * 256;
  float m = row[0], sum = 1;
  for (long j = 1; j < 256; ++j) {
    float next = __builtin_elementwise_maximum(m, row[j]);
#if MUTANT == 1
    sum = sum + expf(row[j] - next);
#elif MUTANT == 2
    sum = sum * expf(next - m) + expf(row[j] - next);
#else
    sum = sum * expf(m - next) + expf(row[j] - next);
#endif
    m = next;
  }
  for (long j = 0; j < 256; ++j) out[bx * 256 + j] = expf(row[j] - m) / sum;
}
