// A transposition in tiles through a local array.
// grid: 32 32 1
// mutant 1: the tile is not transposed
// mutant 2: the last row of the tile is not loaded
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  float tile[32][33];
#if MUTANT == 2
  for (long i = 0; i < 31; ++i)
#else
  for (long i = 0; i < 32; ++i)
#endif
    for (long j = 0; j < 32; ++j) tile[i][j] = x[(by * 32 + i) * 1024 + bx * 32 + j];
  for (long i = 0; i < 32; ++i)
    for (long j = 0; j < 32; ++j)
#if MUTANT == 1
      out[(bx * 32 + i) * 1024 + by * 32 + j] = tile[i][j];
#else
      out[(bx * 32 + i) * 1024 + by * 32 + j] = tile[j][i];
#endif
}
