extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const signed char* __restrict__ T0,
    const signed char* __restrict__ T1,
    const signed char* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    signed char* __restrict__ T4,
    float* __restrict__ T6,
    float* __restrict__ T8,
    float* __restrict__ T10,
    float* __restrict__ T12,
    float* __restrict__ T14,
    float* __restrict__ T16,
    signed char* __restrict__ T17,
    signed char* __restrict__ T18,
    float* __restrict__ T20,
    float* __restrict__ T22,
    float* __restrict__ T24,
    float* __restrict__ T26,
    float* __restrict__ T28,
    float* __restrict__ T30,
    float* __restrict__ T32,
    float* __restrict__ T34,
    float* __restrict__ T36,
    signed char* __restrict__ T37,
    signed char* __restrict__ T38,
    unsigned char* __restrict__ T39,
    unsigned char* __restrict__ T40,
    unsigned char* __restrict__ T41,
    unsigned char* __restrict__ T42,
    unsigned char* __restrict__ T43,
    unsigned char* __restrict__ T44,
    float* __restrict__ T46,
    float* __restrict__ T48,
    float* __restrict__ T50,
    float* __restrict__ T52,
    float* __restrict__ T54,
    unsigned char* __restrict__ T56,
    signed char* __restrict__ T57,
    signed char* __restrict__ T58,
    float* __restrict__ T60,
    signed char* __restrict__ T61,
    signed char* __restrict__ T62,
    float* __restrict__ T64,
    float* __restrict__ T66,
    signed char* __restrict__ T67,
    unsigned char* __restrict__ T68,
    float* __restrict__ T70,
    float* __restrict__ T72,
    float* __restrict__ T74,
    float* __restrict__ T76,
    float* __restrict__ T78,
    signed char* __restrict__ T79,
    signed char* __restrict__ T80,
    float* __restrict__ T83,
    signed char* __restrict__ T84,
    signed char* __restrict__ T85,
    signed char* __restrict__ T86,
    signed char* __restrict__ T87,
    signed char* __restrict__ T88,
    float* __restrict__ T91,
    signed char* __restrict__ T92,
    unsigned char* __restrict__ T93,
    signed char* __restrict__ T94,
    signed char* __restrict__ T95,
    signed char* __restrict__ T96,
    unsigned char* __restrict__ T97,
    unsigned char* __restrict__ T98,
    signed char* __restrict__ T99,
    unsigned char* __restrict__ T100,
    unsigned char* __restrict__ T103,
    unsigned char* __restrict__ T106,
    signed char* __restrict__ T107,
    unsigned char* __restrict__ T108,
    signed char* __restrict__ T109,
    signed char* __restrict__ T110,
    signed char* __restrict__ T111,
    signed char* __restrict__ T112,
    unsigned char* __restrict__ T113,
    signed char* __restrict__ T114,
    signed char* __restrict__ T115,
    signed char* __restrict__ T116,
    float* __restrict__ T119,
    signed char* __restrict__ T120,
    signed char* __restrict__ T121,
    signed char* __restrict__ T122,
    signed char* __restrict__ T123,
    signed char* __restrict__ T124) {
  nvf::follow_kernel<1024>(T0, T1, T2, T3);
  const int thread_x = threadIdx.x;
  float T5;
  float T7;
  float T9;
  float T11;
  float T13;
  float T15;
  float T19;
  float T21;
  float T23;
  float T25;
  float T27;
  float T29;
  float T31;
  float T33;
  float T35;
  float T45;
  float T47;
  float T49;
  float T51;
  float T53;
  unsigned char T55;
  float T59;
  float T63;
  float T65;
  float T69;
  float T71;
  float T73;
  float T75;
  float T77;
  float T81;
  float T82;
  float T89;
  float T90;
  unsigned char T101;
  unsigned char T102;
  unsigned char T104;
  unsigned char T105;
  float T117;
  float T118;
  T4[thread_x] = nvf::abs_int(T0[thread_x]);
  T5 = (float)T0[thread_x];
  T6[thread_x] = nvf::acos_f32(T5);
  T7 = (float)T0[thread_x];
  T8[thread_x] = nvf::acosh_f32(T7);
  T9 = (float)T0[thread_x];
  T10[thread_x] = nvf::asin_f32(T9);
  T11 = (float)T0[thread_x];
  T12[thread_x] = nvf::asinh_f32(T11);
  T13 = (float)T0[thread_x];
  T14[thread_x] = nvf::atan_f32(T13);
  T15 = (float)T0[thread_x];
  T16[thread_x] = nvf::atanh_f32(T15);
  T17[thread_x] = nvf::bitwise_not_int(T0[thread_x]);
  T18[thread_x] = T0[thread_x];
  T19 = (float)T0[thread_x];
  T20[thread_x] = nvf::cos_f32(T19);
  T21 = (float)T0[thread_x];
  T22[thread_x] = nvf::cosh_f32(T21);
  T23 = (float)T0[thread_x];
  T24[thread_x] = nvf::erf_f32(T23);
  T25 = (float)T0[thread_x];
  T26[thread_x] = nvf::erfc_f32(T25);
  T27 = (float)T0[thread_x];
  T28[thread_x] = nvf::erfcinv_f32(T27);
  T29 = (float)T0[thread_x];
  T30[thread_x] = nvf::erfinv_f32(T29);
  T31 = (float)T0[thread_x];
  T32[thread_x] = nvf::exp_f32(T31);
  T33 = (float)T0[thread_x];
  T34[thread_x] = nvf::exp2_f32(T33);
  T35 = (float)T0[thread_x];
  T36[thread_x] = nvf::expm1_f32(T35);
  T37[thread_x] = T0[thread_x];
  T38[thread_x] = (signed char)(T0[thread_x] ^ T0[thread_x]);
  T39[thread_x] = T0[thread_x] == T0[thread_x];
  T40[thread_x] = T0[thread_x] != T0[thread_x];
  T41[thread_x] = T0[thread_x] != T0[thread_x];
  T42[thread_x] = T0[thread_x] != T0[thread_x];
  T43[thread_x] = T0[thread_x] != T0[thread_x];
  T44[thread_x] = T0[thread_x] == T0[thread_x];
  T45 = (float)T0[thread_x];
  T46[thread_x] = nvf::lgamma_f32(T45);
  T47 = (float)T0[thread_x];
  T48[thread_x] = nvf::log_f32(T47);
  T49 = (float)T0[thread_x];
  T50[thread_x] = nvf::log10_f32(T49);
  T51 = (float)T0[thread_x];
  T52[thread_x] = nvf::log1p_f32(T51);
  T53 = (float)T0[thread_x];
  T54[thread_x] = nvf::log2_f32(T53);
  T55 = T0[thread_x] != ((signed char)0);
  T56[thread_x] = !(T55 != 0);
  T57[thread_x] = nvf::neg_int(T0[thread_x]);
  T58[thread_x] = T0[thread_x];
  T59 = (float)T0[thread_x];
  T60[thread_x] = nvf::reciprocal_f32(T59);
  T61[thread_x] = nvf::relu_int(T0[thread_x]);
  T62[thread_x] = T0[thread_x];
  T63 = (float)T0[thread_x];
  T64[thread_x] = nvf::rsqrt_f32(T63);
  T65 = (float)T0[thread_x];
  T66[thread_x] = nvf::sigmoid_f32(T65);
  T67[thread_x] = nvf::sign_int(T0[thread_x]);
  T68[thread_x] = T0[thread_x] < ((signed char)0);
  T69 = (float)T0[thread_x];
  T70[thread_x] = nvf::sin_f32(T69);
  T71 = (float)T0[thread_x];
  T72[thread_x] = nvf::sinh_f32(T71);
  T73 = (float)T0[thread_x];
  T74[thread_x] = nvf::sqrt_f32(T73);
  T75 = (float)T0[thread_x];
  T76[thread_x] = nvf::tan_f32(T75);
  T77 = (float)T0[thread_x];
  T78[thread_x] = nvf::tanh_f32(T77);
  T79[thread_x] = T0[thread_x];
  T80[thread_x] = nvf::add_int(T0[thread_x], T1[thread_x]);
  T81 = (float)T0[thread_x];
  T82 = (float)T1[thread_x];
  T83[thread_x] = nvf::atan2_f32(T81, T82);
  T84[thread_x] = (signed char)(T0[thread_x] & T1[thread_x]);
  T85[thread_x] = nvf::bitwise_left_shift_int(T0[thread_x], T1[thread_x]);
  T86[thread_x] = (signed char)(T0[thread_x] | T1[thread_x]);
  T87[thread_x] = nvf::bitwise_right_shift_int(T0[thread_x], T1[thread_x]);
  T88[thread_x] = (signed char)(T0[thread_x] ^ T1[thread_x]);
  T89 = (float)T0[thread_x];
  T90 = (float)T1[thread_x];
  T91[thread_x] = nvf::copysign_f32(T89, T90);
  T92[thread_x] = nvf::div_int(T0[thread_x], T1[thread_x]);
  T93[thread_x] = T0[thread_x] == T1[thread_x];
  T94[thread_x] = nvf::floor_div_int(T0[thread_x], T1[thread_x]);
  T95[thread_x] = nvf::mod_int(T0[thread_x], T1[thread_x]);
  T96[thread_x] = nvf::gcd_int(T0[thread_x], T1[thread_x]);
  T97[thread_x] = T0[thread_x] >= T1[thread_x];
  T98[thread_x] = T0[thread_x] > T1[thread_x];
  T99[thread_x] = nvf::lcm_int(T0[thread_x], T1[thread_x]);
  T100[thread_x] = T0[thread_x] <= T1[thread_x];
  T101 = T0[thread_x] != ((signed char)0);
  T102 = T1[thread_x] != ((signed char)0);
  T103[thread_x] = (T101 != 0) && (T102 != 0);
  T104 = T0[thread_x] != ((signed char)0);
  T105 = T1[thread_x] != ((signed char)0);
  T106[thread_x] = (T104 != 0) || (T105 != 0);
  T107[thread_x] = nvf::logical_right_shift_int(T0[thread_x], T1[thread_x]);
  T108[thread_x] = T0[thread_x] < T1[thread_x];
  T109[thread_x] = nvf::maximum_int(T0[thread_x], T1[thread_x]);
  T110[thread_x] = nvf::minimum_int(T0[thread_x], T1[thread_x]);
  T111[thread_x] = nvf::mod_int(T0[thread_x], T1[thread_x]);
  T112[thread_x] = nvf::mul_int(T0[thread_x], T1[thread_x]);
  T113[thread_x] = T0[thread_x] != T1[thread_x];
  T114[thread_x] = nvf::pow_int(T0[thread_x], T1[thread_x]);
  T115[thread_x] = nvf::remainder_int(T0[thread_x], T1[thread_x]);
  T116[thread_x] = nvf::sub_int(T0[thread_x], T1[thread_x]);
  T117 = (float)T0[thread_x];
  T118 = (float)T1[thread_x];
  T119[thread_x] = nvf::div_f32(T117, T118);
  T120[thread_x] = (T3[thread_x] != 0) ? T0[thread_x] : T1[thread_x];
  T121[thread_x] = nvf::add_int(T0[thread_x], nvf::mul_int(T2[thread_x], nvf::sub_int(T1[thread_x], T0[thread_x])));
  T122[thread_x] = nvf::clamp(T0[thread_x], (signed char)0, (signed char)1);
  T123[thread_x] = nvf::threshold(T0[thread_x], (signed char)0, (signed char)1);
  T124[thread_x] = nvf::add_int(T0[thread_x], nvf::mul_int((signed char)1, nvf::mul_int(T1[thread_x], T2[thread_x])));
}
