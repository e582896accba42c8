// A matrix product, one element after another.
// grid: 256 1 1
// mutant 1: a product too few
// mutant 2: another row of b, same footprint
// mutant 3: the factors are swapped
void kernel(const float* restrict a, const float* restrict b, float* restrict c, long bx, long by,
            long bz) {
  for (long j = 0; j < 256; ++j) {
    float sum = 0;
#if MUTANT == 1
    for (long k = 0; k < 255; ++k) sum += a[bx * 256 + k] * b[k * 256 + j];
#elif MUTANT == 2
    for (long k = 0; k < 256; ++k) sum += a[bx * 256 + k] * b[(255 - k) * 256 + j];
#elif MUTANT == 3
    for (long k = 0; k < 256; ++k) sum += b[bx * 256 + k] * a[k * 256 + j];
#else
    for (long k = 0; k < 256; ++k) sum += a[bx * 256 + k] * b[k * 256 + j];
#endif
    c[bx * 256 + j] = sum;
  }
}
