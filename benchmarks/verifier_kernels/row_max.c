// The greatest element of each row.
// grid: 256 1 1
// mutant 1: starts at zero
// mutant 2: the first element is skipped
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
#if MUTANT == 1
  float m = 0;
#else
  float m = -__builtin_inff();
#endif
#if MUTANT == 2
  for (long j = 1; j < 1000; ++j) m = __builtin_elementwise_maximum(m, x[bx * 1000 + j]);
#else
  for (long j = 0; j < 1000; ++j) m = __builtin_elementwise_maximum(m, x[bx * 1000 + j]);
#endif
  out[bx] = m;
}
