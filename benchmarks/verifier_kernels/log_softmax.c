// Logarithms of the softmax of rows.
// grid: 64 1 1
// mutant 1: the logarithm of the greatest exponential instead of the sum
// mutant 2: the greatest element is taken away once only
#include <math.h>
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  const float* row = x + bx * 128;
  float m = -__builtin_inff(), sum = 0;
  for (long j = 0; j < 128; ++j) m = __builtin_elementwise_maximum(m, row[j]);
#if MUTANT == 1
  for (long j = 0; j < 128; ++j) sum = __builtin_elementwise_maximum(sum, expf(row[j] - m));
#else
  for (long j = 0; j < 128; ++j) sum += expf(row[j] - m);
#endif
  const float shift = logf(sum);
#if MUTANT == 2
  for (long j = 0; j < 128; ++j) out[bx * 128 + j] = row[j] - shift;
#else
  for (long j = 0; j < 128; ++j) out[bx * 128 + j] = (row[j] - m) - shift;
#endif
}
