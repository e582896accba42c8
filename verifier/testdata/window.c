// Eight columns from where an argument says, or as near as they fit; one block a row.
void window(const float* restrict x, const long* restrict start, float* restrict y, long bx,
            long by, long bz) {
  long first = *start;
  first = first < 0 ? 0 : first;
  first = first > 22 ? 22 : first;
  for (long j = 0; j < 8; ++j) y[bx * 8 + j] = x[bx * 30 + first + j];
}
