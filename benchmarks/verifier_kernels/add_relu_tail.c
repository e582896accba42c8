// An element-wise kernel over rows of an odd length.
// grid: 1000 1 1
// mutant 1: a column too many
// mutant 2: the tail is dropped
// mutant 3: relu by a select at another threshold
void kernel(const float* restrict x, const float* restrict y, float* restrict out, long bx, long by,
            long bz) {
#if MUTANT == 1
  for (long j = 0; j <= 1003; ++j) {
#elif MUTANT == 2
  for (long j = 0; j < 1000; ++j) {
#else
  for (long j = 0; j < 1003; ++j) {
#endif
    float sum = x[bx * 1003 + j] + y[bx * 1003 + j];
#if MUTANT == 3
    out[bx * 1003 + j] = sum > 1e-3f ? sum : 0;
#else
    out[bx * 1003 + j] = __builtin_elementwise_maximum(sum, 0.0f);
#endif
  }
}
