// Sums of rows, four partial sums at a time.
// grid: 512 1 1
// mutant 1: a partial sum is dropped
// mutant 2: a partial sum counts twice
// mutant 3: partial sums start uninitialised
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
#if MUTANT == 3
  float s0, s1 = 0, s2 = 0, s3 = 0;
#else
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#endif
  for (long j = 0; j < 4096; j += 4) {
    s0 += x[bx * 4096 + j];
    s1 += x[bx * 4096 + j + 1];
    s2 += x[bx * 4096 + j + 2];
    s3 += x[bx * 4096 + j + 3];
  }
#if MUTANT == 1
  out[bx] = (s0 + s1) + s2;
#elif MUTANT == 2
  out[bx] = (s0 + s1) + (s2 + s2);
#else
  out[bx] = (s0 + s1) + (s2 + s3);
#endif
}
