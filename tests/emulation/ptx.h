// PTX instructions that the device library writes as inline assembly. The compile step makes
//   asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result) : "f"(x));   a call of
//   ptx_cvt_rn_f16_f32(result, x);
// Names have the operands in them where these are not just %0, %1 and so on.
#pragma once

#include <sched.h>

#include <chrono>

#include "device_code.h"

namespace ptx {

// Rounds to nearest even: what a format of so few bits makes of a float that is not NaN. The
// largest exponent stands for infinity and NaN, as IEEE 754 has it.
template <int kExponentBits, int kMantissaBits>
inline unsigned round_to_format(float x) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr unsigned kInfinity = ((1u << kExponentBits) - 1) << kMantissaBits;
  const unsigned sign = (__float_as_uint(x) >> 31) << (kExponentBits + kMantissaBits);
  const double magnitude = std::fabs(static_cast<double>(x));
  if (magnitude == 0.0 || std::isinf(magnitude)) {
    return sign | (magnitude == 0.0 ? 0 : kInfinity);
  }
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The exponent of the last bit; subnormal numbers all have that of the lowest normal one.
  const int last = (exponent - 1 > 1 - kBias ? exponent - 1 : 1 - kBias) - kMantissaBits;
  const double scaled = std::nearbyint(std::ldexp(magnitude, -last));
  const int lowest = 1 - kBias - kMantissaBits;
  const auto bits =
      static_cast<uint64_t>(scaled) + (static_cast<uint64_t>(last - lowest) << kMantissaBits);
  return sign | static_cast<unsigned>(bits < kInfinity ? bits : kInfinity);
}

template <int kExponentBits, int kMantissaBits>
inline float from_format(unsigned bits) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr unsigned kMaxExponent = (1u << kExponentBits) - 1;
  const unsigned mantissa = bits & ((1u << kMantissaBits) - 1);
  const unsigned exponent = bits >> kMantissaBits & kMaxExponent;
  const float sign = (bits >> (kExponentBits + kMantissaBits) & 1) != 0 ? -1.0f : 1.0f;
  if (exponent == kMaxExponent) {
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  }
  return exponent == 0 ? sign * std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits)
                       : sign * std::ldexp(static_cast<float>(mantissa | 1u << kMantissaBits),
                                           static_cast<int>(exponent) - kBias - kMantissaBits);
}

}  // namespace ptx

// Kernels run one after the other.
inline void ptx_griddepcontrol_wait() {}
inline void ptx_griddepcontrol_launch_dependents() {}

inline void ptx_cvt_f32_f16(float& out, unsigned short in) { out = ptx::from_format<5, 10>(in); }
inline void ptx_cvt_rn_f16_f32(unsigned short& out, float in) {
  out = static_cast<unsigned short>(in != in ? 0x7fff : ptx::round_to_format<5, 10>(in));
}
inline void ptx_cvt_rn_bf16_f32(unsigned short& out, float in) {
  out = static_cast<unsigned short>(in != in ? 0x7fff : ptx::round_to_format<8, 7>(in));
}

// Of 16 bits: what is rounded to Float first is rounded to the same.
namespace ptx {

template <int kExponentBits, int kMantissaBits, typename Operation>
unsigned short of_two(unsigned short a, unsigned short b, Operation operation) {
  const float result = operation(from_format<kExponentBits, kMantissaBits>(a),
                                 from_format<kExponentBits, kMantissaBits>(b));
  return static_cast<unsigned short>(
      result != result ? 0x7fff : round_to_format<kExponentBits, kMantissaBits>(result));
}

inline float extreme(float a, float b, bool isMaximum) {
  if (a != a || b != b) {
    return __uint_as_float(0x7fffffffu);
  }
  if (a == b) {
    return std::signbit(a) == isMaximum ? b : a;
  }
  return (a > b) == isMaximum ? a : b;
}

}  // namespace ptx

inline void ptx_add_rn_f16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<5, 10>(a, b, [](float x, float y) { return x + y; });
}
inline void ptx_sub_rn_f16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<5, 10>(a, b, [](float x, float y) { return x - y; });
}
inline void ptx_mul_rn_f16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<5, 10>(a, b, [](float x, float y) { return x * y; });
}
inline void ptx_max_NaN_f16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<5, 10>(a, b, [](float x, float y) { return ptx::extreme(x, y, true); });
}
inline void ptx_min_NaN_f16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<5, 10>(a, b, [](float x, float y) { return ptx::extreme(x, y, false); });
}
inline void ptx_add_rn_bf16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<8, 7>(a, b, [](float x, float y) { return x + y; });
}
inline void ptx_sub_rn_bf16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<8, 7>(a, b, [](float x, float y) { return x - y; });
}
inline void ptx_mul_rn_bf16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<8, 7>(a, b, [](float x, float y) { return x * y; });
}
inline void ptx_max_NaN_bf16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<8, 7>(a, b, [](float x, float y) { return ptx::extreme(x, y, true); });
}
inline void ptx_min_NaN_bf16(unsigned short& out, unsigned short a, unsigned short b) {
  out = ptx::of_two<8, 7>(a, b, [](float x, float y) { return ptx::extreme(x, y, false); });
}

