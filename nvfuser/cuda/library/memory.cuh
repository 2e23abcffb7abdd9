// Memory accesses of several elements at once, and with cache policies.

// The type of an access of so many bytes.
template <int bytes>
struct Word;
template <>
struct Word<1> {
  using type = unsigned char;
};
template <>
struct Word<2> {
  using type = unsigned short;
};
template <>
struct Word<4> {
  using type = unsigned;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

// N elements of T as the widest words that are one access each.
template <typename T, int N>
struct Vector {
  static constexpr int bytes = N * sizeof(T);
  static constexpr int word_bytes = bytes < 16 ? bytes : 16;
  static constexpr int words = bytes / word_bytes;
  static_assert(words * word_bytes == bytes, "not a number of whole vectors");
  using Word = typename Word<word_bytes>::type;
  __device__ static Word* at(T* address) { return reinterpret_cast<Word*>(address); }
  __device__ static const Word* at(const T* address) {
    return reinterpret_cast<const Word*>(address);
  }
};

// Copies N consecutive elements; both addresses are multiples of the words' size.
template <int N, typename T>
__device__ inline void copy(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    V::at(out)[i] = V::at(in)[i];
  }
}

// Loads N consecutive elements of one or two bytes, from any address on: aligned words are shifted
// together, and of the words at both ends only what belongs to the elements is accessed. For those
// of one word that would take more instructions than a load of each.
template <int N, typename T>
__device__ inline void load_unaligned(T* out, const T* in) {
  using Element = typename Word<sizeof(T)>::type;
  constexpr int bits = 8 * sizeof(T);
  constexpr int in_word = 4 / sizeof(T);
  constexpr int words = N / in_word;
  const Element* elements = reinterpret_cast<const Element*>(in);
  if constexpr (words * in_word != N || words == 1) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      reinterpret_cast<Element*>(out)[i] = elements[i];
    }
  } else {
    // Elements in front of `in` in its word.
    const int skipped = (int)(reinterpret_cast<unsigned long long>(in) % 4 / sizeof(T));
    const unsigned* aligned = reinterpret_cast<const unsigned*>(elements - skipped);
    unsigned pieces[words + 1];
    pieces[0] = 0;
    pieces[words] = 0;
    if (skipped == 0) {
      pieces[0] = aligned[0];
    }
#pragma unroll
    for (int i = 0; i < in_word; ++i) {
      if (i < skipped) {
        pieces[words] |= (unsigned)elements[N - skipped + i] << i * bits;
      } else if (skipped != 0) {
        pieces[0] |= (unsigned)elements[i - skipped] << i * bits;
      }
    }
#pragma unroll
    for (int i = 1; i < words; ++i) {
      pieces[i] = aligned[i];
    }
#pragma unroll
    for (int i = 0; i < words; ++i) {
      const unsigned long long both = (unsigned long long)pieces[i + 1] << 32 | pieces[i];
      reinterpret_cast<unsigned*>(out)[i] = (unsigned)(both >> skipped * bits);
    }
  }
}

// Keeps elements as they are: what is computed from them before is computed again after, instead of
// taking registers in between.
template <typename T>
__device__ inline void hold(T& values) {
  if constexpr (sizeof(T) % 4 == 0) {
    unsigned* words = reinterpret_cast<unsigned*>(&values);
#pragma unroll
    for (int i = 0; i < (int)sizeof(T) / 4; ++i) {
      asm volatile("" : "+r"(words[i]));
    }
  }
}

// Loads the N consecutive elements from an aligned address on that exist, those from `first` to
// before `end`. Where that is not all, others are 0. The words of all are held as they are: elements
// that are taken out of them where they arrive would be waited for, one load after the other.
template <int N, typename T, typename First, typename End, typename Load>
__device__ inline void load_part(T* out, const T* in, First first, End end, Load load) {
  alignas(16) T values[N];
  if (first <= 0 && end >= N) {
    load(values, in);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      values[i] = i >= first && i < end ? in[i] : T{};
    }
  }
  hold(values);
  copy<N>(out, values);
}

// Stores those of N elements that exist.
template <int N, typename T, typename First, typename End, typename Store>
__device__ inline void store_part(T* out, const T* in, First first, End end, Store store) {
  if (first <= 0 && end >= N) {
    store(out, in);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if (i >= first && i < end) {
        out[i] = in[i];
      }
    }
  }
}

