// y + a x, with the factor a scalar argument.
// grid: 256 1 1
// mutant 1: the factor is ignored
// mutant 2: blocks overlap by one element
void kernel(const float* restrict a, const float* restrict x, const float* restrict y,
            float* restrict out, long bx, long by, long bz) {
#if MUTANT == 1
  float factor = 1;
#else
  float factor = a[0];
#endif
#if MUTANT == 2
  for (long i = bx * 256; i <= bx * 256 + 256; ++i) {
#else
  for (long i = bx * 256; i < bx * 256 + 256; ++i) {
#endif
    out[i] = factor * x[i] + y[i];
  }
}