inline void ptx_mov_b32_0_0_1(float& out, unsigned short high) {
  out = __uint_as_float(static_cast<unsigned>(high) << 16);
}

// Copies to shared memory. Addresses there are the host's.
inline void ptx_cp_async_cg_shared_global_0_1_16(size_t out, const void* in) {
  emulation::emulated_copy_async(reinterpret_cast<void*>(out), in, 16);
}
inline void ptx_cp_async_ca_shared_global_0_1_2(size_t out, const void* in, size_t bytes) {
  emulation::emulated_copy_async(reinterpret_cast<void*>(out), in, bytes);
}
inline void ptx_cp_async_cg_shared_global_L2_cache_hint_0_1_16_2(size_t out, const void* in,
                                                                 unsigned long long) {
  emulation::emulated_copy_async(reinterpret_cast<void*>(out), in, 16);
}
inline void ptx_cp_async_wait_all() { emulation::emulated_await_copies(); }

// Blocks of a cluster.
inline void ptx_mapa_u64(unsigned long long& out, const void* address, unsigned rank) {
  out = reinterpret_cast<unsigned long long>(emulation::emulated_peer_address(address, rank));
}
inline void ptx_barrier_cluster_arrive_aligned() { emulation::emulated_cluster_arrive(); }
inline void ptx_barrier_cluster_wait_aligned(int line = __builtin_LINE()) {
  emulation::emulated_cluster_wait(line);
}

// Two at a time: the first operand is the upper one. NaN has one representation, what is too large
// becomes the largest number.
namespace ptx {

inline unsigned e4m3(float x) {
  if (x != x) {
    return 0x7f;
  }
  // Unlike in IEEE 754 the largest exponent stands for numbers, too: all but the last one.
  const float clamped = std::fmin(std::fmax(x, -448.0f), 448.0f);
  const unsigned bits = round_to_format<5, 3>(clamped / 256.0f);
  // As if the bias were 15 instead of 7: the factor makes up for it, and for subnormal numbers,
  // too.
  return (bits & 0x100) >> 1 | (bits & 0x7f);
}

inline float from_e4m3(unsigned bits) {
  if ((bits & 0x7f) == 0x7f) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return from_format<5, 3>((bits & 0x80) << 1 | (bits & 0x7f)) * 256.0f;
}

inline unsigned e5m2(float x) {
  return x != x ? 0x7f : round_to_format<5, 2>(std::fmin(std::fmax(x, -57344.0f), 57344.0f));
}

}  // namespace ptx

inline void ptx_cvt_rn_satfinite_e4m3x2_f32(unsigned short& out, float high, float low) {
  out = static_cast<unsigned short>(ptx::e4m3(high) << 8 | ptx::e4m3(low));
}
inline void ptx_cvt_rn_satfinite_e5m2x2_f32(unsigned short& out, float high, float low) {
  out = static_cast<unsigned short>(ptx::e5m2(high) << 8 | ptx::e5m2(low));
}
inline void ptx_cvt_rn_f16x2_e4m3x2(unsigned& out, unsigned short in) {
  unsigned short high = 0;
  unsigned short low = 0;
  ptx_cvt_rn_f16_f32(high, ptx::from_e4m3(in >> 8));
  ptx_cvt_rn_f16_f32(low, ptx::from_e4m3(in & 0xff));
  out = static_cast<unsigned>(high) << 16 | low;
}

inline void ptx_max_NaN_f32(float& out, float a, float b) { out = ptx::extreme(a, b, true); }
inline void ptx_min_NaN_f32(float& out, float a, float b) { out = ptx::extreme(a, b, false); }

// How far off they are, only a GPU can tell: here by as much of what CUDA allows as a test says.
namespace ptx {

inline float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

// What a float holds, such as 1/1 and 2^0, is right on all GPUs.
inline float approximate(double exact, double largestError) {
  if (exact == static_cast<double>(static_cast<float>(exact))) {
    return flush(static_cast<float>(exact));
  }
  return flush(static_cast<float>(exact * (1.0 + emulation::emulated_inaccuracy() * largestError)));
}

}  // namespace ptx

