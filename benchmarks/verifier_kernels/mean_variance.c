// Mean and variance of rows.
// grid: 16 1 1
// mutant 1: the variance is divided by one less
// mutant 2: the mean of squares alone
void kernel(const float* restrict x, float* restrict mean, float* restrict variance, long bx, long by, long bz) {
  float sum = 0, squares = 0;
  for (long j = 0; j < 64; ++j) sum += x[bx * 64 + j];
  const float mu = sum * 0.015625f;
  for (long j = 0; j < 64; ++j) {
    const float d = MUTANT == 2 ? x[bx * 64 + j] : x[bx * 64 + j] - mu;
    squares += d * d;
  }
  mean[bx] = mu;
  variance[bx] = MUTANT == 1 ? squares / 63.0f : squares * 0.015625f;
}
