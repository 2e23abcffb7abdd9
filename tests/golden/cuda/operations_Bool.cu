extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const unsigned char* __restrict__ T0,
    const unsigned char* __restrict__ T1,
    const unsigned char* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    unsigned char* __restrict__ T4,
    float* __restrict__ T6,
    float* __restrict__ T8,
    float* __restrict__ T10,
    float* __restrict__ T12,
    float* __restrict__ T14,
    float* __restrict__ T16,
    unsigned char* __restrict__ T17,
    unsigned char* __restrict__ T18,
    float* __restrict__ T20,
    float* __restrict__ T22,
    float* __restrict__ T24,
    float* __restrict__ T26,
    float* __restrict__ T28,
    float* __restrict__ T30,
    float* __restrict__ T32,
    float* __restrict__ T34,
    float* __restrict__ T36,
    unsigned char* __restrict__ T37,
    unsigned char* __restrict__ T38,
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
    unsigned char* __restrict__ T55,
    long long* __restrict__ T57,
    unsigned char* __restrict__ T58,
    float* __restrict__ T60,
    unsigned char* __restrict__ T61,
    unsigned char* __restrict__ T62,
    float* __restrict__ T64,
    float* __restrict__ T66,
    unsigned char* __restrict__ T67,
    unsigned char* __restrict__ T68,
    float* __restrict__ T70,
    float* __restrict__ T72,
    float* __restrict__ T74,
    float* __restrict__ T76,
    float* __restrict__ T78,
    unsigned char* __restrict__ T79,
    unsigned char* __restrict__ T80,
    float* __restrict__ T83,
    unsigned char* __restrict__ T84,
    unsigned char* __restrict__ T85,
    unsigned char* __restrict__ T86,
    float* __restrict__ T89,
    unsigned char* __restrict__ T93,
    unsigned char* __restrict__ T94,
    unsigned char* __restrict__ T98,
    unsigned char* __restrict__ T102,
    unsigned char* __restrict__ T103,
    unsigned char* __restrict__ T104,
    unsigned char* __restrict__ T105,
    unsigned char* __restrict__ T106,
    unsigned char* __restrict__ T107,
    unsigned char* __restrict__ T108,
    unsigned char* __restrict__ T109,
    unsigned char* __restrict__ T110,
    unsigned char* __restrict__ T114,
    unsigned char* __restrict__ T115,
    unsigned char* __restrict__ T116,
    unsigned char* __restrict__ T120,
    unsigned char* __restrict__ T124,
    unsigned char* __restrict__ T125,
    float* __restrict__ T128,
    unsigned char* __restrict__ T129,
    long long* __restrict__ T133,
    unsigned char* __restrict__ T134,
    unsigned char* __restrict__ T135,
    long long* __restrict__ T139) {
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
  long long T56;
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
  float T87;
  float T88;
  long long T90;
  long long T91;
  long long T92;
  long long T95;
  long long T96;
  long long T97;
  long long T99;
  long long T100;
  long long T101;
  long long T111;
  long long T112;
  long long T113;
  long long T117;
  long long T118;
  long long T119;
  long long T121;
  long long T122;
  long long T123;
  float T126;
  float T127;
  long long T130;
  long long T131;
  long long T132;
  long long T136;
  long long T137;
  long long T138;
  T4[thread_x] = T0[thread_x] != 0;
  T5 = (float)(T0[thread_x] != 0);
  T6[thread_x] = nvf::acos_f32(T5);
  T7 = (float)(T0[thread_x] != 0);
  T8[thread_x] = nvf::acosh_f32(T7);
  T9 = (float)(T0[thread_x] != 0);
  T10[thread_x] = nvf::asin_f32(T9);
  T11 = (float)(T0[thread_x] != 0);
  T12[thread_x] = nvf::asinh_f32(T11);
  T13 = (float)(T0[thread_x] != 0);
  T14[thread_x] = nvf::atan_f32(T13);
  T15 = (float)(T0[thread_x] != 0);
  T16[thread_x] = nvf::atanh_f32(T15);
  T17[thread_x] = !(T0[thread_x] != 0);
  T18[thread_x] = T0[thread_x] != 0;
  T19 = (float)(T0[thread_x] != 0);
  T20[thread_x] = nvf::cos_f32(T19);
  T21 = (float)(T0[thread_x] != 0);
  T22[thread_x] = nvf::cosh_f32(T21);
  T23 = (float)(T0[thread_x] != 0);
  T24[thread_x] = nvf::erf_f32(T23);
  T25 = (float)(T0[thread_x] != 0);
  T26[thread_x] = nvf::erfc_f32(T25);
  T27 = (float)(T0[thread_x] != 0);
  T28[thread_x] = nvf::erfcinv_f32(T27);
  T29 = (float)(T0[thread_x] != 0);
  T30[thread_x] = nvf::erfinv_f32(T29);
  T31 = (float)(T0[thread_x] != 0);
  T32[thread_x] = nvf::exp_f32(T31);
  T33 = (float)(T0[thread_x] != 0);
  T34[thread_x] = nvf::exp2_f32(T33);
  T35 = (float)(T0[thread_x] != 0);
  T36[thread_x] = nvf::expm1_f32(T35);
  T37[thread_x] = T0[thread_x] != 0;
  T38[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T39[thread_x] = (T0[thread_x] != 0) == (T0[thread_x] != 0);
  T40[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T41[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T42[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T43[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T44[thread_x] = (T0[thread_x] != 0) == (T0[thread_x] != 0);
  T45 = (float)(T0[thread_x] != 0);
  T46[thread_x] = nvf::lgamma_f32(T45);
  T47 = (float)(T0[thread_x] != 0);
  T48[thread_x] = nvf::log_f32(T47);
  T49 = (float)(T0[thread_x] != 0);
  T50[thread_x] = nvf::log10_f32(T49);
  T51 = (float)(T0[thread_x] != 0);
  T52[thread_x] = nvf::log1p_f32(T51);
  T53 = (float)(T0[thread_x] != 0);
  T54[thread_x] = nvf::log2_f32(T53);
  T55[thread_x] = !(T0[thread_x] != 0);
  T56 = (long long)(T0[thread_x] != 0);
  T57[thread_x] = nvf::neg_int(T56);
  T58[thread_x] = T0[thread_x] != 0;
  T59 = (float)(T0[thread_x] != 0);
  T60[thread_x] = nvf::reciprocal_f32(T59);
  T61[thread_x] = T0[thread_x] != 0;
  T62[thread_x] = T0[thread_x] != 0;
  T63 = (float)(T0[thread_x] != 0);
  T64[thread_x] = nvf::rsqrt_f32(T63);
  T65 = (float)(T0[thread_x] != 0);
  T66[thread_x] = nvf::sigmoid_f32(T65);
  T67[thread_x] = T0[thread_x] != 0;
  T68[thread_x] = (T0[thread_x] != 0) != (T0[thread_x] != 0);
  T69 = (float)(T0[thread_x] != 0);
  T70[thread_x] = nvf::sin_f32(T69);
  T71 = (float)(T0[thread_x] != 0);
  T72[thread_x] = nvf::sinh_f32(T71);
  T73 = (float)(T0[thread_x] != 0);
  T74[thread_x] = nvf::sqrt_f32(T73);
  T75 = (float)(T0[thread_x] != 0);
  T76[thread_x] = nvf::tan_f32(T75);
  T77 = (float)(T0[thread_x] != 0);
  T78[thread_x] = nvf::tanh_f32(T77);
  T79[thread_x] = T0[thread_x] != 0;
  T80[thread_x] = (T0[thread_x] != 0) || (T1[thread_x] != 0);
  T81 = (float)(T0[thread_x] != 0);
  T82 = (float)(T1[thread_x] != 0);
  T83[thread_x] = nvf::atan2_f32(T81, T82);
  T84[thread_x] = (T0[thread_x] != 0) && (T1[thread_x] != 0);
  T85[thread_x] = (T0[thread_x] != 0) || (T1[thread_x] != 0);
  T86[thread_x] = (T0[thread_x] != 0) != (T1[thread_x] != 0);
  T87 = (float)(T0[thread_x] != 0);
  T88 = (float)(T1[thread_x] != 0);
  T89[thread_x] = nvf::copysign_f32(T87, T88);
  T90 = (long long)(T0[thread_x] != 0);
  T91 = (long long)(T1[thread_x] != 0);
  T92 = nvf::div_int(T90, T91);
  T93[thread_x] = T92 != 0ll;
  T94[thread_x] = (T0[thread_x] != 0) == (T1[thread_x] != 0);
  T95 = (long long)(T0[thread_x] != 0);
  T96 = (long long)(T1[thread_x] != 0);
  T97 = nvf::floor_div_int(T95, T96);
  T98[thread_x] = T97 != 0ll;
  T99 = (long long)(T0[thread_x] != 0);
  T100 = (long long)(T1[thread_x] != 0);
  T101 = nvf::mod_int(T99, T100);
  T102[thread_x] = T101 != 0ll;
  T103[thread_x] = (T0[thread_x] != 0) >= (T1[thread_x] != 0);
  T104[thread_x] = (T0[thread_x] != 0) > (T1[thread_x] != 0);
  T105[thread_x] = (T0[thread_x] != 0) <= (T1[thread_x] != 0);
  T106[thread_x] = (T0[thread_x] != 0) && (T1[thread_x] != 0);
  T107[thread_x] = (T0[thread_x] != 0) || (T1[thread_x] != 0);
  T108[thread_x] = (T0[thread_x] != 0) < (T1[thread_x] != 0);
  T109[thread_x] = (T0[thread_x] != 0) || (T1[thread_x] != 0);
  T110[thread_x] = (T0[thread_x] != 0) && (T1[thread_x] != 0);
  T111 = (long long)(T0[thread_x] != 0);
  T112 = (long long)(T1[thread_x] != 0);
  T113 = nvf::mod_int(T111, T112);
  T114[thread_x] = T113 != 0ll;
  T115[thread_x] = (T0[thread_x] != 0) && (T1[thread_x] != 0);
  T116[thread_x] = (T0[thread_x] != 0) != (T1[thread_x] != 0);
  T117 = (long long)(T0[thread_x] != 0);
  T118 = (long long)(T1[thread_x] != 0);
  T119 = nvf::pow_int(T117, T118);
  T120[thread_x] = T119 != 0ll;
  T121 = (long long)(T0[thread_x] != 0);
  T122 = (long long)(T1[thread_x] != 0);
  T123 = nvf::remainder_int(T121, T122);
  T124[thread_x] = T123 != 0ll;
  T125[thread_x] = (T0[thread_x] != 0) != (T1[thread_x] != 0);
  T126 = (float)(T0[thread_x] != 0);
  T127 = (float)(T1[thread_x] != 0);
  T128[thread_x] = nvf::div_f32(T126, T127);
  T129[thread_x] = (T3[thread_x] != 0) ? (T0[thread_x] != 0) : (T1[thread_x] != 0);
  T130 = (long long)(T0[thread_x] != 0);
  T131 = (long long)(T1[thread_x] != 0);
  T132 = (long long)(T2[thread_x] != 0);
  T133[thread_x] = nvf::add_int(T130, nvf::mul_int(T132, nvf::sub_int(T131, T130)));
  T134[thread_x] = nvf::clamp(T0[thread_x] != 0, false, true);
  T135[thread_x] = nvf::threshold(T0[thread_x] != 0, false, true);
  T136 = (long long)(T0[thread_x] != 0);
  T137 = (long long)(T1[thread_x] != 0);
  T138 = (long long)(T2[thread_x] != 0);
  T139[thread_x] = nvf::add_int(T136, nvf::mul_int(1ll, nvf::mul_int(T137, T138)));
}
