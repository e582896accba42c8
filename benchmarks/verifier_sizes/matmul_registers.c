// The whole N x N product of matrices with K in between, 4 x 16 sums at a time in registers.
typedef float Vector __attribute__((vector_size(64), aligned(4)));
void kernel(const float* restrict a, const float* restrict b, float* restrict c, long bx, long by,
            long bz) {
  for (long j0 = 0; j0 < N; j0 += 16)
    for (long i0 = 0; i0 < N; i0 += 4) {
      const float* rows = a + i0 * K;
      Vector s0 = {}, s1 = {}, s2 = {}, s3 = {};
      for (long k = 0; k < K; ++k) {
        Vector x = *(const Vector*)(b + k * N + j0);
        s0 += rows[k] * x;
        s1 += rows[K + k] * x;
        s2 += rows[2 * K + k] * x;
        s3 += rows[3 * K + k] * x;
      }
      float* out = c + i0 * N + j0;
      *(Vector*)out = s0;
      *(Vector*)(out + N) = s1;
      *(Vector*)(out + 2 * N) = s2;
      *(Vector*)(out + 3 * N) = s3;
    }
}
