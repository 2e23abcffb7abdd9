// Complex numbers. Arithmetic is done in their own precision, everything else in double.

__device__ inline complex_f64 widen_complex(complex_f32 z) { return {z.re, z.im}; }

__device__ inline complex_f32 narrow_complex(complex_f64 z) { return {(float)z.re, (float)z.im}; }

template <typename C>
__device__ inline C add_complex(C z, C w) {
  return {z.re + w.re, z.im + w.im};
}

template <typename C>
__device__ inline C sub_complex(C z, C w) {
  return {z.re - w.re, z.im - w.im};
}

// Not contracted to fused operations: the product of conjugates is to be real.
__device__ inline complex_f32 mul_complex(complex_f32 z, complex_f32 w) {
  return {__fmul_rn(z.re, w.re) - __fmul_rn(z.im, w.im),
          __fmul_rn(z.re, w.im) + __fmul_rn(z.im, w.re)};
}
__device__ inline complex_f64 mul_complex(complex_f64 z, complex_f64 w) {
  return {__dmul_rn(z.re, w.re) - __dmul_rn(z.im, w.im),
          __dmul_rn(z.re, w.im) + __dmul_rn(z.im, w.re)};
}

template <typename C>
__device__ inline C neg_complex(C z) {
  return {-z.re, -z.im};
}

template <typename C>
__device__ inline bool eq_complex(C z, C w) {
  return z.re == w.re && z.im == w.im;
}

template <typename C>
__device__ inline bool ne_complex(C z, C w) {
  return !eq_complex(z, w);
}

template <typename C>
__device__ inline bool logical_not_complex(C z) {
  return z.re == 0 && z.im == 0;
}

template <typename C>
__device__ inline bool isreal_complex(C z) {
  return z.im == 0;
}

template <typename C>
__device__ inline bool isnan_complex(C z) {
  return z.re != z.re || z.im != z.im;
}

template <typename C>
__device__ inline bool isfinite_complex(C z) {
  return z.re - z.re == 0 && z.im - z.im == 0;
}

template <typename C>
__device__ inline bool isinf_complex(C z) {
  return (z.re == z.re && z.re - z.re != 0) || (z.im == z.im && z.im - z.im != 0);
}

__device__ inline double abs_complex(complex_f64 z) { return hypot(z.re, z.im); }
__device__ inline float abs_complex(complex_f32 z) {
  return (float)hypot((double)z.re, (double)z.im);
}

// Smith's method: scaled by the larger part of the divisor.
__device__ inline complex_f64 div_complex(complex_f64 z, complex_f64 w) {
  if (w.re == 0.0 && w.im == 0.0) {
    return {z.re / fabs(w.re), z.im / fabs(w.re)};
  }
  if (fabs(w.re) >= fabs(w.im)) {
    const double ratio = w.im / w.re;
    const double scale = fma(w.im, ratio, w.re);
    return {fma(z.im, ratio, z.re) / scale, fma(-z.re, ratio, z.im) / scale};
  }
  const double ratio = w.re / w.im;
  const double scale = fma(w.re, ratio, w.im);
  return {fma(z.re, ratio, z.im) / scale, fma(z.im, ratio, -z.re) / scale};
}
__device__ inline complex_f32 div_complex(complex_f32 z, complex_f32 w) {
  return narrow_complex(div_complex(widen_complex(z), widen_complex(w)));
}

__device__ inline complex_f64 reciprocal_complex(complex_f64 z) {
  return div_complex(complex_f64{1.0, 0.0}, z);
}
__device__ inline complex_f32 reciprocal_complex(complex_f32 z) {
  return narrow_complex(reciprocal_complex(widen_complex(z)));
}

// z/|z|, 0 at 0.
__device__ inline complex_f64 sign_complex(complex_f64 z) {
  const double size = hypot(z.re, z.im);
  return size == 0.0 ? complex_f64{0.0, 0.0} : complex_f64{z.re / size, z.im / size};
}
__device__ inline complex_f32 sign_complex(complex_f32 z) {
  return narrow_complex(sign_complex(widen_complex(z)));
}

// (growth cos(y), growth sin(y)): without NaN where y is 0, or growth is 0 and y not finite.
__device__ inline complex_f64 rotated(double growth, double y) {
  if (y == 0.0) {
    return {growth, y};
  }
  // Without an angle, an infinite or vanishing magnitude is all that is known.
  if (!(fabs(y) < infinity_f64()) && (growth == 0.0 || growth == infinity_f64())) {
    return {growth, growth == 0.0 ? 0.0 : y - y};
  }
  double sine;
  double cosine;
  sincos(y, &sine, &cosine);
  return {growth * cosine, growth * sine};
}

