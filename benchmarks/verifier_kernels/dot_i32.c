// Integer dot products of rows, which wrap.
// grid: 256 1 1
// mutant 1: sums in 16 bits
// mutant 2: a signed sum that must not overflow
void kernel(const int* restrict x, const int* restrict y, int* restrict out, long bx, long by,
            long bz) {
#if MUTANT == 1
  short sum = 0;
  for (long k = 0; k < 512; ++k) sum += (short)(x[bx * 512 + k] * y[bx * 512 + k]);
  out[bx] = sum;
#elif MUTANT == 2
  int sum = 0;
  for (long k = 0; k < 512; ++k) sum += x[bx * 512 + k] * y[bx * 512 + k];
  out[bx] = sum;
#else
  unsigned sum = 0;
  for (long k = 0; k < 512; ++k) sum += (unsigned)x[bx * 512 + k] * (unsigned)y[bx * 512 + k];
  out[bx] = (int)sum;
#endif
}
