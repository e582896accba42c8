// 3x3 convolution by Winograd's F(2x2, 3x3): four outputs of a tile for 16 products a channel.
// grid: 7 1 1
// error-ratio: 64
// mutant 1: a sign of the output's transform
// mutant 2: a half of the weights' transform is missing
// mutant 3: the tile is read transposed
static void data(const float x[4], float y[4]) {
  y[0] = x[0] - x[2];
  y[1] = x[1] + x[2];
  y[2] = x[2] - x[1];
  y[3] = x[1] - x[3];
}
static void weights(const float x[3], float y[4]) {
  y[0] = x[0];
  y[1] = 0.5f * (x[0] + x[1] + x[2]);
#if MUTANT == 2
  y[2] = x[0] - x[1] + x[2];
#else
  y[2] = 0.5f * (x[0] - x[1] + x[2]);
#endif
  y[3] = x[2];
}
static void result(const float x[4], float y[2]) {
  y[0] = x[0] + x[1] + x[2];
#if MUTANT == 1
  y[1] = x[1] - x[2] + x[3];
#else
  y[1] = x[1] - x[2] - x[3];
#endif
}
void kernel(const float* restrict x, const float* restrict w, float* restrict out, long bx, long by, long bz) {
  for (long tile = 0; tile < 7; ++tile) {
    for (long o = 0; o < 16; ++o) {
      float sums[4][4] = {};
      for (long c = 0; c < 8; ++c) {
        float d[4][4], e[4][4], g[4][3], h[4][4];
        for (long a = 0; a < 4; ++a) {
          float row[4];
          for (long b = 0; b < 4; ++b) {
#if MUTANT == 3
            row[b] = x[((2 * bx + b) * 16 + 2 * tile + a) * 8 + c];
#else
            row[b] = x[((2 * bx + a) * 16 + 2 * tile + b) * 8 + c];
#endif
          }
          data(row, d[a]);
        }
        for (long b = 0; b < 4; ++b) {
          float column[4] = {d[0][b], d[1][b], d[2][b], d[3][b]}, transformed[4];
          data(column, transformed);
          for (long a = 0; a < 4; ++a) e[a][b] = transformed[a];
        }
        for (long b = 0; b < 3; ++b) {
          float column[3], transformed[4];
          for (long a = 0; a < 3; ++a) column[a] = w[((a * 3 + b) * 8 + c) * 16 + o];
          weights(column, transformed);
          for (long a = 0; a < 4; ++a) g[a][b] = transformed[a];
        }
        for (long a = 0; a < 4; ++a) weights(g[a], h[a]);
        for (long a = 0; a < 4; ++a) {
          for (long b = 0; b < 4; ++b) sums[a][b] += e[a][b] * h[a][b];
        }
      }
      float rows[4][2];
      for (long a = 0; a < 4; ++a) result(sums[a], rows[a]);
      for (long b = 0; b < 2; ++b) {
        float column[4] = {rows[0][b], rows[1][b], rows[2][b], rows[3][b]}, two[2];
        result(column, two);
        for (long a = 0; a < 2; ++a) out[((2 * bx + a) * 14 + 2 * tile + b) * 16 + o] = two[a];
      }
    }
  }
}