// Copies N consecutive elements to shared memory, of which those exist; others are 0.
template <int N, typename T, typename First, typename End, typename Copy>
__device__ inline void copy_part(T* out, const T* in, First first, End end, Copy copy) {
  if (first <= 0 && end >= N) {
    copy(out, in);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      out[i] = i >= first && i < end ? in[i] : T{};
    }
  }
}

// Elements that are read once: first to be evicted from the caches.
template <int N, typename T>
__device__ inline void load_vector_streaming(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    V::at(out)[i] = __ldcs(V::at(in) + i);
  }
}

template <int N, typename T>
__device__ inline void store_vector_streaming(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    __stcs(V::at(out) + i, V::at(in)[i]);
  }
}

// That of lines which are the last to be evicted from the L2 cache.
__device__ inline unsigned long long kept_policy() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// A word that is the last to be evicted from the L2 cache. Of the caches of multiprocessors it has
// no more than others: what is read again is in these.
template <typename T>
__device__ inline T load_word_kept(const T* in) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 16) {
    T word;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(in), "l"(kept_policy()));
    return word;
  }
#endif
  return *in;
}

template <int N, typename T>
__device__ inline void load_vector_kept(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    V::at(out)[i] = load_word_kept(V::at(in) + i);
  }
}

// A copy of a word to shared memory, which goes on while the thread does: from the L2 cache where it
// can. Nobody reads it before await_copies().
template <int bytes>
__device__ inline void copy_word_async(void* out, const void* in) {
#if __CUDA_ARCH__ >= 800
  const size_t to = __cvta_generic_to_shared(out);
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "l"(to), "l"(in) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 : : "l"(to), "l"(in), "n"(bytes) : "memory");
  }
#else
  *(typename Word<bytes>::type*)out = *(const typename Word<bytes>::type*)in;
#endif
}

// The same of one that is the last to be evicted from the L2 cache.
template <int bytes>
__device__ inline void copy_word_async_kept(void* out, const void* in) {
#if __CUDA_ARCH__ >= 800
  if constexpr (bytes == 16) {
    const size_t to = __cvta_generic_to_shared(out);
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 : : "l"(to), "l"(in), "l"(kept_policy()) : "memory");
    return;
  }
#endif
  copy_word_async<bytes>(out, in);
}

template <int N, typename T>
__device__ inline void copy_async(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    copy_word_async<V::word_bytes>(V::at(out) + i, V::at(in) + i);
  }
}

template <int N, typename T>
__device__ inline void copy_async_kept(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    copy_word_async_kept<V::word_bytes>(V::at(out) + i, V::at(in) + i);
  }
}

// What this thread copies has arrived.
__device__ inline void await_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

// Elements that are cached in L2 only.
template <int N, typename T>
__device__ inline void load_vector_global(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    V::at(out)[i] = __ldcg(V::at(in) + i);
  }
}

template <int N, typename T>
__device__ inline void store_vector_global(T* out, const T* in) {
  using V = Vector<T, N>;
#pragma unroll
  for (int i = 0; i < V::words; ++i) {
    __stcg(V::at(out) + i, V::at(in)[i]);
  }
}

template <typename T>
__device__ inline T load_streaming(const T* in) {
  alignas(16) T value;
  load_vector_streaming<1>(&value, in);
  return value;
}

template <typename T, typename V>
__device__ inline void store_streaming(T* out, V value) {
  // Conditions are kept in bytes.
  alignas(16) T copied = value;
  store_vector_streaming<1>(out, &copied);
}

template <typename T>
__device__ inline T load_kept(const T* in) {
  return *in;
}

template <typename T>
__device__ inline T load_global(const T* in) {
  alignas(16) T value;
  load_vector_global<1>(&value, in);
  return value;
}

template <typename T, typename V>
__device__ inline void store_global(T* out, V value) {
  // Conditions are kept in bytes.
  alignas(16) T copied = value;
  store_vector_global<1>(out, &copied);
}

// fp4: element `index` of packed memory.
__device__ inline float4_e2m1fn load_packed(const float4_e2m1fn_x2* in, long long index) {
  return {(unsigned char)(in[index >> 1].bits >> ((index & 1) * 4) & 15)};
}

