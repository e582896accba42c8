// Attention of 8 heads, a query at a time: keys in blocks of 64, sums rescaled as greater scores come.
// grid: 512 8 1
// error-ratio: 8
// mutant 1: the sum is not rescaled
// mutant 2: the mix is rescaled by the square
// mutant 3: the last block is left out
// mutant 4: the greatest score of a block before it is scaled
#include <math.h>
#define KEYS 512
#define WIDTH 64
#define BLOCK 64
void kernel(const float* restrict q, const float* restrict k, const float* restrict v,
            float* restrict out, long bx, long by, long bz) {
  const float* query = q + (by * 512 + bx) * WIDTH;
  float mix[WIDTH] = {}, scores[BLOCK], m = -__builtin_inff(), sum = 0;
#if MUTANT == 3
  for (long block = 0; block < KEYS - BLOCK; block += BLOCK) {
#else
  for (long block = 0; block < KEYS; block += BLOCK) {
#endif
    const float* keys = k + (by * KEYS + block) * WIDTH;
    const float* values = v + (by * KEYS + block) * WIDTH;
    float next = m;
    for (long j = 0; j < BLOCK; ++j) {
      float dot = 0;
      for (long d = 0; d < WIDTH; ++d) dot += query[d] * keys[j * WIDTH + d];
      scores[j] = dot * 0.125f;
#if MUTANT == 4
      next = __builtin_elementwise_maximum(next, dot);
#else
      next = __builtin_elementwise_maximum(next, scores[j]);
#endif
    }
    float scale = expf(m - next);
#if MUTANT != 1
    sum *= scale;
#endif
#if MUTANT == 2
    scale *= scale;
#endif
    for (long d = 0; d < WIDTH; ++d) mix[d] *= scale;
    for (long j = 0; j < BLOCK; ++j) {
      float p = expf(scores[j] - next);
      sum += p;
      for (long d = 0; d < WIDTH; ++d) mix[d] += p * values[j * WIDTH + d];
    }
    m = next;
  }
  for (long d = 0; d < WIDTH; ++d) out[(by * 512 + bx) * WIDTH + d] = mix[d] / sum;
}
// assume: arg0 in [-8,8]
// assume: arg1 in [-8,8]
