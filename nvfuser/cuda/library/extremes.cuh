// Where the first of the largest values is, in one pass: the largest of keys, whose upper half is
// ordered as the values are and whose lower half counts positions from the last one.

// Larger for larger numbers; one number for both zeros, and one above all others for all NaN.
__device__ inline int order_of(float x) {
  const int bits = __float_as_int(x + 0.0f);
  const int order = bits ^ (bits >> 31 & 0x7fffffff);
  return x != x ? 0x7fffffff : order;
}

__device__ inline long long key_of(float x, long long position) {
  return (long long)((unsigned long long)(unsigned)order_of(x) << 32 | ~(unsigned)position);
}

__device__ inline long long position_of(long long key) {
  return (long long)~(unsigned)key;
}
