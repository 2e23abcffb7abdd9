// CUDA C++ for the host: put in front of generated kernels (and the device library), it gives the
// names of CUDA that they use their meaning in the emulator.
//
// NVFUSER_HOST_EMULATION is defined: code that only a GPU can run, such as inline PTX, has another
// way under `#ifdef NVFUSER_HOST_EMULATION`. Shared memory is declared as
// `extern __shared__ T name[];`, which the compile step makes a pointer.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "interface.h"

#define NVFUSER_HOST_EMULATION 1

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))

// The functions here must not be checked themselves: what they touch is not memory of the kernel.
#define NVF_UNCHECKED inline __attribute__((no_sanitize("thread")))

// ---------------------------------------------------------------- threads and blocks

using dim3 = emulation::Index3;
using uint3 = emulation::Index3;

#define threadIdx (emulation::emulated_threadIdx)
#define blockIdx (emulation::emulated_blockIdx)
#define blockDim (emulation::emulated_blockDim)
#define gridDim (emulation::emulated_gridDim)
constexpr int warpSize = 32;

NVF_UNCHECKED void __syncthreads(int line = __builtin_LINE()) {
  emulation::emulated_barrier(emulation::BarrierResult::None, 0, line);
}
NVF_UNCHECKED int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
  return emulation::emulated_barrier(emulation::BarrierResult::Count, predicate, line);
}
NVF_UNCHECKED int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
  return emulation::emulated_barrier(emulation::BarrierResult::And, predicate, line);
}
NVF_UNCHECKED int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
  return emulation::emulated_barrier(emulation::BarrierResult::Or, predicate, line);
}
NVF_UNCHECKED void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  emulation::emulated_collective(emulation::Collective::Synchronize, mask, 0, 0, 32, line);
}
NVF_UNCHECKED unsigned __activemask(int line = __builtin_LINE()) {
  return emulation::emulated_active_mask(line);
}
NVF_UNCHECKED int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<int>(emulation::emulated_collective(emulation::Collective::Any, mask,
                                                         predicate != 0 ? 1 : 0, 0, 32, line));
}
NVF_UNCHECKED int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<int>(emulation::emulated_collective(emulation::Collective::All, mask,
                                                         predicate != 0 ? 1 : 0, 0, 32, line));
}
NVF_UNCHECKED unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<unsigned>(emulation::emulated_collective(emulation::Collective::Ballot, mask,
                                                              predicate != 0 ? 1 : 0, 0, 32, line));
}

// For the types that CUDA has them for.
template <typename T>
concept Shuffled = std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8;

template <Shuffled T>
NVF_UNCHECKED T emulated_shuffle(emulation::Collective kind, unsigned mask, T value, int argument,
                                 int width, int line) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = emulation::emulated_collective(kind, mask, bits, argument, width, line);
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
template <Shuffled T>
NVF_UNCHECKED T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
                            int line = __builtin_LINE()) {
  return emulated_shuffle(emulation::Collective::Shuffle, mask, value, lane, width, line);
}
template <Shuffled T>
NVF_UNCHECKED T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                               int line = __builtin_LINE()) {
  return emulated_shuffle(emulation::Collective::ShuffleUp, mask, value, static_cast<int>(delta),
                          width, line);
}
template <Shuffled T>
NVF_UNCHECKED T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                                 int line = __builtin_LINE()) {
  return emulated_shuffle(emulation::Collective::ShuffleDown, mask, value, static_cast<int>(delta),
                          width, line);
}
template <Shuffled T>
NVF_UNCHECKED T __shfl_xor_sync(unsigned mask, T value, int laneMask, int width = 32,
                                int line = __builtin_LINE()) {
  return emulated_shuffle(emulation::Collective::ShuffleXor, mask, value, laneMask, width, line);
}

// ---------------------------------------------------------------- memory

NVF_UNCHECKED void __threadfence() {}
NVF_UNCHECKED void __threadfence_block() {}
NVF_UNCHECKED void __threadfence_system() {}

