// The greatest element of each row and where it is first.
// grid: 64 1 1
// mutant 1: where it is last
void kernel(const float* restrict x, float* restrict value, int* restrict index, long bx, long by,
            long bz) {
  float best = -__builtin_inff();
  int at = 0;
  for (int j = 0; j < 128; ++j) {
    float v = x[bx * 128 + j];
#if MUTANT == 1
    if (v >= best) {
#else
    if (v > best) {
#endif
      best = v;
      at = j;
    }
  }
  value[bx] = best;
  index[bx] = at;
}
