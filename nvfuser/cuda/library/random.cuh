// Random numbers: Philox4x32-10, a function of seed, offset and the number of the element. The
// counter is (offset, element / elements of a block), each 64 bits wide; a block of four words
// serves four floats or two doubles. The host's library computes the same, which is why products
// and sums are rounded one by one.

struct PhiloxBlock {
  unsigned words[4];
};

__device__ inline PhiloxBlock philox(unsigned long long seed, unsigned long long offset,
                                     unsigned long long block) {
  PhiloxBlock c = {{(unsigned)offset, (unsigned)(offset >> 32), (unsigned)block,
                    (unsigned)(block >> 32)}};
  unsigned key0 = (unsigned)seed;
  unsigned key1 = (unsigned)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned low0 = 0xD2511F53u * c.words[0];
    const unsigned high0 = __umulhi(0xD2511F53u, c.words[0]);
    const unsigned low1 = 0xCD9E8D57u * c.words[2];
    const unsigned high1 = __umulhi(0xCD9E8D57u, c.words[2]);
    c = {{high1 ^ c.words[1] ^ key0, low1, high0 ^ c.words[3] ^ key1, low0}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

__device__ inline double fraction53(unsigned low, unsigned high, unsigned add) {
  const unsigned long long bits = (((unsigned long long)high << 32) | low) >> 11;
  return (double)(long long)(bits + add) * 0x1p-53;
}

template <typename Index>
__device__ inline float uniform_f32(float low, float high, Index index, long long seed,
                                    long long offset) {
  const PhiloxBlock b = philox(seed, offset, (typename Unsigned<Index>::type)index >> 2);
  const unsigned pair0 = index & 2 ? b.words[2] : b.words[0];
  const unsigned pair1 = index & 2 ? b.words[3] : b.words[1];
  const float number = (float)(int)((index & 1 ? pair1 : pair0) >> 8) * 0x1p-24f;
  const float value = __fadd_rn(low, __fmul_rn(number, __fsub_rn(high, low)));
  return value >= high ? low : value;
}

template <typename Index>
__device__ inline double uniform_f64(double low, double high, Index index, long long seed,
                                     long long offset) {
  const PhiloxBlock b = philox(seed, offset, (typename Unsigned<Index>::type)index >> 1);
  const double number = index & 1 ? fraction53(b.words[2], b.words[3], 0)
                                  : fraction53(b.words[0], b.words[1], 0);
  const double value = __dadd_rn(low, __dmul_rn(number, __dsub_rn(high, low)));
  return value >= high ? low : value;
}

// By Box and Muller: two uniform numbers make two normal ones.
template <typename Index>
__device__ inline float normal_f32(float mean, float std, Index index, long long seed,
                                   long long offset) {
  const PhiloxBlock b = philox(seed, offset, (typename Unsigned<Index>::type)index >> 2);
  const unsigned first = (index & 2 ? b.words[2] : b.words[0]) >> 8;
  const unsigned second = (index & 2 ? b.words[3] : b.words[1]) >> 8;
  const float radius = sqrtf(__fmul_rn(logf((float)(int)(first + 1) * 0x1p-24f), -2.0f));
  const float angle = __fmul_rn((float)(int)second * 0x1p-24f, 6.28318530717958647692f);
  const float value = __fmul_rn(radius, index & 1 ? sinf(angle) : cosf(angle));
  return __fadd_rn(mean, __fmul_rn(std, value));
}

template <typename Index>
__device__ inline double normal_f64(double mean, double std, Index index, long long seed,
                                    long long offset) {
  const PhiloxBlock b = philox(seed, offset, (typename Unsigned<Index>::type)index >> 1);
  const double radius = sqrt(__dmul_rn(log(fraction53(b.words[0], b.words[1], 1)), -2.0));
  const double angle = __dmul_rn(fraction53(b.words[2], b.words[3], 0), 6.28318530717958647692);
  const double value = __dmul_rn(radius, index & 1 ? sin(angle) : cos(angle));
  return __dadd_rn(mean, __dmul_rn(std, value));
}
