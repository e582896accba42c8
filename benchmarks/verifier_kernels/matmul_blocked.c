// A matrix product in blocks of 4 x 16 sums that a local array holds.
// grid: 96 24 1
// mutant 1: a sum is not cleared
// mutant 2: the block of rows starts a row late
void kernel(const float* restrict a, const float* restrict b, float* restrict c, long bx, long by,
            long bz) {
  float sums[4][16];
#if MUTANT == 1
  for (long i = 0; i < 3; ++i)
#else
  for (long i = 0; i < 4; ++i)
#endif
    for (long j = 0; j < 16; ++j) sums[i][j] = 0;
#if MUTANT == 2
  const float* rows = a + (bx * 4 + 1) % 384 * 384;
#else
  const float* rows = a + bx * 4 * 384;
#endif
  for (long k = 0; k < 384; ++k)
    for (long i = 0; i < 4; ++i)
      for (long j = 0; j < 16; ++j) sums[i][j] += rows[i * 384 + k] * b[k * 384 + by * 16 + j];
  for (long i = 0; i < 4; ++i)
    for (long j = 0; j < 16; ++j) c[(bx * 4 + i) * 384 + by * 16 + j] = sums[i][j];
}
