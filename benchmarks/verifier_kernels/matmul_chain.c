// (a b) c with the product of the row and b in a local array.
// grid: 64 1 1
// mutant 1: the intermediate row misses its last element
void kernel(const float* restrict a, const float* restrict b, const float* restrict c,
            float* restrict out, long bx, long by, long bz) {
  float row[64];
  for (long j = 0; j < 64; ++j) {
    row[j] = 0;
    for (long k = 0; k < 64; ++k) row[j] += a[bx * 64 + k] * b[k * 64 + j];
  }
  for (long j = 0; j < 64; ++j) {
    float sum = 0;
#if MUTANT == 1
    for (long k = 0; k < 63; ++k) sum += row[k] * c[k * 64 + j];
#else
    for (long k = 0; k < 64; ++k) sum += row[k] * c[k * 64 + j];
#endif
    out[bx * 64 + j] = sum;
  }
}
