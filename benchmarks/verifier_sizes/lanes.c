// Work for the concrete machine: sums of products, LANES at a time.
typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));
void kernel(const float* restrict a, const float* restrict b, float* restrict c, long bx, long by,
            long bz) {
  for (long j = 0; j < N; j += LANES) {
    Vector sum = {};
    for (long k = 0; k < N; ++k) sum += a[bx * N + k] * *(const Vector*)(b + k * N + j);
    *(Vector*)(c + bx * N + j) = sum;
  }
}