__device__ inline complex_f64 exp_complex(complex_f64 z) {
  if (z.re > 709.0 && z.re < 1500.0) {
    // exp overflows earlier than the result does.
    const complex_f64 part = rotated(exp(z.re - 700.0), z.im);
    return {part.re * exp(700.0), part.im == 0.0 ? part.im : part.im * exp(700.0)};
  }
  return rotated(exp(z.re), z.im);
}
__device__ inline complex_f32 exp_complex(complex_f32 z) {
  return narrow_complex(exp_complex(widen_complex(z)));
}

__device__ inline complex_f64 exp2_complex(complex_f64 z) {
  return rotated(exp2(z.re), z.im * 0.69314718055994530942);
}
__device__ inline complex_f32 exp2_complex(complex_f32 z) {
  return narrow_complex(exp2_complex(widen_complex(z)));
}

// (expm1(x) cos(y) - 2 sin(y/2)^2) + i exp(x) sin(y).
__device__ inline complex_f64 expm1_complex(complex_f64 z) {
  const double growth = expm1(z.re);
  if (z.im == 0.0) {
    return {growth, z.im};
  }
  const double half = sin(0.5 * z.im);
  return {growth * cos(z.im) - 2.0 * half * half, exp(z.re) * sin(z.im)};
}
__device__ inline complex_f32 expm1_complex(complex_f32 z) {
  return narrow_complex(expm1_complex(widen_complex(z)));
}

// log|z|: near 1 from what |z|^2 differs from 1.
__device__ inline double log_abs(double x, double y) {
  const double large = fmax(fabs(x), fabs(y));
  const double small = fmin(fabs(x), fabs(y));
  if (large > 0.5 && large < 1.5 && small < 1.5) {
    return 0.5 * log1p(fma(large - 1.0, large + 1.0, small * small));
  }
  if (large > 1e300 && large < infinity_f64()) {
    return log(hypot(0.25 * x, 0.25 * y)) + 1.3862943611198906188;
  }
  return log(hypot(x, y));
}

__device__ inline complex_f64 log_complex(complex_f64 z) {
  return {log_abs(z.re, z.im), atan2(z.im, z.re)};
}
__device__ inline complex_f32 log_complex(complex_f32 z) {
  return narrow_complex(log_complex(widen_complex(z)));
}

__device__ inline complex_f64 log2_complex(complex_f64 z) {
  const complex_f64 natural = log_complex(z);
  return {natural.re * 1.4426950408889634074, natural.im * 1.4426950408889634074};
}
__device__ inline complex_f32 log2_complex(complex_f32 z) {
  return narrow_complex(log2_complex(widen_complex(z)));
}

__device__ inline complex_f64 log10_complex(complex_f64 z) {
  const complex_f64 natural = log_complex(z);
  return {natural.re * 0.43429448190325182765, natural.im * 0.43429448190325182765};
}
__device__ inline complex_f32 log10_complex(complex_f32 z) {
  return narrow_complex(log10_complex(widen_complex(z)));
}

// log1p(x (2 + x) + y^2)/2 + i atan2(y, 1 + x) near 0.
__device__ inline complex_f64 log1p_complex(complex_f64 z) {
  const double one = z.re + 1.0;
  const bool is_small = fabs(z.re) < 0.5 && fabs(z.im) < 0.5;
  const double size =
      is_small ? 0.5 * log1p(fma(z.re, z.re + 2.0, z.im * z.im)) : log_abs(one, z.im);
  return {size, atan2(z.im, one)};
}
__device__ inline complex_f32 log1p_complex(complex_f32 z) {
  return narrow_complex(log1p_complex(widen_complex(z)));
}

__device__ inline complex_f64 sqrt_complex(complex_f64 z) {
  const double infinity = infinity_f64();
  if (fabs(z.im) == infinity) {
    return {infinity, z.im};
  }
  if (z.re == 0.0 && z.im == 0.0) {
    return {0.0, z.im};
  }
  if (fabs(z.re) == infinity) {
    const double none = z.im != z.im ? z.im : 0.0;
    return z.re > 0.0 ? complex_f64{infinity, copysign(none, z.im)}
                      : complex_f64{none, copysign(infinity, z.im)};
  }
  // Scaled, so that neither the sum overflows nor the squares vanish.
  const double size = fmax(fabs(z.re), fabs(z.im));
  const double scale = size > 1e300 ? 0.0625 : size < 1e-290 ? 0x1p108 : 1.0;
  const double back = size > 1e300 ? 4.0 : size < 1e-290 ? 0x1p-54 : 1.0;
  const double x = z.re * scale;
  const double y = z.im * scale;
  const double root = sqrt(0.5 * (fabs(x) + hypot(x, y)));
  const double rest = 0.5 * fabs(y) / root;
  return x >= 0.0 ? complex_f64{root * back, copysign(rest * back, y)}
                  : complex_f64{rest * back, copysign(root * back, y)};
}
__device__ inline complex_f32 sqrt_complex(complex_f32 z) {
  return narrow_complex(sqrt_complex(widen_complex(z)));
}

