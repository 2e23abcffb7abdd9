// Arithmetic on indices, which are int or long long. They are not negative where they are divided,
// and unsigned division is the cheaper one. An extent may be 0: nothing runs over it, but what is
// divided by it may be computed before.

__device__ inline int quotient_of(int a, int b) {
  return (int)((unsigned)a / max((unsigned)b, 1u));
}
__device__ inline long long quotient_of(long long a, long long b) {
  return (long long)((unsigned long long)a / max((unsigned long long)b, 1ull));
}

__device__ inline int remainder_of(int a, int b) {
  return (int)((unsigned)a % max((unsigned)b, 1u));
}
__device__ inline long long remainder_of(long long a, long long b) {
  return (long long)((unsigned long long)a % max((unsigned long long)b, 1ull));
}

template <typename A, typename B>
__device__ inline auto quotient(A a, B b) {
  using T = decltype(a + b);
  return quotient_of((T)a, (T)b);
}

template <typename A, typename B>
__device__ inline auto modulo(A a, B b) {
  using T = decltype(a + b);
  return remainder_of((T)a, (T)b);
}

template <typename A, typename B>
__device__ inline auto ceil_quotient(A a, B b) {
  return quotient(a + b - 1, b);
}

// The same of int, where the host has computed a multiplier and a shift in place of the divisor b.
__device__ inline int quotient_by(int a, int b, unsigned long long divisor) {
  return (int)((unsigned long long)(unsigned)a * (unsigned)divisor >> (unsigned)(divisor >> 32));
}

__device__ inline int modulo_by(int a, int b, unsigned long long divisor) {
  return a - quotient_by(a, b, divisor) * b;
}

__device__ inline int ceil_quotient_by(int a, int b, unsigned long long divisor) {
  return quotient_by(a + b - 1, b, divisor);
}

template <typename A, typename B>
__device__ inline auto smaller(A a, B b) {
  return a < b ? a : b;
}

template <typename A, typename B>
__device__ inline auto larger(A a, B b) {
  return a > b ? a : b;
}
