// Attention of one head in which a query sees the keys up to its own: later ones are not looked at.
// grid: 32 1 1
// assume: arg0 in [-8,8]
// assume: arg1 in [-8,8]
// mutant 1: the query's own key is not seen
// mutant 2: one key too many is seen
// mutant 3: divided by the sum over all keys
#include <math.h>
void kernel(const float* restrict q, const float* restrict k, const float* restrict v,
            float* restrict out, long bx, long by, long bz) {
  float scores[32], m = -__builtin_inff(), sum = 0;
#if MUTANT == 1
  const long keys = bx == 0 ? 1 : bx;
#elif MUTANT == 2
  const long keys = bx == 31 ? 32 : bx + 2;
#else
  const long keys = bx + 1;
#endif
  for (long j = 0; j < (MUTANT == 3 ? 32 : keys); ++j) {
    float dot = 0;
    for (long d = 0; d < 16; ++d) dot += q[bx * 16 + d] * k[j * 16 + d];
    scores[j] = dot * 0.25f;
    m = __builtin_elementwise_maximum(m, scores[j]);
  }
  for (long j = 0; j < (MUTANT == 3 ? 32 : keys); ++j) {
    scores[j] = expf(scores[j] - m);
    sum += scores[j];
  }
  for (long d = 0; d < 16; ++d) {
    float mix = 0;
    for (long j = 0; j < keys; ++j) mix += scores[j] / sum * v[j * 16 + d];
    out[bx * 16 + d] = mix;
  }
}