__device__ inline complex_f64 rsqrt_complex(complex_f64 z) {
  return reciprocal_complex(sqrt_complex(z));
}
__device__ inline complex_f32 rsqrt_complex(complex_f32 z) {
  return narrow_complex(rsqrt_complex(widen_complex(z)));
}

// i z and -i z: the trigonometric functions are the hyperbolic ones of these.
__device__ inline complex_f64 times_i(complex_f64 z) { return {-z.im, z.re}; }

__device__ inline complex_f64 times_minus_i(complex_f64 z) { return {z.im, -z.re}; }

__device__ inline complex_f64 sinh_complex(complex_f64 z) {
  if (z.im == 0.0) {
    return {sinh(z.re), z.im};
  }
  double sine;
  double cosine;
  sincos(z.im, &sine, &cosine);
  if (fabs(z.re) > 700.0) {
    const complex_f64 half = exp_complex(complex_f64{fabs(z.re) - 0.69314718055994530942, z.im});
    return {copysign(1.0, z.re) * half.re, half.im};
  }
  return {sinh(z.re) * cosine, cosh(z.re) * sine};
}
__device__ inline complex_f32 sinh_complex(complex_f32 z) {
  return narrow_complex(sinh_complex(widen_complex(z)));
}

__device__ inline complex_f64 cosh_complex(complex_f64 z) {
  if (z.im == 0.0) {
    return {cosh(z.re), z.re < 0.0 ? -z.im : z.im};
  }
  double sine;
  double cosine;
  sincos(z.im, &sine, &cosine);
  if (fabs(z.re) > 700.0) {
    const complex_f64 half = exp_complex(complex_f64{fabs(z.re) - 0.69314718055994530942, z.im});
    return {half.re, copysign(1.0, z.re) * half.im};
  }
  return {cosh(z.re) * cosine, sinh(z.re) * sine};
}
__device__ inline complex_f32 cosh_complex(complex_f32 z) {
  return narrow_complex(cosh_complex(widen_complex(z)));
}

// Kahan's formula.
__device__ inline complex_f64 tanh_complex(complex_f64 z) {
  if (z.im == 0.0) {
    return {tanh(z.re), z.im};
  }
  if (fabs(z.re) > 20.0) {
    const double rest = 4.0 * exp(-2.0 * fabs(z.re));
    const double product = fabs(z.im) < infinity_f64() ? sin(z.im) * cos(z.im) : z.im;
    return {copysign(1.0, z.re), rest == 0.0 ? copysign(0.0, product) : rest * product};
  }
  const double tangent = tan(z.im);
  const double beta = fma(tangent, tangent, 1.0);
  const double s = sinh(z.re);
  const double rho = sqrt(fma(s, s, 1.0));
  const double divisor = fma(beta * s, s, 1.0);
  return {beta * rho * s / divisor, tangent / divisor};
}
__device__ inline complex_f32 tanh_complex(complex_f32 z) {
  return narrow_complex(tanh_complex(widen_complex(z)));
}

template <typename C>
__device__ inline C sin_complex(C z) {
  const complex_f64 result = times_minus_i(sinh_complex(times_i(complex_f64{z.re, z.im})));
  return {(decltype(z.re))result.re, (decltype(z.re))result.im};
}

template <typename C>
__device__ inline C cos_complex(C z) {
  const complex_f64 result = cosh_complex(times_i(complex_f64{z.re, z.im}));
  return {(decltype(z.re))result.re, (decltype(z.re))result.im};
}

template <typename C>
__device__ inline C tan_complex(C z) {
  const complex_f64 result = times_minus_i(tanh_complex(times_i(complex_f64{z.re, z.im})));
  return {(decltype(z.re))result.re, (decltype(z.re))result.im};
}

// The inverse functions are Kahan's, by way of square roots; far away they are logarithms.
__device__ inline bool is_far(complex_f64 z) { return fabs(z.re) > 1e150 || fabs(z.im) > 1e150; }

