// Root-mean-square normalisation with a scale.
// grid: 256 1 1
// mutant 1: the sum instead of the mean of squares
// mutant 2: the scale of the row
#include <math.h>
void kernel(const float* restrict x, const float* restrict gamma, float* restrict out, long bx,
            long by, long bz) {
  const float* row = x + bx * 1024;
  float squares = 0;
  for (long j = 0; j < 1024; ++j) squares += row[j] * row[j];
#if MUTANT == 1
  float scale = 1 / sqrtf(squares + 1e-6f);
#else
  float scale = 1 / sqrtf(squares / 1024 + 1e-6f);
#endif
#if MUTANT == 2
  for (long j = 0; j < 1024; ++j) out[bx * 1024 + j] = row[j] * scale * gamma[bx];
#else
  for (long j = 0; j < 1024; ++j) out[bx * 1024 + j] = row[j] * scale * gamma[j];
#endif
}
