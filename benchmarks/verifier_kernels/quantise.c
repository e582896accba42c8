// Numbers as bytes: scaled, rounded, moved into the range.
// grid: 16 1 1
// mutant 1: toward zero instead of to the nearest
// mutant 2: not moved into the range
void kernel(const float* restrict x, signed char* restrict out, long bx, long by, long bz) {
  for (long j = 0; j < 32; ++j) {
    float q = x[bx * 32 + j] * 16.0f;
#if MUTANT != 1
    q = __builtin_roundevenf(q);
#endif
#if MUTANT != 2
    q = __builtin_elementwise_minimum(__builtin_elementwise_maximum(q, -128.0f), 127.0f);
#endif
    out[bx * 32 + j] = (signed char)q;
  }
}
