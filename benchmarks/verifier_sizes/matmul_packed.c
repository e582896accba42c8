// The whole N x N product of matrices with K in between, in blocks of 128 of it: a panel of 16
// columns of b is packed, and sums wait in c from one block to the next.
void kernel(const float* restrict a, const float* restrict b, float* restrict c,
            float* restrict pack, long bx, long by, long bz) {
  for (long j0 = 0; j0 < N; j0 += 16)
    for (long k0 = 0; k0 < K; k0 += 128) {
      for (long k = 0; k < 128; ++k)
        for (long j = 0; j < 16; ++j) pack[k * 16 + j] = b[(k0 + k) * N + j0 + j];
      for (long i0 = 0; i0 < N; i0 += 4) {
        float sums[4][16];
        for (long i = 0; i < 4; ++i)
          for (long j = 0; j < 16; ++j) sums[i][j] = k0 == 0 ? 0 : c[(i0 + i) * N + j0 + j];
        for (long k = 0; k < 128; ++k)
          for (long i = 0; i < 4; ++i)
            for (long j = 0; j < 16; ++j) sums[i][j] += a[(i0 + i) * K + k0 + k] * pack[k * 16 + j];
        for (long i = 0; i < 4; ++i)
          for (long j = 0; j < 16; ++j) c[(i0 + i) * N + j0 + j] = sums[i][j];
      }
    }
}
