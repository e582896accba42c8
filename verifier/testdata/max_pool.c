// The maxima of windows of 3x3 at every second position, clipped at the border; one block a row.
void max_pool(const float* restrict x, float* restrict y, long bx, long by, long bz) {
  for (long c = 0; c < 5; ++c) {
    for (long f = 0; f < 4; ++f) {
      float most = -__builtin_inff();
      for (long i = 0; i < 3; ++i) {
        for (long j = 0; j < 3; ++j) {
          const long row = bx * 2 + i - 1, column = c * 2 + j - 1;
          if (row < 0 || row >= 9 || column < 0 || column >= 9) continue;
          most = __builtin_elementwise_maximum(most, x[(row * 9 + column) * 4 + f]);
        }
      }
      y[(bx * 5 + c) * 4 + f] = most;
    }
  }
}
