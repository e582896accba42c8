// One step of AdamW: the new weight and both moments.
// grid: 64 1 1
// mutant 1: the second moment of the plain gradient
// mutant 2: the decay has the wrong sign
// mutant 3: the old first moment in the step
#include <math.h>
void kernel(const float* restrict w, const float* restrict g, const float* restrict m,
            const float* restrict v, float* restrict w_out, float* restrict m_out,
            float* restrict v_out, long bx, long by, long bz) {
  for (long i = bx * 1024; i < bx * 1024 + 1024; ++i) {
    float m1 = 0.9f * m[i] + 0.1f * g[i];
#if MUTANT == 1
    float v1 = 0.999f * v[i] + 0.001f * g[i];
#else
    float v1 = 0.999f * v[i] + 0.001f * (g[i] * g[i]);
#endif
#if MUTANT == 3
    float step = m[i] / (sqrtf(v1) + 1e-8f);
#else
    float step = m1 / (sqrtf(v1) + 1e-8f);
#endif
#if MUTANT == 2
    w_out[i] = w[i] - 0.001f * (step - 0.01f * w[i]);
#else
    w_out[i] = w[i] - 0.001f * (step + 0.01f * w[i]);
#endif
    m_out[i] = m1;
    v_out[i] = v1;
  }
}
