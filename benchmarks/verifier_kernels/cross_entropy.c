// The loss of each row against a distribution.
// grid: 128 1 1
// mutant 1: the sign of the loss
// mutant 2: the greatest element is not added back
#include <math.h>
void kernel(const float* restrict x, const float* restrict p, float* restrict out, long bx, long by,
            long bz) {
  const float *row = x + bx * 256, *target = p + bx * 256;
  float m = -__builtin_inff(), sum = 0, loss = 0;
  for (long j = 0; j < 256; ++j) m = __builtin_elementwise_maximum(m, row[j]);
  for (long j = 0; j < 256; ++j) sum += expf(row[j] - m);
  float l = logf(sum);
#if MUTANT == 1
  for (long j = 0; j < 256; ++j) loss += target[j] * ((row[j] - m) - l);
  out[bx] = loss;
#elif MUTANT == 2
  for (long j = 0; j < 256; ++j) loss += target[j] * (row[j] - l);
  out[bx] = -loss;
#else
  for (long j = 0; j < 256; ++j) loss += target[j] * ((row[j] - m) - l);
  out[bx] = -loss;
#endif
}
