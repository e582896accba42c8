// A product of bytes in integers, scaled.
// grid: 16 1 1
// mutant 1: sums in 16 bits
// mutant 2: the scale of the row instead of the column
void kernel(const signed char* restrict a, const signed char* restrict b, const float* restrict scale, float* restrict out,
            long bx, long by, long bz) {
  for (long j = 0; j < 16; ++j) {
#if MUTANT == 1
    short sum = 0;
    for (long k = 0; k < 64; ++k) sum = (short)(sum + a[bx * 64 + k] * b[k * 16 + j]);
#else
    int sum = 0;
    for (long k = 0; k < 64; ++k) sum += a[bx * 64 + k] * b[k * 16 + j];
#endif
    out[bx * 16 + j] = (float)sum * scale[MUTANT == 2 ? bx : j];
  }
}
