// Softmax of rows in three passes.
// grid: 256 1 1
// mutant 1: the greatest element is not subtracted from what is summed
// mutant 2: divides by one term too few
// mutant 3: the last element is not looked at for the greatest
#include <math.h>
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  const float* row = x + bx * 512;
  float m = -__builtin_inff(), sum = 0;
  for (long j = 0; j < 512 - (MUTANT == 3); ++j) m = __builtin_elementwise_maximum(m, row[j]);
#if MUTANT == 1
  for (long j = 0; j < 512; ++j) sum += expf(row[j]);
#elif MUTANT == 2
  for (long j = 0; j < 511; ++j) sum += expf(row[j] - m);
#else
  for (long j = 0; j < 512; ++j) sum += expf(row[j] - m);
#endif
  for (long j = 0; j < 512; ++j) out[bx * 512 + j] = expf(row[j] - m) / sum;
}
