// Operations on numbers of 16 bits: each is rounded once. Written as instructions, which compilers do
// not join to others that round less often.

__device__ inline half add_half(half a, half b) {
  half result;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
}

__device__ inline half sub_half(half a, half b) {
  half result;
  asm("sub.rn.f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
}

__device__ inline half mul_half(half a, half b) {
  half result;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
}

__device__ inline bfloat16 add_bfloat16(bfloat16 a, bfloat16 b) {
#if __CUDA_ARCH__ >= 900
  bfloat16 result;
  asm("add.rn.bf16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_bfloat16(from_bfloat16(a) + from_bfloat16(b));
#endif
}

__device__ inline bfloat16 sub_bfloat16(bfloat16 a, bfloat16 b) {
#if __CUDA_ARCH__ >= 900
  bfloat16 result;
  asm("sub.rn.bf16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_bfloat16(from_bfloat16(a) - from_bfloat16(b));
#endif
}

__device__ inline bfloat16 mul_bfloat16(bfloat16 a, bfloat16 b) {
#if __CUDA_ARCH__ >= 900
  bfloat16 result;
  asm("mul.rn.bf16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_bfloat16(from_bfloat16(a) * from_bfloat16(b));
#endif
}

__device__ inline half maximum_half(half a, half b) {
#if __CUDA_ARCH__ >= 800
  half result;
  asm("max.NaN.f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_half(maximum_f32(from_half(a), from_half(b)));
#endif
}

__device__ inline bfloat16 maximum_bfloat16(bfloat16 a, bfloat16 b) {
#if __CUDA_ARCH__ >= 800
  bfloat16 result;
  asm("max.NaN.bf16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_bfloat16(maximum_f32(from_bfloat16(a), from_bfloat16(b)));
#endif
}

__device__ inline half minimum_half(half a, half b) {
#if __CUDA_ARCH__ >= 800
  half result;
  asm("min.NaN.f16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_half(minimum_f32(from_half(a), from_half(b)));
#endif
}

__device__ inline bfloat16 minimum_bfloat16(bfloat16 a, bfloat16 b) {
#if __CUDA_ARCH__ >= 800
  bfloat16 result;
  asm("min.NaN.bf16 %0, %1, %2;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits));
  return result;
#else
  return to_bfloat16(minimum_f32(from_bfloat16(a), from_bfloat16(b)));
#endif
}
