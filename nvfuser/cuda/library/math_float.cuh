// Functions of float. Those that only have a name here are CUDA's own. Names with `narrow` are for
// results that are rounded to 16 bits: they are right to 2^-13.

__device__ inline float acos_f32(float x) { return acosf(x); }

__device__ inline float acosh_f32(float x) { return acoshf(x); }

__device__ inline float asin_f32(float x) { return asinf(x); }

__device__ inline float asinh_f32(float x) { return asinhf(x); }

__device__ inline float atan_f32(float x) { return atanf(x); }

__device__ inline float atanh_f32(float x) { return atanhf(x); }

__device__ inline float cos_f32(float x) { return cosf(x); }

__device__ inline float cosh_f32(float x) { return coshf(x); }

__device__ inline float erf_f32(float x) { return erff(x); }

__device__ inline float erfc_f32(float x) { return erfcf(x); }

__device__ inline float erfcinv_f32(float x) { return erfcinvf(x); }

__device__ inline float erfinv_f32(float x) { return erfinvf(x); }

__device__ inline float expm1_f32(float x) { return expm1f(x); }

__device__ inline float lgamma_f32(float x) { return lgammaf(x); }

__device__ inline float log_f32(float x) { return logf(x); }

__device__ inline float log10_f32(float x) { return log10f(x); }

__device__ inline float log1p_f32(float x) { return log1pf(x); }

__device__ inline float log2_f32(float x) { return log2f(x); }

__device__ inline float sin_f32(float x) { return sinf(x); }

__device__ inline float sinh_f32(float x) { return sinhf(x); }

__device__ inline float tan_f32(float x) { return tanf(x); }

__device__ inline float tanh_f32(float x) { return tanhf(x); }

__device__ inline float exp_f32(float x) { return expf(x); }

__device__ inline float exp2_f32(float x) { return exp2f(x); }

__device__ inline float rsqrt_f32(float x) { return rsqrtf(x); }

__device__ inline float atan2_f32(float y, float x) { return atan2f(y, x); }

// Exponents that kernels write as constants are done by multiplication.
__device__ inline float pow_f32(float x, float y) {
  const float square = x * x;
  return y == 2.0f    ? square
         : y == 3.0f  ? square * x
         : y == 4.0f  ? square * square
         : y == -1.0f ? 1.0f / x
         : y == -2.0f ? 1.0f / square
         : y == -3.0f ? 1.0f / (square * x)
         : y == -4.0f ? 1.0f / (square * square)
                      : powf(x, y);
}