// log(2 |z|).
__device__ inline double log_twice(complex_f64 z) {
  return log_abs(0.5 * z.re, 0.5 * z.im) + 1.3862943611198906188;
}

__device__ inline complex_f64 asin_complex(complex_f64 z) {
  if (is_far(z)) {
    return {atan2(z.re, fabs(z.im)), copysign(log_twice(z), z.im)};
  }
  const complex_f64 below = sqrt_complex(complex_f64{1.0 - z.re, -z.im});
  const complex_f64 above = sqrt_complex(complex_f64{1.0 + z.re, z.im});
  return {atan2(z.re, below.re * above.re - below.im * above.im),
          asinh(below.re * above.im - below.im * above.re)};
}
__device__ inline complex_f32 asin_complex(complex_f32 z) {
  return narrow_complex(asin_complex(widen_complex(z)));
}

__device__ inline complex_f64 acos_complex(complex_f64 z) {
  if (is_far(z)) {
    return {atan2(fabs(z.im), z.re), -copysign(log_twice(z), z.im)};
  }
  const complex_f64 below = sqrt_complex(complex_f64{1.0 - z.re, -z.im});
  const complex_f64 above = sqrt_complex(complex_f64{1.0 + z.re, z.im});
  return {2.0 * atan2(below.re, above.re), asinh(above.re * below.im - above.im * below.re)};
}
__device__ inline complex_f32 acos_complex(complex_f32 z) {
  return narrow_complex(acos_complex(widen_complex(z)));
}

template <typename C>
__device__ inline C asinh_complex(C z) {
  const complex_f64 result = times_minus_i(asin_complex(times_i(complex_f64{z.re, z.im})));
  return {(decltype(z.re))result.re, (decltype(z.re))result.im};
}

__device__ inline complex_f64 acosh_complex(complex_f64 z) {
  if (is_far(z)) {
    return {log_twice(z), atan2(z.im, z.re)};
  }
  const complex_f64 below = sqrt_complex(complex_f64{z.re - 1.0, z.im});
  const complex_f64 above = sqrt_complex(complex_f64{z.re + 1.0, z.im});
  return {asinh(below.re * above.re + below.im * above.im), 2.0 * atan2(below.im, above.re)};
}
__device__ inline complex_f32 acosh_complex(complex_f32 z) {
  return narrow_complex(acosh_complex(widen_complex(z)));
}

__device__ inline complex_f64 atanh_complex(complex_f64 z) {
  if (is_far(z)) {
    return {copysign(0.0, z.re), copysign(1.5707963267948966192, z.im)};
  }
  const double x = fabs(z.re);
  const double distance = fma(1.0 - x, 1.0 - x, z.im * z.im);
  return {copysign(0.25 * log1p(4.0 * x / distance), z.re),
          0.5 * atan2(2.0 * z.im, (1.0 - x) * (1.0 + x) - z.im * z.im)};
}
__device__ inline complex_f32 atanh_complex(complex_f32 z) {
  return narrow_complex(atanh_complex(widen_complex(z)));
}

template <typename C>
__device__ inline C atan_complex(C z) {
  const complex_f64 result = times_minus_i(atanh_complex(times_i(complex_f64{z.re, z.im})));
  return {(decltype(z.re))result.re, (decltype(z.re))result.im};
}

// 1/(1 + exp(-z)). Where exp(-z) overflows its parts may be NaN; the limit is 0.
__device__ inline complex_f64 sigmoid_complex(complex_f64 z) {
  if (z.re < -709.0) {
    return {0.0, 0.0};
  }
  const complex_f64 growth = exp_complex(complex_f64{-z.re, -z.im});
  return reciprocal_complex(complex_f64{growth.re + 1.0, growth.im});
}
__device__ inline complex_f32 sigmoid_complex(complex_f32 z) {
  return narrow_complex(sigmoid_complex(widen_complex(z)));
}

__device__ inline complex_f64 silu_complex(complex_f64 z) {
  return mul_complex(z, sigmoid_complex(z));
}
__device__ inline complex_f32 silu_complex(complex_f32 z) {
  return narrow_complex(silu_complex(widen_complex(z)));
}

// exp(w log(z)); 1 for the exponent 0.
__device__ inline complex_f64 pow_complex(complex_f64 z, complex_f64 w) {
  if (w.re == 0.0 && w.im == 0.0) {
    return {1.0, 0.0};
  }
  return exp_complex(mul_complex(w, log_complex(z)));
}
__device__ inline complex_f32 pow_complex(complex_f32 z, complex_f32 w) {
  return narrow_complex(pow_complex(widen_complex(z), widen_complex(w)));
}
