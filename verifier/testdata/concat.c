// Two matrices side by side, the second from the right; one block a row.
void concat(const double* restrict a, const double* restrict b, double* restrict y, long bx,
            long by, long bz) {
  for (long j = 0; j < 5; ++j) y[bx * 16 + j] = a[bx * 5 + j];
  for (long j = 0; j < 11; ++j) y[bx * 16 + 5 + j] = b[bx * 11 + 10 - j];
}
