// Arithmetic on integers: signed char, unsigned char, short, unsigned short, int, unsigned, long
// long and unsigned long long. It wraps, and nothing traps: a zero divisor gives -1 (all bits set), and the
// dividend as the remainder. C++ computes with narrow ones as int; 1u makes that unsigned where it
// could overflow.

template <typename T>
struct Unsigned;
template <>
struct Unsigned<signed char> {
  using type = unsigned char;
};
template <>
struct Unsigned<unsigned char> {
  using type = unsigned char;
};
template <>
struct Unsigned<short> {
  using type = unsigned short;
};
template <>
struct Unsigned<unsigned short> {
  using type = unsigned short;
};
template <>
struct Unsigned<int> {
  using type = unsigned;
};
template <>
struct Unsigned<unsigned> {
  using type = unsigned;
};
template <>
struct Unsigned<long long> {
  using type = unsigned long long;
};
template <>
struct Unsigned<unsigned long long> {
  using type = unsigned long long;
};

template <typename T>
__device__ inline T add_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  return (T)((U)a + (U)b);
}

template <typename T>
__device__ inline T sub_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  return (T)((U)a - (U)b);
}

template <typename T>
__device__ inline T mul_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  return (T)(1u * (U)a * (U)b);
}

template <typename T>
__device__ inline T neg_int(T x) {
  return sub_int((T)0, x);
}

template <typename T>
__device__ inline bool is_negative(T x) {
  if constexpr ((T)-1 < (T)1) {
    return x < 0;
  } else {
    return false;
  }
}

template <typename T>
__device__ inline T abs_int(T x) {
  return is_negative(x) ? neg_int(x) : x;
}

// The quotient rounded up, of a dividend that is not negative and a positive divisor.
template <typename T>
__device__ inline T ceilDiv_int(T a, T b) {
  return b == 0 ? (T)-1 : (T)(a / b + (T)(a % b != 0));
}

template <typename T>
__device__ inline T sign_int(T x) {
  return x > 0 ? (T)1 : is_negative(x) ? (T)-1 : (T)0;
}

template <typename T>
__device__ inline T relu_int(T x) {
  return x > 0 ? x : (T)0;
}

template <typename T>
__device__ inline T bitwise_not_int(T x) {
  return ~x;
}

// Integers are whole.
template <typename T>
__device__ inline T ceil_int(T x) {
  return x;
}

template <typename T>
__device__ inline T floor_int(T x) {
  return x;
}

template <typename T>
__device__ inline T round_int(T x) {
  return x;
}

template <typename T>
__device__ inline T trunc_int(T x) {
  return x;
}

template <typename T>
__device__ inline T frac_int(T) {
  return 0;
}

template <typename T>
__device__ inline bool isnan_int(T) {
  return false;
}

template <typename T>
__device__ inline bool isinf_int(T) {
  return false;
}

template <typename T>
__device__ inline bool isposinf_int(T) {
  return false;
}

template <typename T>
__device__ inline bool isneginf_int(T) {
  return false;
}

template <typename T>
__device__ inline bool isfinite_int(T) {
  return true;
}

template <typename T>
__device__ inline bool isreal_int(T) {
  return true;
}

template <typename T>
__device__ inline bool signbit_int(T x) {
  return is_negative(x);
}

template <typename T>
__device__ inline T maximum_int(T a, T b) {
  return a > b ? a : b;
}

template <typename T>
__device__ inline T minimum_int(T a, T b) {
  return a < b ? a : b;
}

// Truncated toward zero. The lowest number divided by -1 wraps.
template <typename T>
__device__ inline T div_int(T a, T b) {
  if (b == 0) {
    return (T)-1;
  }
  return is_negative(b) && b == (T)-1 ? neg_int(a) : a / b;
}

// Remainder with the sign of the dividend.
template <typename T>
__device__ inline T mod_int(T a, T b) {
  if (b == 0) {
    return a;
  }
  return is_negative(b) && b == (T)-1 ? (T)0 : a % b;
}

template <typename T>
__device__ inline T fmod_int(T a, T b) {
  return mod_int(a, b);
}

// Remainder with the sign of the divisor.
template <typename T>
__device__ inline T remainder_int(T a, T b) {
  const T rest = mod_int(a, b);
  // A zero divisor leaves the dividend; adding zero does not change it.
  return rest != 0 && is_negative(rest) != is_negative(b) ? rest + b : rest;
}

// Quotient rounded toward minus infinity.
template <typename T>
__device__ inline T floor_div_int(T a, T b) {
  const T quotient = div_int(a, b);
  const T rest = mod_int(a, b);
  return b != 0 && rest != 0 && is_negative(rest) != is_negative(b) ? quotient - 1 : quotient;
}

// A count that is negative or not below the width gives zeros, or copies of the sign.
template <typename T>
__device__ inline T bitwise_left_shift_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  return (U)b < sizeof(T) * 8 ? (T)(1u * (U)a << b) : (T)0;
}

template <typename T>
__device__ inline T bitwise_right_shift_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  const U last = sizeof(T) * 8 - 1;
  return (U)b <= last ? a >> b : is_negative(a) ? (T)-1 : (T)0;
}

template <typename T>
__device__ inline T logical_right_shift_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  return (U)b < sizeof(T) * 8 ? (T)((U)a >> b) : (T)0;
}

// Euclid's algorithm.
template <typename T>
__device__ inline T gcd_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  U x = (U)abs_int(a);
  U y = (U)abs_int(b);
  while (y != 0) {
    const U rest = x % y;
    x = y;
    y = rest;
  }
  return (T)x;
}

// The magnitudes' product, wrapping, without one of the factors that they share.
template <typename T>
__device__ inline T lcm_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  const U x = (U)abs_int(a);
  const U y = (U)abs_int(b);
  U divisor = x;
  for (U other = y; other != 0;) {
    const U rest = divisor % other;
    divisor = other;
    other = rest;
  }
  return divisor == 0 ? (T)0 : (T)(1u * (U)(x / divisor) * y);
}

// Square and multiply, wrapping; a negative exponent gives 0 but for the bases 1 and -1.
template <typename T>
__device__ inline T pow_int(T a, T b) {
  using U = typename Unsigned<T>::type;
  if (is_negative(b) && a != (T)1 && a != (T)-1) {
    return 0;
  }
  U product = 1;
  U base = (U)a;
  for (U exponent = (U)b; exponent != 0; exponent >>= 1) {
    if (exponent & 1) {
      product = (U)(1u * product * base);
    }
    base = (U)(1u * base * base);
  }
  return (T)product;
}
