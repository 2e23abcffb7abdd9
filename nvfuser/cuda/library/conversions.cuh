// Conversions between float and the storage types, and from floats to integers. Double converts by
// way of float, as PyTorch does it.

__device__ inline float from_half(half x) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
  return result;
}

__device__ inline half to_half(float x) {
  half result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}

// A move becomes one instruction for either half of a register, a shift two for the upper half.
__device__ inline float from_bfloat16(bfloat16 x) {
  float result;
  asm("mov.b32 %0, {0, %1};" : "=f"(result) : "h"(x.bits));
  return result;
}

__device__ inline bfloat16 to_bfloat16(float x) {
  bfloat16 result;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
#else
  const unsigned bits = __float_as_uint(x);
  result.bits = x == x ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fc0;
#endif
  return result;
}

// The sign bit, the uppermost one, inverted.
template <typename T>
__device__ inline T neg_stored(T x) {
  x.bits ^= 1u << (8 * sizeof(T) - 1);
  return x;
}

// The sign bit, the uppermost one, cleared.
template <typename T>
__device__ inline T abs_stored(T x) {
  x.bits &= (1u << (8 * sizeof(T) - 1)) - 1;
  return x;
}

// Rounds the bits of a float to nearest even, to a format of so few bits. Denormal results come
// from a float addition whose unit in the last place is the smallest of them.
template <int MantissaBits, int Bias>
__device__ inline unsigned rounded_magnitude(float x) {
  const unsigned magnitude = __float_as_uint(x) & 0x7fffffffu;
  constexpr int dropped = 23 - MantissaBits;
  constexpr unsigned smallest_normal = (127 + 1 - Bias) << 23;
  constexpr unsigned magic = (1 - Bias - MantissaBits + 23 + 127) << 23;
  if (magnitude < smallest_normal) {
    return __float_as_uint(__uint_as_float(magnitude) + __uint_as_float(magic)) - magic;
  }
  constexpr unsigned rebias = ((unsigned)(Bias - 127) << 23) + (1u << (dropped - 1)) - 1;
  return (magnitude + rebias + (magnitude >> dropped & 1)) >> dropped;
}

// Widens exactly: the exponent that is too small by the difference of the biases is corrected by a
// multiplication, which serves denormals, too.
template <int Bits, int MantissaBits, int Bias>
__device__ inline float widened(unsigned bits) {
  const unsigned magnitude = bits & ((1u << (Bits - 1)) - 1);
  const unsigned sign = (bits >> (Bits - 1)) << 31;
  const float scale = __uint_as_float((127u + 127 - Bias) << 23);
  const float value = __uint_as_float(magnitude << (23 - MantissaBits)) * scale;
  return __uint_as_float(__float_as_uint(value) | sign);
}

// Saturates, infinity too.
__device__ inline float8_e4m3fn to_float8_e4m3fn(float x) {
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {(unsigned char)pair};
#else
  const unsigned sign = __float_as_uint(x) >> 31 << 7;
  const unsigned magnitude = x == x ? min(rounded_magnitude<3, 7>(x), 0x7eu) : 0x7f;
  return {(unsigned char)(sign | magnitude)};
#endif
}

__device__ inline float from_float8_e4m3fn(float8_e4m3fn x) {
#if __CUDA_ARCH__ >= 890
  unsigned pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x.bits));
  return from_half({(unsigned short)pair});
#else
  return (x.bits & 0x7f) == 0x7f ? nan_f32() : widened<8, 3, 7>(x.bits);
#endif
}

// What is too large becomes infinite, unlike what the hardware makes of it.
__device__ inline float8_e5m2 to_float8_e5m2(float x) {
  const unsigned sign = __float_as_uint(x) >> 31 << 7;
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {(unsigned char)(fabsf(x) >= 61440.0f ? sign | 0x7c : pair)};
#else
  const unsigned magnitude = x == x ? min(rounded_magnitude<2, 15>(x), 0x7cu) : 0x7f;
  return {(unsigned char)(sign | magnitude)};
#endif
}

// The upper half of a half.
__device__ inline float from_float8_e5m2(float8_e5m2 x) {
  return from_half({(unsigned short)(x.bits << 8)});
}

// The exponent of |x|, rounded to the nearest power of two; 255 for NaN and infinity.
__device__ inline float8_e8m0fnu to_float8_e8m0fnu(float x) {
  const unsigned bits = __float_as_uint(x) & 0x7fffffffu;
  const unsigned exponent = bits >> 23;
  const unsigned rounded = bits <= 0x400000u ? 0 : exponent + (bits >> 22 & 1);
  return {(unsigned char)(exponent == 255 ? 255 : rounded)};
}

// 2^(x - 127); 0 is a denormal, 255 is NaN.
__device__ inline float from_float8_e8m0fnu(float8_e8m0fnu x) {
  const unsigned bits = x.bits == 0 ? 0x400000u : (unsigned)x.bits << 23;
  return x.bits == 255 ? nan_f32() : __uint_as_float(bits);
}

// Saturates; there is no NaN, which becomes the largest positive value as in hardware.
__device__ inline float4_e2m1fn to_float4_e2m1fn(float x) {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || \
    defined(__CUDA_ARCH_FEAT_SM120_ALL)
  unsigned short pair;
  asm("{ .reg .b8 pair; cvt.rn.satfinite.e2m1x2.f32 pair, %1, %2; cvt.u16.u8 %0, pair; }"
      : "=h"(pair)
      : "f"(0.0f), "f"(x));
  return {(unsigned char)pair};
#else
  const unsigned sign = __float_as_uint(x) >> 31 << 3;
  const unsigned magnitude = min(rounded_magnitude<1, 1>(x), 7u);
  return {(unsigned char)(x == x ? sign | magnitude : 7)};
#endif
}

__device__ inline float from_float4_e2m1fn(float4_e2m1fn x) {
  return widened<4, 1, 1>(x.bits & 15);
}

// Truncated, limited to the range of the result; NaN gives 0.
__device__ inline int to_i32_f32(float x) { return __float2int_rz(x); }

__device__ inline int to_i32_f64(double x) { return __double2int_rz(x); }

__device__ inline long long to_i64_f32(float x) { return x == x ? __float2ll_rz(x) : 0; }

__device__ inline long long to_i64_f64(double x) { return x == x ? __double2ll_rz(x) : 0; }

__device__ inline unsigned long long to_u64_f32(float x) { return x == x ? __float2ull_rz(x) : 0; }

__device__ inline unsigned long long to_u64_f64(double x) {
  return x == x ? __double2ull_rz(x) : 0;
}
