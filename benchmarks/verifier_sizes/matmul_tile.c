// Blocks of TILE x TILE of an N x N product, each in parts of 4 x 16 sums in a local array.
void kernel(const float* restrict a, const float* restrict b, float* restrict c, long bx, long by,
            long bz) {
  for (long i0 = 0; i0 < TILE; i0 += 4)
    for (long j0 = 0; j0 < TILE; j0 += 16) {
      float sums[4][16] = {};
      const float* rows = a + (bx * TILE + i0) * N;
      const float* columns = b + by * TILE + j0;
      for (long k = 0; k < N; ++k)
        for (long i = 0; i < 4; ++i)
          for (long j = 0; j < 16; ++j) sums[i][j] += rows[i * N + k] * columns[k * N + j];
      for (long i = 0; i < 4; ++i)
        for (long j = 0; j < 16; ++j) c[(bx * TILE + i0 + i) * N + by * TILE + j0 + j] = sums[i][j];
    }
}
