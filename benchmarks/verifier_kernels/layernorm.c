// Layer normalisation in two passes.
// grid: 128 1 1
// mutant 1: the variance of one element too few
// mutant 2: no epsilon
// mutant 3: gamma and beta are swapped
#include <math.h>
void kernel(const float* restrict x, const float* restrict gamma, const float* restrict beta,
            float* restrict out, long bx, long by, long bz) {
  const float* row = x + bx * 768;
  float sum = 0, squares = 0;
  for (long j = 0; j < 768; ++j) sum += row[j];
  float mean = sum / 768;
#if MUTANT == 1
  for (long j = 0; j < 767; ++j) squares += (row[j] - mean) * (row[j] - mean);
#else
  for (long j = 0; j < 768; ++j) squares += (row[j] - mean) * (row[j] - mean);
#endif
#if MUTANT == 2
  float scale = 1 / sqrtf(squares / 768);
#else
  float scale = 1 / sqrtf(squares / 768 + 1e-5f);
#endif
#if MUTANT == 3
  for (long j = 0; j < 768; ++j) out[bx * 768 + j] = (row[j] - mean) * scale * beta[j] + gamma[j];
#else
  for (long j = 0; j < 768; ++j) out[bx * 768 + j] = (row[j] - mean) * scale * gamma[j] + beta[j];
#endif
}
