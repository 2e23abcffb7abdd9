// Arithmetic, rounding and classification of double: exact, or correctly rounded.

__device__ inline double infinity_f64() { return __longlong_as_double(0x7ff0000000000000ll); }

__device__ inline double nan_f64() { return __longlong_as_double(0x7ff8000000000000ll); }

__device__ inline double abs_f64(double x) { return fabs(x); }

__device__ inline double ceil_f64(double x) { return ceil(x); }

__device__ inline double floor_f64(double x) { return floor(x); }

// Halfway cases to even.
__device__ inline double round_f64(double x) { return rint(x); }

__device__ inline double trunc_f64(double x) { return trunc(x); }

__device__ inline double frac_f64(double x) { return x - trunc(x); }

__device__ inline double sqrt_f64(double x) { return sqrt(x); }

__device__ inline double reciprocal_f64(double x) { return 1.0 / x; }

// NaN stays.
__device__ inline double relu_f64(double x) { return x < 0.0 ? 0.0 : x; }

__device__ inline double sign_f64(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

__device__ inline bool isnan_f64(double x) { return x != x; }

__device__ inline bool isinf_f64(double x) { return fabs(x) == infinity_f64(); }

__device__ inline bool isfinite_f64(double x) { return fabs(x) < infinity_f64(); }

__device__ inline bool isposinf_f64(double x) { return x == infinity_f64(); }

__device__ inline bool isneginf_f64(double x) { return x == -infinity_f64(); }

__device__ inline bool isreal_f64(double) { return true; }

__device__ inline bool signbit_f64(double x) { return __double_as_longlong(x) < 0; }

// NaN wins.
__device__ inline double maximum_f64(double a, double b) { return a > b || a != a ? a : b; }

// NaN wins.
__device__ inline double minimum_f64(double a, double b) { return a < b || a != a ? a : b; }

// Remainder with the sign of the dividend, exact.
__device__ inline double fmod_f64(double a, double b) { return fmod(a, b); }

__device__ inline double mod_f64(double a, double b) { return fmod(a, b); }

// Remainder with the sign of the divisor, as torch.remainder.
__device__ inline double remainder_f64(double a, double b) {
  const double rest = fmod(a, b);
  return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

// Quotient rounded toward minus infinity, from the exact remainder as torch.floor_divide.
__device__ inline double floor_div_f64(double a, double b) {
  if (b == 0.0) {
    return a / b;
  }
  const double rest = fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0.0 && (rest < 0.0) != (b < 0.0)) {
    quotient -= 1.0;
  }
  if (quotient == 0.0) {
    return copysign(0.0, a / b);
  }
  const double floored = floor(quotient);
  // The division may have rounded down to just below an integer.
  return quotient - floored > 0.5 ? floored + 1.0 : floored;
}

__device__ inline double copysign_f64(double a, double b) { return copysign(a, b); }

__device__ inline double nextafter_f64(double a, double b) { return nextafter(a, b); }
