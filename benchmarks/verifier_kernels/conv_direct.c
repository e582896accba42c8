// 3x3 convolution of an image, channels last, without padding.
// grid: 14 1 1
// mutant 1: the kernel is read transposed
// mutant 2: the last channel is left out
void kernel(const float* restrict x, const float* restrict w, float* restrict out, long bx, long by, long bz) {
  for (long j = 0; j < 14; ++j) {
    for (long o = 0; o < 16; ++o) {
      float sum = 0;
      for (long a = 0; a < 3; ++a) {
        for (long b = 0; b < 3; ++b) {
          for (long c = 0; c < 8 - (MUTANT == 2); ++c) {
#if MUTANT == 1
            sum += x[((bx + a) * 16 + j + b) * 8 + c] * w[((b * 3 + a) * 8 + c) * 16 + o];
#else
            sum += x[((bx + a) * 16 + j + b) * 8 + c] * w[((a * 3 + b) * 8 + c) * 16 + o];
#endif
          }
        }
      }
      out[(bx * 14 + j) * 16 + o] = sum;
    }
  }
}
