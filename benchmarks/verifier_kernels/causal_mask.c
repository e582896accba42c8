// Scores above the diagonal become minus infinity.
// grid: 512 1 1
// mutant 1: the diagonal is masked too
// mutant 2: masked scores are 0
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
  for (long j = 0; j < 512; ++j) {
#if MUTANT == 1
    out[bx * 512 + j] = j < bx ? x[bx * 512 + j] : -__builtin_inff();
#elif MUTANT == 2
    out[bx * 512 + j] = j <= bx ? x[bx * 512 + j] : 0;
#else
    out[bx * 512 + j] = j <= bx ? x[bx * 512 + j] : -__builtin_inff();
#endif
  }
}
