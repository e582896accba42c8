// Sums of the elements of a row up to each.
// grid: 8 1 1
// mutant 1: without the element itself
// mutant 2: starts at one
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  float sum = MUTANT == 2 ? 1 : 0;
  for (long j = 0; j < 48; ++j) {
#if MUTANT == 1
    out[bx * 48 + j] = sum;
    sum += x[bx * 48 + j];
#else
    sum += x[bx * 48 + j];
    out[bx * 48 + j] = sum;
#endif
  }
}
