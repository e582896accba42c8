// A reshape as a copy of bytes.
// grid: 16 1 1
// mutant 1: a byte too few
#include <string.h>
void kernel(const float* restrict x, float* restrict out, long bx, long by, long bz) {
#if MUTANT == 1
  memcpy(out + bx * 4096, x + bx * 4096, 4096 * sizeof(float) - 1);
#else
  memcpy(out + bx * 4096, x + bx * 4096, 4096 * sizeof(float));
#endif
}
