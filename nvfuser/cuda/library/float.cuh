// Arithmetic, rounding and classification of float: exact, or correctly rounded.

__device__ inline float infinity_f32() { return __uint_as_float(0x7f800000u); }

__device__ inline float nan_f32() { return __uint_as_float(0x7fc00000u); }

__device__ inline float abs_f32(float x) { return fabsf(x); }

__device__ inline float ceil_f32(float x) { return ceilf(x); }

__device__ inline float floor_f32(float x) { return floorf(x); }

// Halfway cases to even.
__device__ inline float round_f32(float x) { return rintf(x); }

__device__ inline float trunc_f32(float x) { return truncf(x); }

__device__ inline float frac_f32(float x) { return x - truncf(x); }

__device__ inline float sqrt_f32(float x) { return sqrtf(x); }

__device__ inline float reciprocal_f32(float x) { return 1.0f / x; }

// The quotient, correctly rounded. A numerator of zero would take the division's slow path, on which
// all of a warp waits, and masks make many: it is divided as another number, then multiplied.
__device__ inline float div_f32(float a, float b) {
  const bool is_zero = a == 0.0f;
  const float quotient = (is_zero ? 0x1p-30f : a) / b;
  return is_zero ? a * quotient : quotient;
}

// The quotient where many have the divisor: compilers compute once what depends on that alone, and no
// element waits for the slow path of another. Correctly rounded (Markstein, "Computation of
// elementary functions on the IBM RISC System/6000 processor", 1990), but for one unit of results
// below 2^-126 and of numerators below 2^-100. Both are multiplied where divisors would have no
// reciprocal. Where the rest is zero or no number, the first guess is the result.
__device__ inline float div_shared_f32(float a, float b) {
  const float size = fabsf(b);
  const float scale = size > 0x1p125f ? 0x1p-32f : size < 0x1p-64f ? 0x1p64f : 1.0f;
  const float divisor = b * scale;
  const float reciprocal = reciprocal_f32(divisor);
  const float numerator = a * scale;
  const float guess = numerator * reciprocal;
  const float rest = fmaf(-divisor, guess, numerator);
  const float quotient = fmaf(rest, reciprocal, guess);
  return rest != 0.0f && quotient == quotient ? quotient : guess;
}

// NaN stays.
__device__ inline float relu_f32(float x) { return maximum_f32(x, 0.0f); }

__device__ inline float sign_f32(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f; }

__device__ inline bool isnan_f32(float x) { return x != x; }

__device__ inline bool isinf_f32(float x) { return fabsf(x) == infinity_f32(); }

__device__ inline bool isfinite_f32(float x) { return fabsf(x) < infinity_f32(); }

__device__ inline bool isposinf_f32(float x) { return x == infinity_f32(); }

__device__ inline bool isneginf_f32(float x) { return x == -infinity_f32(); }

__device__ inline bool isreal_f32(float) { return true; }

__device__ inline bool signbit_f32(float x) { return __float_as_int(x) < 0; }

// NaN wins.
__device__ inline float maximum_f32(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a > b || a != a ? a : b;
#endif
}

// NaN wins.
__device__ inline float minimum_f32(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a < b || a != a ? a : b;
#endif
}

// Remainder with the sign of the dividend, exact.
__device__ inline float fmod_f32(float a, float b) { return fmodf(a, b); }

__device__ inline float mod_f32(float a, float b) { return fmodf(a, b); }

// Remainder with the sign of the divisor, as torch.remainder.
__device__ inline float remainder_f32(float a, float b) {
  const float rest = fmodf(a, b);
  return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

// Quotient rounded toward minus infinity, from the exact remainder as torch.floor_divide.
__device__ inline float floor_div_f32(float a, float b) {
  if (b == 0.0f) {
    return a / b;
  }
  const float rest = fmodf(a, b);
  float quotient = (a - rest) / b;
  if (rest != 0.0f && (rest < 0.0f) != (b < 0.0f)) {
    quotient -= 1.0f;
  }
  if (quotient == 0.0f) {
    return copysignf(0.0f, a / b);
  }
  const float floored = floorf(quotient);
  // The division may have rounded down to just below an integer.
  return quotient - floored > 0.5f ? floored + 1.0f : floored;
}

__device__ inline float copysign_f32(float a, float b) { return copysignf(a, b); }

__device__ inline float nextafter_f32(float a, float b) { return nextafterf(a, b); }
