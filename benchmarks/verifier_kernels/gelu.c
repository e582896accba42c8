// The tanh form of GELU after a bias.
// grid: 512 1 1
// mutant 1: the bias of the row
// mutant 2: a constant in another digit
#include <math.h>
void kernel(const float* restrict x, const float* restrict bias, float* restrict out, long bx,
            long by, long bz) {
  for (long j = 0; j < 1024; ++j) {
#if MUTANT == 1
    float v = x[bx * 1024 + j] + bias[bx];
#else
    float v = x[bx * 1024 + j] + bias[j];
#endif
#if MUTANT == 2
    float t = tanhf(0.7978846f * (v + 0.044725f * (v * v * v)));
#else
    float t = tanhf(0.7978846f * (v + 0.044715f * (v * v * v)));
#endif
    out[bx * 1024 + j] = 0.5f * v * (1 + t);
  }
}
