// Bytes that wrap and halves that round; one block sixteen of them.
void narrow(const unsigned char* restrict a, const _Float16* restrict b, unsigned char* restrict y,
            _Float16* restrict z, long bx, long by, long bz) {
  for (long i = bx * 16; i < bx * 16 + 16; ++i) {
    const unsigned char product = a[i] * 3, quotient = a[i] / 7;
    y[i] = product < quotient ? product : a[i];
    z[i] = b[i] * (_Float16)0.3f + b[i];
  }
}
