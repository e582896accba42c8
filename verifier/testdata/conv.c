// A convolution of 3x3 with a border of zeros, every second position; one block a row.
void conv(const float* restrict x, const float* restrict w, float* restrict y, long bx, long by,
          long bz) {
  for (long c = 0; c < 5; ++c) {
    for (long o = 0; o < 6; ++o) {
      float sum = 0;
      for (long i = 0; i < 3; ++i) {
        for (long j = 0; j < 3; ++j) {
          const long row = bx * 2 + i - 1, column = c * 2 + j - 1;
          if (row < 0 || row >= 9 || column < 0 || column >= 9) continue;
          for (long f = 0; f < 4; ++f) {
            sum += x[(row * 9 + column) * 4 + f] * w[((i * 3 + j) * 4 + f) * 6 + o];
          }
        }
      }
      y[(bx * 5 + c) * 6 + o] = sum;
    }
  }
}
