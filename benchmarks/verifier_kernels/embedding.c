// Rows of a table by numbers, which are moved into its range.
// grid: 32 1 1
// mutant 1: the row after
// mutant 2: not moved into the range at the upper end
void kernel(const float* restrict table, const int* restrict ids, float* restrict out, long bx, long by, long bz) {
  int id = ids[bx];
  id = __builtin_elementwise_max(id, 0);
#if MUTANT != 2
  id = __builtin_elementwise_min(id, 99);
#endif
#if MUTANT == 1
  id = __builtin_elementwise_min(id + 1, 99);
#endif
  for (long j = 0; j < 24; ++j) out[bx * 24 + j] = table[(long)id * 24 + j];
}
