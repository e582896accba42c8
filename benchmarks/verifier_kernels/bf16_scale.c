// bf16 storage: widened, scaled and rounded once.
// grid: 128 1 1
// mutant 1: the sum is rounded between
void kernel(const __bf16* restrict x, const __bf16* restrict y, float* restrict out, long bx,
            long by, long bz) {
  for (long j = 0; j < 512; ++j) {
    float a = (float)x[bx * 512 + j], b = (float)y[bx * 512 + j];
#if MUTANT == 1
    out[bx * 512 + j] = (float)(__bf16)(a + b) * 0.5f;
#else
    out[bx * 512 + j] = (a + b) * 0.5f;
#endif
  }
}