// Addresses of global memory are the host's.
NVF_UNCHECKED size_t __cvta_generic_to_shared(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
NVF_UNCHECKED size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
NVF_UNCHECKED void* __cvta_global_to_generic(size_t address) {
  return reinterpret_cast<void*>(address);
}

// What the caches are told makes no difference. Inlined, so that an access is where it is called.
#define NVF_LOAD(NAME)                       \
  template <typename T>                      \
  __forceinline__ T NAME(const T* address) { \
    return *address;                         \
  }
NVF_LOAD(__ldg)
NVF_LOAD(__ldca)
NVF_LOAD(__ldcg)
NVF_LOAD(__ldcs)
NVF_LOAD(__ldcv)
NVF_LOAD(__ldlu)
#undef NVF_LOAD
#define NVF_STORE(NAME)                                                  \
  template <typename T>                                                  \
  __forceinline__ void NAME(T* address, std::type_identity_t<T> value) { \
    *address = value;                                                    \
  }
NVF_STORE(__stwb)
NVF_STORE(__stcg)
NVF_STORE(__stcs)
NVF_STORE(__stwt)
#undef NVF_STORE

#define NVF_ATOMIC(NAME, UPDATED)                                                          \
  template <typename T>                                                                    \
  NVF_UNCHECKED T NAME(T* address, std::type_identity_t<T> value,                          \
                       const char* file = __builtin_FILE(), int line = __builtin_LINE()) { \
    emulation::emulated_atomic(address, sizeof(T), file, line);                            \
    const T old = *address;                                                                \
    *address = static_cast<T>(UPDATED);                                                    \
    return old;                                                                            \
  }
NVF_ATOMIC(atomicAdd, old + value)
NVF_ATOMIC(atomicSub, old - value)
NVF_ATOMIC(atomicMin, value < old ? value : old)
NVF_ATOMIC(atomicMax, value > old ? value : old)
NVF_ATOMIC(atomicAnd, old& value)
NVF_ATOMIC(atomicOr, old | value)
NVF_ATOMIC(atomicXor, old ^ value)
NVF_ATOMIC(atomicExch, value)
NVF_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
NVF_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
#undef NVF_ATOMIC
template <typename T>
NVF_UNCHECKED T atomicCAS(T* address, std::type_identity_t<T> expected,
                          std::type_identity_t<T> value, const char* file = __builtin_FILE(),
                          int line = __builtin_LINE()) {
  emulation::emulated_atomic(address, sizeof(T), file, line);
  const T old = *address;
  if (old == expected) {
    *address = value;
  }
  return old;
}

// ---------------------------------------------------------------- vectors

#define NVF_VECTORS(NAME, T)                                                                     \
  struct __attribute__((aligned(2 * sizeof(T)))) NAME##2 { T x, y; };                            \
  struct NAME##3 { T x, y, z; };                                                                 \
  struct __attribute__((aligned(sizeof(T) < 4 ? 4 * sizeof(T) : 16))) NAME##4 { T x, y, z, w; }; \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                     \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
NVF_VECTORS(char, signed char)
NVF_VECTORS(uchar, unsigned char)
NVF_VECTORS(short, short)
NVF_VECTORS(ushort, unsigned short)
NVF_VECTORS(int, int)
NVF_VECTORS(longlong, long long)
NVF_VECTORS(ulonglong, unsigned long long)
NVF_VECTORS(float, float)
NVF_VECTORS(double, double)
#undef NVF_VECTORS
NVF_UNCHECKED float4 atomicAdd(float4* address, float4 value, const char* file = __builtin_FILE(),
                               int line = __builtin_LINE()) {
  emulation::emulated_atomic(address, sizeof(float4), file, line);
  const float4 old = *address;
  *address = {old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w};
  return old;
}
struct __attribute__((aligned(8))) uint2 {
  unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
  unsigned x, y, z, w;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// ---------------------------------------------------------------- bits

template <typename To, typename From>
inline To emulated_bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}
inline int __float_as_int(float x) { return emulated_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return emulated_bits<unsigned>(x); }
inline float __int_as_float(int x) { return emulated_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return emulated_bits<float>(x); }
inline long long __double_as_longlong(double x) { return emulated_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return emulated_bits<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

// ---------------------------------------------------------------- arithmetic

#define NVF_MIN_MAX(T)                             \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
NVF_MIN_MAX(int)
NVF_MIN_MAX(unsigned)
NVF_MIN_MAX(long)
NVF_MIN_MAX(unsigned long)
NVF_MIN_MAX(long long)
NVF_MIN_MAX(unsigned long long)
#undef NVF_MIN_MAX
inline float min(float a, float b) { return ::fminf(a, b); }
inline float max(float a, float b) { return ::fmaxf(a, b); }
inline double min(double a, double b) { return ::fmin(a, b); }
inline double max(double a, double b) { return ::fmax(a, b); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return ::sqrtf(x); }
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x)));
}
inline float __fmaf_rn(float a, float b, float c) { return ::fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return ::sqrt(x); }
inline double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The fast ones are exact here: how far off a GPU's are, only a GPU can tell.
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return ::expf(x); }
inline float __exp10f(float x) { return ::exp10f(x); }
inline float __logf(float x) { return ::logf(x); }
inline float __log2f(float x) { return ::log2f(x); }
inline float __log10f(float x) { return ::log10f(x); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float __tanf(float x) { return ::tanf(x); }
inline float __powf(float x, float y) { return ::powf(x, y); }

// The inverse of erfc on (0, 1], by Newton's method on its logarithm.
inline long double inverse_of_erfc(long double q) {
  const long double log_q = ::logl(q);
  long double y = q > 0.5L ? 0.886226925452758L * (1 - q)
                           : ::sqrtl(-log_q - 0.5L * ::logl(1 - 3.14159265358979L * log_q));
  for (int i = 0; i < 40; ++i) {
    const long double value = ::erfcl(y);
    const long double slope = -1.12837916709551257390L * ::expl(-y * y) / value;
    const long double step = (::logl(value) - log_q) / slope;
    y -= step;
    if (::fabsl(step) <= 1e-19L * ::fabsl(y)) {
      break;
    }
  }
  return y;
}
// Small arguments have more digits as they are than in 1 - x.
inline double erfinv(double x) {
  if (!(::fabs(x) < 1.0)) {
    return x == 1.0 ? HUGE_VAL : x == -1.0 ? -HUGE_VAL : NAN;
  }
  if (::fabs(x) > 0.5) {
    return ::copysign(static_cast<double>(inverse_of_erfc(1.0L - ::fabsl(x))), x);
  }
  long double y = 0.886226925452758L * x;
  for (int i = 0; i < 20; ++i) {
    y -= (::erfl(y) - x) / (1.12837916709551257390L * ::expl(-y * y));
  }
  return static_cast<double>(y);
}
inline double erfcinv(double q) {
  if (!(q > 0.0 && q < 2.0)) {
    return q == 0.0 ? HUGE_VAL : q == 2.0 ? -HUGE_VAL : NAN;
  }
  // Also around 1, where 1 - q is exact.
  return q > 0.5 && q < 1.5 ? erfinv(1.0 - q)
         : q < 1.0          ? static_cast<double>(inverse_of_erfc(q))
                            : -static_cast<double>(inverse_of_erfc(2.0L - q));
}
inline float erfinvf(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
inline float erfcinvf(float q) { return static_cast<float>(erfcinv(static_cast<double>(q))); }
// -inf times 0 is CUDA's NaN in gelu.
inline double normcdf(double x) { return 0.5 * ::erfc(-0.70710678118654752440 * x); }

inline float rsqrtf(float x) { return __frsqrt_rn(x); }
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / ::cbrt(x); }

// Conversions to integers end at the limits, and NaN is the lowest number of 64 bits, 0 of 32.
template <typename To, typename From>
inline To emulated_to_integer(From x) {
  if (x != x) {
    return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : To{0};
  }
  constexpr To low = std::numeric_limits<To>::min();
  constexpr To high = std::numeric_limits<To>::max();
  const From above = static_cast<From>(high / 2 + 1) * 2;
  return x >= above ? high : x <= static_cast<From>(low) ? low : static_cast<To>(x);
}
#define NVF_TO_INTEGER(FROM, T)                                                                 \
  inline int __##FROM##2int_rz(T x) { return emulated_to_integer<int>(::trunc(x)); }            \
  inline int __##FROM##2int_rn(T x) { return emulated_to_integer<int>(::nearbyint(x)); }        \
  inline unsigned __##FROM##2uint_rz(T x) { return emulated_to_integer<unsigned>(::trunc(x)); } \
  inline unsigned __##FROM##2uint_rn(T x) {                                                     \
    return emulated_to_integer<unsigned>(::nearbyint(x));                                       \
  }                                                                                             \
  inline long long __##FROM##2ll_rz(T x) { return emulated_to_integer<long long>(::trunc(x)); } \
  inline long long __##FROM##2ll_rn(T x) {                                                      \
    return emulated_to_integer<long long>(::nearbyint(x));                                      \
  }                                                                                             \
  inline unsigned long long __##FROM##2ull_rz(T x) {                                            \
    return emulated_to_integer<unsigned long long>(::trunc(x));                                 \
  }                                                                                             \
  inline unsigned long long __##FROM##2ull_rn(T x) {                                            \
    return emulated_to_integer<unsigned long long>(::nearbyint(x));                             \
  }
