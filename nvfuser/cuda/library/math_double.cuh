// Functions of double. Those that only have a name here are CUDA's own.

__device__ inline double acos_f64(double x) { return acos(x); }

__device__ inline double acosh_f64(double x) { return acosh(x); }

__device__ inline double asin_f64(double x) { return asin(x); }

__device__ inline double asinh_f64(double x) { return asinh(x); }

__device__ inline double atan_f64(double x) { return atan(x); }

__device__ inline double atanh_f64(double x) { return atanh(x); }

__device__ inline double cos_f64(double x) { return cos(x); }

__device__ inline double cosh_f64(double x) { return cosh(x); }

__device__ inline double erf_f64(double x) { return erf(x); }

__device__ inline double erfc_f64(double x) { return erfc(x); }

__device__ inline double erfcinv_f64(double x) { return erfcinv(x); }

__device__ inline double erfinv_f64(double x) { return erfinv(x); }

__device__ inline double exp_f64(double x) { return exp(x); }

__device__ inline double exp2_f64(double x) { return exp2(x); }

__device__ inline double expm1_f64(double x) { return expm1(x); }

__device__ inline double lgamma_f64(double x) { return lgamma(x); }

__device__ inline double log_f64(double x) { return log(x); }

__device__ inline double log10_f64(double x) { return log10(x); }

__device__ inline double log1p_f64(double x) { return log1p(x); }

__device__ inline double log2_f64(double x) { return log2(x); }

__device__ inline double rsqrt_f64(double x) { return rsqrt(x); }

__device__ inline double sin_f64(double x) { return sin(x); }

__device__ inline double sinh_f64(double x) { return sinh(x); }

__device__ inline double tan_f64(double x) { return tan(x); }

__device__ inline double tanh_f64(double x) { return tanh(x); }

__device__ inline double atan2_f64(double y, double x) { return atan2(y, x); }

// Exponents that kernels write as constants are done by multiplication.
__device__ inline double pow_f64(double x, double y) {
  return y == 2.0 ? x * x : y == 3.0 ? x * x * x : pow(x, y);
}

__device__ inline double sigmoid_f64(double x) { return 1.0 / (1.0 + exp(-x)); }

__device__ inline double silu_f64(double x) { return x / (1.0 + exp(-x)); }

// normcdf is CUDA's Phi. -inf gives NaN, as PyTorch has it.
__device__ inline double gelu_f64(double x) { return x * normcdf(x); }

// x/(1 + exp(-v)), v = 2 sqrt(2/pi) (x + 0.044715 x^3), with v to twice the precision: it is an
// exponent.
__device__ inline double gelu_tanh_f64(double x) {
  const double a = fmin(fmax(x, -21.1), 21.1);
  const double square = __dmul_rn(a, a);
  const double square_low = fma(a, a, -square);
  const double product = __dmul_rn(square, 0.07135481627260025);
  const double product_low =
      fma(square, -6.175149918155315e-19,
          fma(square_low, 0.07135481627260025, fma(square, 0.07135481627260025, -product)));
  // Either term may be the larger one.
  const double factor = product + 1.5957691216057308;
  const double part = factor - product;
  const double factor_low = (product - (factor - part)) + (1.5957691216057308 - part) +
                            (product_low + -9.96930880911092e-17);
  const double v = __dmul_rn(a, factor);
  const double v_low = fma(a, factor_low, fma(a, factor, -v));
  const double growth = exp(-v);
  return x < -21.1 ? 0.0 * x : x / (1.0 + fma(growth, -v_low, growth));
}
