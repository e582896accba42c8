// Attention of one head, a query at a time, scores in a local array.
// grid: 64 1 1
// mutant 1: no scale
// mutant 2: the last key is not summed
// mutant 3: the values of another key
#include <math.h>
void kernel(const float* restrict q, const float* restrict k, const float* restrict v,
            float* restrict out, long bx, long by, long bz) {
  float scores[64], m = -__builtin_inff(), sum = 0;
  for (long j = 0; j < 64; ++j) {
    float dot = 0;
    for (long d = 0; d < 32; ++d) dot += q[bx * 32 + d] * k[j * 32 + d];
#if MUTANT == 1
    scores[j] = dot;
#else
    scores[j] = dot * 0.125f;
#endif
    m = __builtin_elementwise_maximum(m, scores[j]);
  }
  for (long j = 0; j < 64; ++j) scores[j] = expf(scores[j] - m);
#if MUTANT == 2
  for (long j = 0; j < 63; ++j) sum += scores[j];
#else
  for (long j = 0; j < 64; ++j) sum += scores[j];
#endif
  for (long d = 0; d < 32; ++d) {
    float mix = 0;
#if MUTANT == 3
    for (long j = 0; j < 64; ++j) mix += scores[j] / sum * v[(63 - j) * 32 + d];
#else
    for (long j = 0; j < 64; ++j) mix += scores[j] / sum * v[j * 32 + d];
#endif
    out[bx * 32 + d] = mix;
  }
}
// assume: arg0 in [-8,8]
// assume: arg1 in [-8,8]
