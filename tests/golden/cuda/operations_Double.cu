extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const double* __restrict__ T0,
    const double* __restrict__ T1,
    const double* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    double* __restrict__ T4,
    double* __restrict__ T5,
    double* __restrict__ T6,
    double* __restrict__ T7,
    double* __restrict__ T8,
    double* __restrict__ T9,
    double* __restrict__ T10,
    double* __restrict__ T11,
    double* __restrict__ T12,
    double* __restrict__ T13,
    double* __restrict__ T14,
    double* __restrict__ T15,
    double* __restrict__ T16,
    double* __restrict__ T17,
    double* __restrict__ T18,
    double* __restrict__ T19,
    double* __restrict__ T20,
    double* __restrict__ T21,
    double* __restrict__ T22,
    double* __restrict__ T23,
    double* __restrict__ T24,
    unsigned char* __restrict__ T25,
    unsigned char* __restrict__ T26,
    unsigned char* __restrict__ T27,
    unsigned char* __restrict__ T28,
    unsigned char* __restrict__ T29,
    unsigned char* __restrict__ T30,
    double* __restrict__ T31,
    double* __restrict__ T32,
    double* __restrict__ T33,
    double* __restrict__ T34,
    double* __restrict__ T35,
    unsigned char* __restrict__ T37,
    double* __restrict__ T38,
    double* __restrict__ T39,
    double* __restrict__ T40,
    double* __restrict__ T41,
    double* __restrict__ T42,
    double* __restrict__ T43,
    double* __restrict__ T44,
    double* __restrict__ T45,
    unsigned char* __restrict__ T46,
    double* __restrict__ T47,
    double* __restrict__ T48,
    double* __restrict__ T49,
    double* __restrict__ T50,
    double* __restrict__ T51,
    double* __restrict__ T52,
    double* __restrict__ T53,
    double* __restrict__ T54,
    double* __restrict__ T55,
    nvf::complex_f64* __restrict__ T56,
    double* __restrict__ T57,
    double* __restrict__ T58,
    unsigned char* __restrict__ T59,
    double* __restrict__ T60,
    double* __restrict__ T61,
    unsigned char* __restrict__ T62,
    unsigned char* __restrict__ T63,
    unsigned char* __restrict__ T64,
    unsigned char* __restrict__ T67,
    unsigned char* __restrict__ T70,
    unsigned char* __restrict__ T71,
    double* __restrict__ T72,
    double* __restrict__ T73,
    double* __restrict__ T74,
    double* __restrict__ T75,
    unsigned char* __restrict__ T76,
    double* __restrict__ T77,
    double* __restrict__ T78,
    double* __restrict__ T79,
    double* __restrict__ T80,
    double* __restrict__ T81,
    double* __restrict__ T82,
    double* __restrict__ T83,
    double* __restrict__ T84,
    double* __restrict__ T85,
    double* __restrict__ T86) {
  nvf::follow_kernel<1024>(T0, T1, T2, T3);
  const int thread_x = threadIdx.x;
  unsigned char T36;
  unsigned char T65;
  unsigned char T66;
  unsigned char T68;
  unsigned char T69;
  T4[thread_x] = nvf::abs_f64(T0[thread_x]);
  T5[thread_x] = nvf::acos_f64(T0[thread_x]);
  T6[thread_x] = nvf::acosh_f64(T0[thread_x]);
  T7[thread_x] = nvf::asin_f64(T0[thread_x]);
  T8[thread_x] = nvf::asinh_f64(T0[thread_x]);
  T9[thread_x] = nvf::atan_f64(T0[thread_x]);
  T10[thread_x] = nvf::atanh_f64(T0[thread_x]);
  T11[thread_x] = nvf::ceil_f64(T0[thread_x]);
  T12[thread_x] = nvf::cos_f64(T0[thread_x]);
  T13[thread_x] = nvf::cosh_f64(T0[thread_x]);
  T14[thread_x] = nvf::erf_f64(T0[thread_x]);
  T15[thread_x] = nvf::erfc_f64(T0[thread_x]);
  T16[thread_x] = nvf::erfcinv_f64(T0[thread_x]);
  T17[thread_x] = nvf::erfinv_f64(T0[thread_x]);
  T18[thread_x] = nvf::exp_f64(T0[thread_x]);
  T19[thread_x] = nvf::exp2_f64(T0[thread_x]);
  T20[thread_x] = nvf::expm1_f64(T0[thread_x]);
  T21[thread_x] = nvf::floor_f64(T0[thread_x]);
  T22[thread_x] = nvf::frac_f64(T0[thread_x]);
  T23[thread_x] = nvf::gelu_f64(T0[thread_x]);
  T24[thread_x] = nvf::gelu_tanh_f64(T0[thread_x]);
  T25[thread_x] = nvf::isfinite_f64(T0[thread_x]);
  T26[thread_x] = nvf::isinf_f64(T0[thread_x]);
  T27[thread_x] = nvf::isnan_f64(T0[thread_x]);
  T28[thread_x] = nvf::isneginf_f64(T0[thread_x]);
  T29[thread_x] = nvf::isposinf_f64(T0[thread_x]);
  T30[thread_x] = nvf::isreal_f64(T0[thread_x]);
  T31[thread_x] = nvf::lgamma_f64(T0[thread_x]);
  T32[thread_x] = nvf::log_f64(T0[thread_x]);
  T33[thread_x] = nvf::log10_f64(T0[thread_x]);
  T34[thread_x] = nvf::log1p_f64(T0[thread_x]);
  T35[thread_x] = nvf::log2_f64(T0[thread_x]);
  T36 = T0[thread_x] != 0.0;
  T37[thread_x] = !(T36 != 0);
  T38[thread_x] = -T0[thread_x];
  T39[thread_x] = T0[thread_x];
  T40[thread_x] = nvf::reciprocal_f64(T0[thread_x]);
  T41[thread_x] = nvf::relu_f64(T0[thread_x]);
  T42[thread_x] = nvf::round_f64(T0[thread_x]);
  T43[thread_x] = nvf::rsqrt_f64(T0[thread_x]);
  T44[thread_x] = nvf::sigmoid_f64(T0[thread_x]);
  T45[thread_x] = nvf::sign_f64(T0[thread_x]);
  T46[thread_x] = nvf::signbit_f64(T0[thread_x]);
  T47[thread_x] = nvf::silu_f64(T0[thread_x]);
  T48[thread_x] = nvf::sin_f64(T0[thread_x]);
  T49[thread_x] = nvf::sinh_f64(T0[thread_x]);
  T50[thread_x] = nvf::sqrt_f64(T0[thread_x]);
  T51[thread_x] = nvf::tan_f64(T0[thread_x]);
  T52[thread_x] = nvf::tanh_f64(T0[thread_x]);
  T53[thread_x] = nvf::trunc_f64(T0[thread_x]);
  T54[thread_x] = T0[thread_x] + T1[thread_x];
  T55[thread_x] = nvf::atan2_f64(T0[thread_x], T1[thread_x]);
  T56[thread_x] = nvf::complex_f64{T0[thread_x], T1[thread_x]};
  T57[thread_x] = nvf::copysign_f64(T0[thread_x], T1[thread_x]);
  T58[thread_x] = T0[thread_x] / T1[thread_x];
  T59[thread_x] = T0[thread_x] == T1[thread_x];
  T60[thread_x] = nvf::floor_div_f64(T0[thread_x], T1[thread_x]);
  T61[thread_x] = nvf::fmod_f64(T0[thread_x], T1[thread_x]);
  T62[thread_x] = T0[thread_x] >= T1[thread_x];
  T63[thread_x] = T0[thread_x] > T1[thread_x];
  T64[thread_x] = T0[thread_x] <= T1[thread_x];
  T65 = T0[thread_x] != 0.0;
  T66 = T1[thread_x] != 0.0;
  T67[thread_x] = (T65 != 0) && (T66 != 0);
  T68 = T0[thread_x] != 0.0;
  T69 = T1[thread_x] != 0.0;
  T70[thread_x] = (T68 != 0) || (T69 != 0);
  T71[thread_x] = T0[thread_x] < T1[thread_x];
  T72[thread_x] = nvf::maximum_f64(T0[thread_x], T1[thread_x]);
  T73[thread_x] = nvf::minimum_f64(T0[thread_x], T1[thread_x]);
  T74[thread_x] = nvf::fmod_f64(T0[thread_x], T1[thread_x]);
  T75[thread_x] = T0[thread_x] * T1[thread_x];
  T76[thread_x] = T0[thread_x] != T1[thread_x];
  T77[thread_x] = nvf::nextafter_f64(T0[thread_x], T1[thread_x]);
  T78[thread_x] = nvf::pow_f64(T0[thread_x], T1[thread_x]);
  T79[thread_x] = nvf::remainder_f64(T0[thread_x], T1[thread_x]);
  T80[thread_x] = T0[thread_x] - T1[thread_x];
  T81[thread_x] = T0[thread_x] / T1[thread_x];
  T82[thread_x] = (T3[thread_x] != 0) ? T0[thread_x] : T1[thread_x];
  T83[thread_x] = T0[thread_x] + (T2[thread_x] * (T1[thread_x] - T0[thread_x]));
  T84[thread_x] = nvf::clamp(T0[thread_x], 0.0, 1.0);
  T85[thread_x] = nvf::threshold(T0[thread_x], 0.0, 1.0);
  T86[thread_x] = T0[thread_x] + (1.0 * (T1[thread_x] * T2[thread_x]));
}
