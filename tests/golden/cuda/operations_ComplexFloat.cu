extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const nvf::complex_f32* __restrict__ T0,
    const nvf::complex_f32* __restrict__ T1,
    const nvf::complex_f32* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    float* __restrict__ T4,
    nvf::complex_f32* __restrict__ T5,
    nvf::complex_f32* __restrict__ T6,
    nvf::complex_f32* __restrict__ T7,
    nvf::complex_f32* __restrict__ T8,
    nvf::complex_f32* __restrict__ T9,
    nvf::complex_f32* __restrict__ T10,
    nvf::complex_f32* __restrict__ T11,
    nvf::complex_f32* __restrict__ T12,
    nvf::complex_f32* __restrict__ T13,
    nvf::complex_f32* __restrict__ T14,
    nvf::complex_f32* __restrict__ T15,
    float* __restrict__ T16,
    unsigned char* __restrict__ T17,
    unsigned char* __restrict__ T18,
    unsigned char* __restrict__ T19,
    unsigned char* __restrict__ T20,
    nvf::complex_f32* __restrict__ T21,
    nvf::complex_f32* __restrict__ T22,
    nvf::complex_f32* __restrict__ T23,
    nvf::complex_f32* __restrict__ T24,
    unsigned char* __restrict__ T26,
    nvf::complex_f32* __restrict__ T27,
    float* __restrict__ T28,
    nvf::complex_f32* __restrict__ T29,
    nvf::complex_f32* __restrict__ T30,
    nvf::complex_f32* __restrict__ T31,
    nvf::complex_f32* __restrict__ T32,
    nvf::complex_f32* __restrict__ T33,
    nvf::complex_f32* __restrict__ T34,
    nvf::complex_f32* __restrict__ T35,
    nvf::complex_f32* __restrict__ T36,
    nvf::complex_f32* __restrict__ T37,
    nvf::complex_f32* __restrict__ T38,
    nvf::complex_f32* __restrict__ T39,
    unsigned char* __restrict__ T40,
    unsigned char* __restrict__ T43,
    unsigned char* __restrict__ T46,
    nvf::complex_f32* __restrict__ T47,
    unsigned char* __restrict__ T48,
    nvf::complex_f32* __restrict__ T49,
    nvf::complex_f32* __restrict__ T50,
    nvf::complex_f32* __restrict__ T51,
    nvf::complex_f32* __restrict__ T52,
    nvf::complex_f32* __restrict__ T53,
    nvf::complex_f32* __restrict__ T54) {
  nvf::follow_kernel<1024>(T0, T1, T2, T3);
  const int thread_x = threadIdx.x;
  unsigned char T25;
  unsigned char T41;
  unsigned char T42;
  unsigned char T44;
  unsigned char T45;
  T4[thread_x] = nvf::abs_complex(T0[thread_x]);
  T5[thread_x] = nvf::acos_complex(T0[thread_x]);
  T6[thread_x] = nvf::acosh_complex(T0[thread_x]);
  T7[thread_x] = nvf::asin_complex(T0[thread_x]);
  T8[thread_x] = nvf::asinh_complex(T0[thread_x]);
  T9[thread_x] = nvf::atan_complex(T0[thread_x]);
  T10[thread_x] = nvf::atanh_complex(T0[thread_x]);
  T11[thread_x] = nvf::cos_complex(T0[thread_x]);
  T12[thread_x] = nvf::cosh_complex(T0[thread_x]);
  T13[thread_x] = nvf::exp_complex(T0[thread_x]);
  T14[thread_x] = nvf::exp2_complex(T0[thread_x]);
  T15[thread_x] = nvf::expm1_complex(T0[thread_x]);
  T16[thread_x] = T0[thread_x].im;
  T17[thread_x] = nvf::isfinite_complex(T0[thread_x]);
  T18[thread_x] = nvf::isinf_complex(T0[thread_x]);
  T19[thread_x] = nvf::isnan_complex(T0[thread_x]);
  T20[thread_x] = nvf::isreal_complex(T0[thread_x]);
  T21[thread_x] = nvf::log_complex(T0[thread_x]);
  T22[thread_x] = nvf::log10_complex(T0[thread_x]);
  T23[thread_x] = nvf::log1p_complex(T0[thread_x]);
  T24[thread_x] = nvf::log2_complex(T0[thread_x]);
  T25 = !nvf::logical_not_complex(T0[thread_x]);
  T26[thread_x] = !(T25 != 0);
  T27[thread_x] = nvf::neg_complex(T0[thread_x]);
  T28[thread_x] = T0[thread_x].re;
  T29[thread_x] = nvf::reciprocal_complex(T0[thread_x]);
  T30[thread_x] = nvf::rsqrt_complex(T0[thread_x]);
  T31[thread_x] = nvf::sigmoid_complex(T0[thread_x]);
  T32[thread_x] = nvf::silu_complex(T0[thread_x]);
  T33[thread_x] = nvf::sin_complex(T0[thread_x]);
  T34[thread_x] = nvf::sinh_complex(T0[thread_x]);
  T35[thread_x] = nvf::sqrt_complex(T0[thread_x]);
  T36[thread_x] = nvf::tan_complex(T0[thread_x]);
  T37[thread_x] = nvf::tanh_complex(T0[thread_x]);
  T38[thread_x] = nvf::add_complex(T0[thread_x], T1[thread_x]);
  T39[thread_x] = nvf::div_complex(T0[thread_x], T1[thread_x]);
  T40[thread_x] = nvf::eq_complex(T0[thread_x], T1[thread_x]);
  T41 = !nvf::logical_not_complex(T0[thread_x]);
  T42 = !nvf::logical_not_complex(T1[thread_x]);
  T43[thread_x] = (T41 != 0) && (T42 != 0);
  T44 = !nvf::logical_not_complex(T0[thread_x]);
  T45 = !nvf::logical_not_complex(T1[thread_x]);
  T46[thread_x] = (T44 != 0) || (T45 != 0);
  T47[thread_x] = nvf::mul_complex(T0[thread_x], T1[thread_x]);
  T48[thread_x] = nvf::ne_complex(T0[thread_x], T1[thread_x]);
  T49[thread_x] = nvf::pow_complex(T0[thread_x], T1[thread_x]);
  T50[thread_x] = nvf::sub_complex(T0[thread_x], T1[thread_x]);
  T51[thread_x] = nvf::div_complex(T0[thread_x], T1[thread_x]);
  T52[thread_x] = (T3[thread_x] != 0) ? T0[thread_x] : T1[thread_x];
  T53[thread_x] = nvf::add_complex(T0[thread_x], nvf::mul_complex(T2[thread_x], nvf::sub_complex(T1[thread_x], T0[thread_x])));
  T54[thread_x] = nvf::add_complex(T0[thread_x], nvf::mul_complex(nvf::complex_f32{1.0f, 0.0f}, nvf::mul_complex(T1[thread_x], T2[thread_x])));
}