// 2^x by the hardware, to 2^-22; results below 2^-126 are 0.
__device__ inline float exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// 1/x by the hardware, to 2^-23; results below 2^-126 are 0.
__device__ inline float reciprocal_fast(float x) {
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// exp(x + low) for |x| up to 88, `low` being tiny: 2^t of the nearest t, and what rounding took.
__device__ inline float exp_small(float x) {
  const float t = x * 1.442695041f;
  const float rest = fmaf(t, 1.904654299957768e-9f, fmaf(t, -0.6931471824645996f, x));
  const float power = exp2_fast(t);
  return fmaf(power, rest, power);
}
__device__ inline float exp_small(float x, float low) {
  const float power = exp_small(x);
  return fmaf(power, low, power);
}

// 1/(1 + exp(-x)), beyond the bounds its limits: exp(88) + 1 has the inverse 0.
__device__ inline float sigmoid_f32(float x) {
  const float bounded = minimum_f32(maximum_f32(x, -88.0f), 88.0f);
  return reciprocal_fast(1.0f + exp_small(-bounded));
}

__device__ inline float silu_f32(float x) { return x * sigmoid_f32(x); }

// max(x, 0) - a Phi(-a), a = |x|, with Phi(-a) = exp(-a^2/2) times a polynomial. What rounding
// takes from a^2/2 matters: it is an exponent.
__device__ inline float gelu_f32(float x) {
  const float a = fminf(fabsf(x), 14.0f);
  const float half = 0.5f * a;
  const float square = __fmul_rn(a, half);
  const float square_low = fmaf(a, half, -square);
  const float sum = a + 3.53125f;
  const float estimate = reciprocal_fast(sum);
  const float inverse = fmaf(estimate, fmaf(-sum, estimate, 1.0f), estimate);
  const float u = fmaf(inverse, -7.0625f, 1.0f);
  float ratio = -2.972713e-05f;
  ratio = fmaf(ratio, u, 5.3545074e-05f);
  ratio = fmaf(ratio, u, 0.00045377263f);
  ratio = fmaf(ratio, u, -0.00034303957f);
  ratio = fmaf(ratio, u, -0.003368531f);
  ratio = fmaf(ratio, u, 0.006009631f);
  ratio = fmaf(ratio, u, 0.019729529f);
  ratio = fmaf(ratio, u, -0.12048552f);
  ratio = fmaf(ratio, u, 0.3203016f);
  ratio = fmaf(ratio, u, -0.5685669f);
  ratio = fmaf(ratio, u, 0.74520606f);
  const float tail = a * inverse * ratio * exp_small(-square, -square_low);
  // 0 x is NaN for -inf, as PyTorch has it.
  return (x > 0.0f ? x : 0.0f * x) - tail;
}

// x/(1 + exp(-v)), v = 2 sqrt(2/pi) (x + 0.044715 x^3), with v to twice the precision: it is an
// exponent.
__device__ inline float gelu_tanh_f32(float x) {
  const float a = fminf(fmaxf(x, -10.05f), 10.05f);
  const float square = __fmul_rn(a, a);
  const float square_low = fmaf(a, a, -square);
  const float product = __fmul_rn(square, 0.071354814f);
  const float product_low = fmaf(
      square, 2.3988325e-09f, fmaf(square_low, 0.071354814f, fmaf(square, 0.071354814f, -product)));
  // Either term may be the larger one.
  const float factor = product + 1.5957692f;
  const float part = factor - product;
  const float factor_low =
      (product - (factor - part)) + (1.5957692f - part) + (product_low + -4.534068e-08f);
  const float v = __fmul_rn(a, factor);
  const float v_low = fmaf(a, factor_low, fmaf(a, factor, -v));
  return x * reciprocal_fast(1.0f + exp_small(-v, -v_low));
}

__device__ inline float exp_narrow_f32(float x) { return exp2_fast(x * 1.442695041f); }

__device__ inline float exp2_narrow_f32(float x) { return exp2_fast(x); }

__device__ inline float sigmoid_narrow_f32(float x) {
  return reciprocal_fast(1.0f + exp2_fast(x * -1.442695041f));
}

__device__ inline float silu_narrow_f32(float x) { return x * sigmoid_narrow_f32(x); }

__device__ inline float tanh_narrow_f32(float x) {
  const float far = fmaf(-2.0f, reciprocal_fast(1.0f + exp2_fast(x * 2.885390082f)), 1.0f);
  const float near = x * fmaf(x * x, -0.33333f, 1.0f);
  return fabsf(x) < 0.06f ? near : far;
}

// x Phi(x), with Phi(-a) = 2^-(1 + a p(a)), a = |x|; p grows beyond its range.
__device__ inline float gelu_narrow_f32(float x) {
  const float a = fabsf(x);
  float exponent = -2.1806328e-09f;
  exponent = fmaf(exponent, a, 1.5501365e-07f);
  exponent = fmaf(exponent, a, -4.8511793e-06f);
  exponent = fmaf(exponent, a, 8.8559456e-05f);
  exponent = fmaf(exponent, a, -0.0010572935f);
  exponent = fmaf(exponent, a, 0.008825508f);
  exponent = fmaf(exponent, a, -0.05434888f);
  exponent = fmaf(exponent, a, -0.45829293f);
  exponent = fmaf(exponent, a, -1.1512426f);
  const float tail = exp2_fast(fmaf(exponent, a, -1.0f));
  return x * (x > 0.0f ? 1.0f - tail : tail);
}

__device__ inline float gelu_tanh_narrow_f32(float x) {
  const float factor = fmaf(x * x, -0.10294324f, -2.3022082f);
  return x * reciprocal_fast(1.0f + exp2_fast(x * factor));
}

// x/y; y is brought near 1 first, whose inverse the hardware has.
__device__ inline float div_narrow_f32(float x, float y) {
  const float size = fabsf(y);
  const float scale = size > 0x1p100f ? 0x1p-100f : size < 0x1p-100f ? 0x1p100f : 1.0f;
  return x * scale * reciprocal_fast(y * scale);
}
