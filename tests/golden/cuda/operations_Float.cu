extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const float* __restrict__ T0,
    const float* __restrict__ T1,
    const float* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    float* __restrict__ T4,
    float* __restrict__ T5,
    float* __restrict__ T6,
    float* __restrict__ T7,
    float* __restrict__ T8,
    float* __restrict__ T9,
    float* __restrict__ T10,
    float* __restrict__ T11,
    float* __restrict__ T12,
    float* __restrict__ T13,
    float* __restrict__ T14,
    float* __restrict__ T15,
    float* __restrict__ T16,
    float* __restrict__ T17,
    float* __restrict__ T18,
    float* __restrict__ T19,
    float* __restrict__ T20,
    float* __restrict__ T21,
    float* __restrict__ T22,
    float* __restrict__ T23,
    float* __restrict__ T24,
    unsigned char* __restrict__ T25,
    unsigned char* __restrict__ T26,
    unsigned char* __restrict__ T27,
    unsigned char* __restrict__ T28,
    unsigned char* __restrict__ T29,
    unsigned char* __restrict__ T30,
    float* __restrict__ T31,
    float* __restrict__ T32,
    float* __restrict__ T33,
    float* __restrict__ T34,
    float* __restrict__ T35,
    unsigned char* __restrict__ T37,
    float* __restrict__ T38,
    float* __restrict__ T39,
    float* __restrict__ T40,
    float* __restrict__ T41,
    float* __restrict__ T42,
    float* __restrict__ T43,
    float* __restrict__ T44,
    float* __restrict__ T45,
    unsigned char* __restrict__ T46,
    float* __restrict__ T47,
    float* __restrict__ T48,
    float* __restrict__ T49,
    float* __restrict__ T50,
    float* __restrict__ T51,
    float* __restrict__ T52,
    float* __restrict__ T53,
    float* __restrict__ T54,
    float* __restrict__ T55,
    nvf::complex_f32* __restrict__ T56,
    float* __restrict__ T57,
    float* __restrict__ T58,
    unsigned char* __restrict__ T59,
    float* __restrict__ T60,
    float* __restrict__ T61,
    unsigned char* __restrict__ T62,
    unsigned char* __restrict__ T63,
    unsigned char* __restrict__ T64,
    unsigned char* __restrict__ T67,
    unsigned char* __restrict__ T70,
    unsigned char* __restrict__ T71,
    float* __restrict__ T72,
    float* __restrict__ T73,
    float* __restrict__ T74,
    float* __restrict__ T75,
    unsigned char* __restrict__ T76,
    float* __restrict__ T77,
    float* __restrict__ T78,
    float* __restrict__ T79,
    float* __restrict__ T80,
    float* __restrict__ T81,
    float* __restrict__ T82,
    float* __restrict__ T83,
    float* __restrict__ T84,
    float* __restrict__ T85,
    float* __restrict__ T86) {
  nvf::follow_kernel<1024>(T0, T1, T2, T3);
  const int thread_x = threadIdx.x;
  unsigned char T36;
  unsigned char T65;
  unsigned char T66;
  unsigned char T68;
  unsigned char T69;
  T4[thread_x] = nvf::abs_f32(T0[thread_x]);
  T5[thread_x] = nvf::acos_f32(T0[thread_x]);
  T6[thread_x] = nvf::acosh_f32(T0[thread_x]);
  T7[thread_x] = nvf::asin_f32(T0[thread_x]);
  T8[thread_x] = nvf::asinh_f32(T0[thread_x]);
  T9[thread_x] = nvf::atan_f32(T0[thread_x]);
  T10[thread_x] = nvf::atanh_f32(T0[thread_x]);
  T11[thread_x] = nvf::ceil_f32(T0[thread_x]);
  T12[thread_x] = nvf::cos_f32(T0[thread_x]);
  T13[thread_x] = nvf::cosh_f32(T0[thread_x]);
  T14[thread_x] = nvf::erf_f32(T0[thread_x]);
  T15[thread_x] = nvf::erfc_f32(T0[thread_x]);
  T16[thread_x] = nvf::erfcinv_f32(T0[thread_x]);
  T17[thread_x] = nvf::erfinv_f32(T0[thread_x]);
  T18[thread_x] = nvf::exp_f32(T0[thread_x]);
  T19[thread_x] = nvf::exp2_f32(T0[thread_x]);
  T20[thread_x] = nvf::expm1_f32(T0[thread_x]);
  T21[thread_x] = nvf::floor_f32(T0[thread_x]);
  T22[thread_x] = nvf::frac_f32(T0[thread_x]);
  T23[thread_x] = nvf::gelu_f32(T0[thread_x]);
  T24[thread_x] = nvf::gelu_tanh_f32(T0[thread_x]);
  T25[thread_x] = nvf::isfinite_f32(T0[thread_x]);
  T26[thread_x] = nvf::isinf_f32(T0[thread_x]);
  T27[thread_x] = nvf::isnan_f32(T0[thread_x]);
  T28[thread_x] = nvf::isneginf_f32(T0[thread_x]);
  T29[thread_x] = nvf::isposinf_f32(T0[thread_x]);
  T30[thread_x] = nvf::isreal_f32(T0[thread_x]);
  T31[thread_x] = nvf::lgamma_f32(T0[thread_x]);
  T32[thread_x] = nvf::log_f32(T0[thread_x]);
  T33[thread_x] = nvf::log10_f32(T0[thread_x]);
  T34[thread_x] = nvf::log1p_f32(T0[thread_x]);
  T35[thread_x] = nvf::log2_f32(T0[thread_x]);
  T36 = T0[thread_x] != 0.0f;
  T37[thread_x] = !(T36 != 0);
  T38[thread_x] = -T0[thread_x];
  T39[thread_x] = T0[thread_x];
  T40[thread_x] = nvf::reciprocal_f32(T0[thread_x]);
  T41[thread_x] = nvf::relu_f32(T0[thread_x]);
  T42[thread_x] = nvf::round_f32(T0[thread_x]);
  T43[thread_x] = nvf::rsqrt_f32(T0[thread_x]);
  T44[thread_x] = nvf::sigmoid_f32(T0[thread_x]);
  T45[thread_x] = nvf::sign_f32(T0[thread_x]);
  T46[thread_x] = nvf::signbit_f32(T0[thread_x]);
  T47[thread_x] = nvf::silu_f32(T0[thread_x]);
  T48[thread_x] = nvf::sin_f32(T0[thread_x]);
  T49[thread_x] = nvf::sinh_f32(T0[thread_x]);
  T50[thread_x] = nvf::sqrt_f32(T0[thread_x]);
  T51[thread_x] = nvf::tan_f32(T0[thread_x]);
  T52[thread_x] = nvf::tanh_f32(T0[thread_x]);
  T53[thread_x] = nvf::trunc_f32(T0[thread_x]);
  T54[thread_x] = T0[thread_x] + T1[thread_x];
  T55[thread_x] = nvf::atan2_f32(T0[thread_x], T1[thread_x]);
  T56[thread_x] = nvf::complex_f32{T0[thread_x], T1[thread_x]};
  T57[thread_x] = nvf::copysign_f32(T0[thread_x], T1[thread_x]);
  T58[thread_x] = nvf::div_f32(T0[thread_x], T1[thread_x]);
  T59[thread_x] = T0[thread_x] == T1[thread_x];
  T60[thread_x] = nvf::floor_div_f32(T0[thread_x], T1[thread_x]);
  T61[thread_x] = nvf::fmod_f32(T0[thread_x], T1[thread_x]);
  T62[thread_x] = T0[thread_x] >= T1[thread_x];
  T63[thread_x] = T0[thread_x] > T1[thread_x];
  T64[thread_x] = T0[thread_x] <= T1[thread_x];
  T65 = T0[thread_x] != 0.0f;
  T66 = T1[thread_x] != 0.0f;
  T67[thread_x] = (T65 != 0) && (T66 != 0);
  T68 = T0[thread_x] != 0.0f;
  T69 = T1[thread_x] != 0.0f;
  T70[thread_x] = (T68 != 0) || (T69 != 0);
  T71[thread_x] = T0[thread_x] < T1[thread_x];
  T72[thread_x] = nvf::maximum_f32(T0[thread_x], T1[thread_x]);
  T73[thread_x] = nvf::minimum_f32(T0[thread_x], T1[thread_x]);
  T74[thread_x] = nvf::fmod_f32(T0[thread_x], T1[thread_x]);
  T75[thread_x] = T0[thread_x] * T1[thread_x];
  T76[thread_x] = T0[thread_x] != T1[thread_x];
  T77[thread_x] = nvf::nextafter_f32(T0[thread_x], T1[thread_x]);
  T78[thread_x] = nvf::pow_f32(T0[thread_x], T1[thread_x]);
  T79[thread_x] = nvf::remainder_f32(T0[thread_x], T1[thread_x]);
  T80[thread_x] = T0[thread_x] - T1[thread_x];
  T81[thread_x] = nvf::div_f32(T0[thread_x], T1[thread_x]);
  T82[thread_x] = (T3[thread_x] != 0) ? T0[thread_x] : T1[thread_x];
  T83[thread_x] = T0[thread_x] + (T2[thread_x] * (T1[thread_x] - T0[thread_x]));
  T84[thread_x] = nvf::clamp(T0[thread_x], 0.0f, 1.0f);
  T85[thread_x] = nvf::threshold(T0[thread_x], 0.0f, 1.0f);
  T86[thread_x] = T0[thread_x] + (1.0f * (T1[thread_x] * T2[thread_x]));
}
