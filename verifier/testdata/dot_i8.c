// Products of bytes, summed as wider integers; one block a row.
void dot_i8(const signed char* restrict a, const signed char* restrict b, int* restrict y, long bx,
            long by, long bz) {
  for (long j = 0; j < 6; ++j) {
    int sum = 0;
    for (long k = 0; k < 40; ++k) sum += a[bx * 40 + k] * b[k * 6 + j];
    y[bx * 6 + j] = sum;
  }
}