// The other half of the byte may be written by another thread at the same time, so the two steps
// are atomic ones, of the aligned word around it.
__device__ inline void store_packed(float4_e2m1fn_x2* out, long long index, float4_e2m1fn value) {
  const unsigned long long address = (unsigned long long)(out + (index >> 1));
  unsigned* word = (unsigned*)(address & ~3ull);
  const unsigned shift = (unsigned)(address & 3) * 8 + (unsigned)(index & 1) * 4;
  atomicAnd(word, ~(15u << shift));
  atomicOr(word, (unsigned)value.bits << shift);
}

// Adds to what other threads may add to at the same time.
template <typename T>
__device__ inline void add_to(T* out, T value) {
  atomicAdd(out, value);
}
__device__ inline void add_to(long long* out, long long value) {
  atomicAdd((unsigned long long*)out, (unsigned long long)value);
}
__device__ inline void add_to(half* out, half value) {
  const size_t to = __cvta_generic_to_global(out);
  asm volatile("red.global.add.noftz.f16 [%0], %1;" : : "l"(to), "h"(value.bits) : "memory");
}
__device__ inline void add_to(bfloat16* out, bfloat16 value) {
#if __CUDA_ARCH__ >= 900
  const size_t to = __cvta_generic_to_global(out);
  asm volatile("red.global.add.noftz.bf16 [%0], %1;" : : "l"(to), "h"(value.bits) : "memory");
#else
  unsigned short expected = *(const volatile unsigned short*)out;
  unsigned short found = ~expected;
  while (found != expected) {
    const float sum = from_bfloat16({expected}) + from_bfloat16(value);
    found = expected;
    expected = atomicCAS((unsigned short*)out, found, to_bfloat16(sum).bits);
  }
#endif
}

// The same of the elements of 16 bytes, by one access where the device can.
template <typename T>
__device__ inline void add_word_to(T* out, const T* values) {
#pragma unroll
  for (int i = 0; i < 16 / (int)sizeof(T); ++i) {
    add_to(out + i, values[i]);
  }
}
#if __CUDA_ARCH__ >= 900
__device__ inline void add_word_to(float* out, const float* values) {
  atomicAdd((float4*)out, *(const float4*)values);
}
__device__ inline void add_word_to(half* out, const half* values) {
  const size_t to = __cvta_generic_to_global(out);
  const uint4 word = *(const uint4*)values;
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
               : "memory");
}
__device__ inline void add_word_to(bfloat16* out, const bfloat16* values) {
  const size_t to = __cvta_generic_to_global(out);
  const uint4 word = *(const uint4*)values;
  asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(word.x), "r"(word.y), "r"(word.z), "r"(word.w)
               : "memory");
}
#endif

// The same of a vector.
template <int N, typename T>
__device__ inline void add_vector_to(T* out, const T* values) {
  constexpr bool has_words = N * sizeof(T) % 16 == 0;
#pragma unroll
  for (int i = 0; i < N; i += has_words ? 16 / (int)sizeof(T) : 1) {
    if constexpr (has_words) {
      add_word_to(out + i, values + i);
    } else {
      add_to(out + i, values[i]);
    }
  }
}

// fp4: N elements between packed memory and elements of a byte each; N is even.
template <int N>
__device__ inline void unpack(float4_e2m1fn* out, const float4_e2m1fn_x2* in) {
  alignas(16) float4_e2m1fn_x2 pairs[N / 2];
  copy<N / 2>(pairs, in);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    out[i].bits = pairs[i / 2].bits >> (i % 2 * 4) & 15;
  }
}

template <int N>
__device__ inline void pack(float4_e2m1fn_x2* out, const float4_e2m1fn* in) {
  alignas(16) float4_e2m1fn_x2 pairs[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {
    pairs[i].bits = in[2 * i].bits | in[2 * i + 1].bits << 4;
  }
  copy<N / 2>(out, pairs);
}

template <int N>
__device__ inline void copy_packed(float4_e2m1fn_x2* out, const float4_e2m1fn_x2* in) {
  copy<N / 2>(out, in);
}

// fp8: stores N elements, an even number, that are rounded two at a time.
template <int N>
__device__ inline void store_rounded(float8_e4m3fn* out, const float* in) {
  alignas(16) unsigned short pairs[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i) {
#if __CUDA_ARCH__ >= 890
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
        : "=h"(pairs[i])
        : "f"(in[2 * i + 1]), "f"(in[2 * i]));
#else
    pairs[i] = to_float8_e4m3fn(in[2 * i]).bits | to_float8_e4m3fn(in[2 * i + 1]).bits << 8;
#endif
  }
  copy<N / 2>(reinterpret_cast<unsigned short*>(out), pairs);
}
