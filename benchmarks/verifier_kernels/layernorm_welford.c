// Mean and variance of rows by Welford's recurrence.
// grid: 64 1 1
// mutant 1: the second moment by the old mean twice
#include <math.h>
void kernel(const float* restrict x, float* restrict mean_out, float* restrict variance_out,
            long bx, long by, long bz) {
  const float* row = x + bx * 64;
  float mean = 0, m2 = 0;
  for (long j = 0; j < 64; ++j) {
    float d = row[j] - mean;
    float next = mean + d / (float)(j + 1);
#if MUTANT == 1
    m2 += d * d;
#else
    m2 += d * (row[j] - next);
#endif
    mean = next;
  }
  mean_out[bx] = mean;
  variance_out[bx] = m2 / 64;
}
