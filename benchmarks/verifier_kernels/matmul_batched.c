// A batch of matrix products with bias and relu.
// grid: 64 32 1
// mutant 1: the bias of the row
// mutant 2: the matrix of another batch
void kernel(const float* restrict a, const float* restrict b, const float* restrict bias,
            float* restrict c, long bx, long by, long bz) {
  for (long j = 0; j < 32; ++j) {
    float sum = 0;
#if MUTANT == 2
    for (long k = 0; k < 48; ++k)
      sum += a[(bx * 32 + by) * 48 + k] * b[(63 - bx) * 1536 + k * 32 + j];
#else
    for (long k = 0; k < 48; ++k) sum += a[(bx * 32 + by) * 48 + k] * b[bx * 1536 + k * 32 + j];
#endif
#if MUTANT == 1
    sum += bias[by];
#else
    sum += bias[j];
#endif
    c[(bx * 32 + by) * 32 + j] = __builtin_elementwise_maximum(sum, 0.0f);
  }
}
