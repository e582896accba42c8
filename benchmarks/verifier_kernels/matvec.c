// A matrix times a vector, eight partial sums.
// grid: 1024 1 1
// mutant 1: seven of eight partial sums
// mutant 2: the vector starts an element late
void kernel(const float* restrict a, const float* restrict x, float* restrict y, long bx, long by,
            long bz) {
  float sums[8] = {0};
  for (long k = 0; k < 4096; k += 8)
    for (long u = 0; u < 8; ++u)
#if MUTANT == 2
      sums[u] += a[bx * 4096 + k + u] * x[(k + u + 1) % 4096];
#else
      sums[u] += a[bx * 4096 + k + u] * x[k + u];
#endif
  float sum = 0;
#if MUTANT == 1
  for (long u = 1; u < 8; ++u) sum += sums[u];
#else
  for (long u = 0; u < 8; ++u) sum += sums[u];
#endif
  y[bx] = sum;
}