inline void ptx_ex2_approx_ftz_f32(float& out, float x) {
  out = ptx::approximate(std::exp2(static_cast<double>(ptx::flush(x))), 0x1p-22);
}
inline void ptx_rcp_approx_ftz_f32(float& out, float x) {
  out = ptx::approximate(1.0 / static_cast<double>(ptx::flush(x)), 0x1p-23);
}

// What stays in the caches is not emulated.
inline void ptx_createpolicy_fractional_L2_evict_last_b64_0_1_0(unsigned long long& policy) {
  policy = 0;
}
inline void ptx_ld_global_L2_cache_hint_v4_u32_0_1_2_3_4_5(unsigned& x, unsigned& y, unsigned& z,
                                                           unsigned& w, const uint4* in,
                                                           unsigned long long) {
  const uint4 word = *in;
  x = word.x;
  y = word.y;
  z = word.z;
  w = word.w;
}

// Additions to memory of pairs of 16 bits, the first one in the lower half.
namespace ptx {

template <int kExponentBits, int kMantissaBits>
NVF_UNCHECKED void add(unsigned short* address, unsigned value) {
  const float sum = from_format<kExponentBits, kMantissaBits>(*address) +
                    from_format<kExponentBits, kMantissaBits>(value & 0xffff);
  *address = static_cast<unsigned short>(
      sum != sum ? 0x7fff : round_to_format<kExponentBits, kMantissaBits>(sum));
}

template <int kExponentBits, int kMantissaBits>
NVF_UNCHECKED void add_pairs(size_t address, std::initializer_list<unsigned> pairs,
                             const char* file, int line) {
  auto* element = reinterpret_cast<unsigned short*>(address);
  emulation::emulated_atomic(element, pairs.size() * sizeof(unsigned), file, line);
  for (const unsigned pair : pairs) {
    add<kExponentBits, kMantissaBits>(element++, pair);
    add<kExponentBits, kMantissaBits>(element++, pair >> 16);
  }
}

template <int kExponentBits, int kMantissaBits>
NVF_UNCHECKED void add_one(size_t address, unsigned value, const char* file, int line) {
  auto* element = reinterpret_cast<unsigned short*>(address);
  emulation::emulated_atomic(element, sizeof(*element), file, line);
  add<kExponentBits, kMantissaBits>(element, value);
}

}  // namespace ptx

NVF_UNCHECKED void ptx_red_global_add_noftz_f16_0_1(size_t address, unsigned short value,
                                                    const char* file = __builtin_FILE(),
                                                    int line = __builtin_LINE()) {
  ptx::add_one<5, 10>(address, value, file, line);
}
NVF_UNCHECKED void ptx_red_global_add_noftz_bf16_0_1(size_t address, unsigned short value,
                                                     const char* file = __builtin_FILE(),
                                                     int line = __builtin_LINE()) {
  ptx::add_one<8, 7>(address, value, file, line);
}
NVF_UNCHECKED void ptx_red_global_add_noftz_v4_f16x2_0_1_2_3_4(size_t address, unsigned x,
                                                               unsigned y, unsigned z, unsigned w,
                                                               const char* file = __builtin_FILE(),
                                                               int line = __builtin_LINE()) {
  ptx::add_pairs<5, 10>(address, {x, y, z, w}, file, line);
}
NVF_UNCHECKED void ptx_red_global_add_noftz_v4_bf16x2_0_1_2_3_4(size_t address, unsigned x,
                                                                unsigned y, unsigned z, unsigned w,
                                                                const char* file = __builtin_FILE(),
                                                                int line = __builtin_LINE()) {
  ptx::add_pairs<8, 7>(address, {x, y, z, w}, file, line);
}

// What devices tell each other of by flags in memory that both have mapped: other processes, here.
NVF_UNCHECKED void ptx_st_release_sys_global_u64_0_1(unsigned long long* address,
                                                     unsigned long long value,
                                                     const char* file = __builtin_FILE(),
                                                     int line = __builtin_LINE()) {
  emulation::emulated_atomic(address, sizeof(*address), file, line);
  __atomic_store_n(address, value, __ATOMIC_RELEASE);
}
NVF_UNCHECKED void ptx_ld_acquire_sys_global_u64_0_1(unsigned long long& value,
                                                     const unsigned long long* address,
                                                     const char* file = __builtin_FILE(),
                                                     int line = __builtin_LINE()) {
  emulation::emulated_atomic(address, sizeof(*address), file, line);
  value = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  sched_yield();
}
inline void ptx_mov_u64_0_globaltimer(unsigned long long& now) {
  now =
      static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count());
}