NVF_TO_INTEGER(float, float)
NVF_TO_INTEGER(double, double)
#undef NVF_TO_INTEGER
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }

inline void __trap() { emulation::emulated_trap("executes a trap"); }

// ---------------------------------------------------------------- description of kernels

namespace emulation {

template <typename... P>
struct Parameters {
  static constexpr size_t kCount = sizeof...(P);
  struct Places {
    ParameterPlace places[kCount + 1];
    uint32_t bytes;
  };
  static constexpr Places kPlaces = [] {
    constexpr uint32_t sizes[] = {sizeof(P)..., 0};
    constexpr uint32_t alignments[] = {alignof(P)..., 1};
    Places result{};
    for (size_t i = 0; i < kCount; ++i) {
      result.bytes = (result.bytes + alignments[i] - 1) / alignments[i] * alignments[i];
      result.places[i] = {result.bytes, sizes[i]};
      result.bytes += sizes[i];
    }
    return result;
  }();
};

template <auto kernel>
struct Described;

template <typename... P, void (*kernel)(P...)>
struct Described<kernel> {
  using List = Parameters<P...>;

  template <size_t... I>
  static void callWith(const unsigned char* arguments, std::index_sequence<I...>) {
    kernel(read<P>(arguments + List::kPlaces.places[I].offset)...);
  }
  template <typename T>
  static T read(const unsigned char* place) {
    T value;
    __builtin_memcpy(&value, place, sizeof(T));
    return value;
  }
  static void call(const unsigned char* arguments) {
    callWith(arguments, std::index_sequence_for<P...>());
  }
};

template <auto kernel>
constexpr KernelDescription describe(uint32_t maxThreads, uint32_t clusterBlocks) {
  using D = Described<kernel>;
  return {&D::call,        D::List::kPlaces.places,
          D::List::kCount, D::List::kPlaces.bytes,
          maxThreads,      clusterBlocks};
}

}  // namespace emulation
