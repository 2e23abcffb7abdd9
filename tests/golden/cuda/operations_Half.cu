extern "C" __global__ void __launch_bounds__(32) operations_phase0(
    const nvf::half* __restrict__ T0,
    const nvf::half* __restrict__ T1,
    const nvf::half* __restrict__ T2,
    const unsigned char* __restrict__ T3,
    nvf::half* __restrict__ T4,
    float* __restrict__ T6,
    float* __restrict__ T8,
    float* __restrict__ T10,
    float* __restrict__ T12,
    float* __restrict__ T14,
    float* __restrict__ T16,
    nvf::half* __restrict__ T17,
    float* __restrict__ T19,
    float* __restrict__ T21,
    float* __restrict__ T23,
    float* __restrict__ T25,
    float* __restrict__ T27,
    float* __restrict__ T29,
    float* __restrict__ T31,
    float* __restrict__ T33,
    float* __restrict__ T35,
    nvf::half* __restrict__ T36,
    nvf::half* __restrict__ T37,
    nvf::half* __restrict__ T38,
    nvf::half* __restrict__ T39,
    unsigned char* __restrict__ T40,
    unsigned char* __restrict__ T41,
    unsigned char* __restrict__ T42,
    unsigned char* __restrict__ T43,
    unsigned char* __restrict__ T44,
    unsigned char* __restrict__ T45,
    float* __restrict__ T47,
    float* __restrict__ T49,
    float* __restrict__ T51,
    float* __restrict__ T53,
    float* __restrict__ T55,
    unsigned char* __restrict__ T57,
    float* __restrict__ T59,
    nvf::half* __restrict__ T60,
    float* __restrict__ T62,
    nvf::half* __restrict__ T63,
    nvf::half* __restrict__ T64,
    float* __restrict__ T66,
    float* __restrict__ T68,
    nvf::half* __restrict__ T69,
    unsigned char* __restrict__ T70,
    nvf::half* __restrict__ T71,
    float* __restrict__ T73,
    float* __restrict__ T75,
    float* __restrict__ T77,
    float* __restrict__ T79,
    float* __restrict__ T81,
    nvf::half* __restrict__ T82,
    float* __restrict__ T85,
    float* __restrict__ T88,
    float* __restrict__ T91,
    float* __restrict__ T94,
    unsigned char* __restrict__ T97,
    float* __restrict__ T100,
    float* __restrict__ T103,
    unsigned char* __restrict__ T106,
    unsigned char* __restrict__ T109,
    unsigned char* __restrict__ T112,
    unsigned char* __restrict__ T115,
    unsigned char* __restrict__ T118,
    unsigned char* __restrict__ T121,
    float* __restrict__ T124,
    float* __restrict__ T127,
    float* __restrict__ T130,
    float* __restrict__ T133,
    unsigned char* __restrict__ T136,
    float* __restrict__ T139,
    float* __restrict__ T142,
    float* __restrict__ T145,
    float* __restrict__ T148,
    float* __restrict__ T151,
    nvf::half* __restrict__ T152,
    float* __restrict__ T156,
    nvf::half* __restrict__ T157,
    nvf::half* __restrict__ T158,
    float* __restrict__ T162) {
  nvf::follow_kernel<1024>(T0, T1, T2, T3);
  const int thread_x = threadIdx.x;
  float T5;
  float T7;
  float T9;
  float T11;
  float T13;
  float T15;
  float T18;
  float T20;
  float T22;
  float T24;
  float T26;
  float T28;
  float T30;
  float T32;
  float T34;
  float T46;
  float T48;
  float T50;
  float T52;
  float T54;
  unsigned char T56;
  float T58;
  float T61;
  float T65;
  float T67;
  float T72;
  float T74;
  float T76;
  float T78;
  float T80;
  float T83;
  float T84;
  float T86;
  float T87;
  float T89;
  float T90;
  float T92;
  float T93;
  float T95;
  float T96;
  float T98;
  float T99;
  float T101;
  float T102;
  float T104;
  float T105;
  float T107;
  float T108;
  float T110;
  float T111;
  unsigned char T113;
  unsigned char T114;
  unsigned char T116;
  unsigned char T117;
  float T119;
  float T120;
  float T122;
  float T123;
  float T125;
  float T126;
  float T128;
  float T129;
  float T131;
  float T132;
  float T134;
  float T135;
  float T137;
  float T138;
  float T140;
  float T141;
  float T143;
  float T144;
  float T146;
  float T147;
  float T149;
  float T150;
  float T153;
  float T154;
  float T155;
  float T159;
  float T160;
  float T161;
  T4[thread_x] = nvf::abs_stored(T0[thread_x]);
  T5 = nvf::from_half(T0[thread_x]);
  T6[thread_x] = nvf::acos_f32(T5);
  T7 = nvf::from_half(T0[thread_x]);
  T8[thread_x] = nvf::acosh_f32(T7);
  T9 = nvf::from_half(T0[thread_x]);
  T10[thread_x] = nvf::asin_f32(T9);
  T11 = nvf::from_half(T0[thread_x]);
  T12[thread_x] = nvf::asinh_f32(T11);
  T13 = nvf::from_half(T0[thread_x]);
  T14[thread_x] = nvf::atan_f32(T13);
  T15 = nvf::from_half(T0[thread_x]);
  T16[thread_x] = nvf::atanh_f32(T15);
  T17[thread_x] = nvf::to_half(nvf::ceil_f32(nvf::from_half(T0[thread_x])));
  T18 = nvf::from_half(T0[thread_x]);
  T19[thread_x] = nvf::cos_f32(T18);
  T20 = nvf::from_half(T0[thread_x]);
  T21[thread_x] = nvf::cosh_f32(T20);
  T22 = nvf::from_half(T0[thread_x]);
  T23[thread_x] = nvf::erf_f32(T22);
  T24 = nvf::from_half(T0[thread_x]);
  T25[thread_x] = nvf::erfc_f32(T24);
  T26 = nvf::from_half(T0[thread_x]);
  T27[thread_x] = nvf::erfcinv_f32(T26);
  T28 = nvf::from_half(T0[thread_x]);
  T29[thread_x] = nvf::erfinv_f32(T28);
  T30 = nvf::from_half(T0[thread_x]);
  T31[thread_x] = nvf::exp_f32(T30);
  T32 = nvf::from_half(T0[thread_x]);
  T33[thread_x] = nvf::exp2_f32(T32);
  T34 = nvf::from_half(T0[thread_x]);
  T35[thread_x] = nvf::expm1_f32(T34);
  T36[thread_x] = nvf::to_half(nvf::floor_f32(nvf::from_half(T0[thread_x])));
  T37[thread_x] = nvf::to_half(nvf::frac_f32(nvf::from_half(T0[thread_x])));
  T38[thread_x] = nvf::to_half(nvf::gelu_narrow_f32(nvf::from_half(T0[thread_x])));
  T39[thread_x] = nvf::to_half(nvf::gelu_tanh_narrow_f32(nvf::from_half(T0[thread_x])));
  T40[thread_x] = nvf::isfinite_f32(nvf::from_half(T0[thread_x]));
  T41[thread_x] = nvf::isinf_f32(nvf::from_half(T0[thread_x]));
  T42[thread_x] = nvf::isnan_f32(nvf::from_half(T0[thread_x]));
  T43[thread_x] = nvf::isneginf_f32(nvf::from_half(T0[thread_x]));
  T44[thread_x] = nvf::isposinf_f32(nvf::from_half(T0[thread_x]));
  T45[thread_x] = nvf::isreal_f32(nvf::from_half(T0[thread_x]));
  T46 = nvf::from_half(T0[thread_x]);
  T47[thread_x] = nvf::lgamma_f32(T46);
  T48 = nvf::from_half(T0[thread_x]);
  T49[thread_x] = nvf::log_f32(T48);
  T50 = nvf::from_half(T0[thread_x]);
  T51[thread_x] = nvf::log10_f32(T50);
  T52 = nvf::from_half(T0[thread_x]);
  T53[thread_x] = nvf::log1p_f32(T52);
  T54 = nvf::from_half(T0[thread_x]);
  T55[thread_x] = nvf::log2_f32(T54);
  T56 = nvf::from_half(T0[thread_x]) != 0.0f;
  T57[thread_x] = !(T56 != 0);
  T58 = nvf::from_half(T0[thread_x]);
  T59[thread_x] = -T58;
  T60[thread_x] = T0[thread_x];
  T61 = nvf::from_half(T0[thread_x]);
  T62[thread_x] = nvf::reciprocal_f32(T61);
  T63[thread_x] = nvf::to_half(nvf::relu_f32(nvf::from_half(T0[thread_x])));
  T64[thread_x] = nvf::to_half(nvf::round_f32(nvf::from_half(T0[thread_x])));
  T65 = nvf::from_half(T0[thread_x]);
  T66[thread_x] = nvf::rsqrt_f32(T65);
  T67 = nvf::from_half(T0[thread_x]);
  T68[thread_x] = nvf::sigmoid_f32(T67);
  T69[thread_x] = nvf::to_half(nvf::sign_f32(nvf::from_half(T0[thread_x])));
  T70[thread_x] = nvf::signbit_f32(nvf::from_half(T0[thread_x]));
  T71[thread_x] = nvf::to_half(nvf::silu_narrow_f32(nvf::from_half(T0[thread_x])));
  T72 = nvf::from_half(T0[thread_x]);
  T73[thread_x] = nvf::sin_f32(T72);
  T74 = nvf::from_half(T0[thread_x]);
  T75[thread_x] = nvf::sinh_f32(T74);
  T76 = nvf::from_half(T0[thread_x]);
  T77[thread_x] = nvf::sqrt_f32(T76);
  T78 = nvf::from_half(T0[thread_x]);
  T79[thread_x] = nvf::tan_f32(T78);
  T80 = nvf::from_half(T0[thread_x]);
  T81[thread_x] = nvf::tanh_f32(T80);
  T82[thread_x] = nvf::to_half(nvf::trunc_f32(nvf::from_half(T0[thread_x])));
  T83 = nvf::from_half(T0[thread_x]);
  T84 = nvf::from_half(T1[thread_x]);
  T85[thread_x] = T83 + T84;
  T86 = nvf::from_half(T0[thread_x]);
  T87 = nvf::from_half(T1[thread_x]);
  T88[thread_x] = nvf::atan2_f32(T86, T87);
  T89 = nvf::from_half(T0[thread_x]);
  T90 = nvf::from_half(T1[thread_x]);
  T91[thread_x] = nvf::copysign_f32(T89, T90);
  T92 = nvf::from_half(T0[thread_x]);
  T93 = nvf::from_half(T1[thread_x]);
  T94[thread_x] = nvf::div_f32(T92, T93);
  T95 = nvf::from_half(T0[thread_x]);
  T96 = nvf::from_half(T1[thread_x]);
  T97[thread_x] = T95 == T96;
  T98 = nvf::from_half(T0[thread_x]);
  T99 = nvf::from_half(T1[thread_x]);
  T100[thread_x] = nvf::floor_div_f32(T98, T99);
  T101 = nvf::from_half(T0[thread_x]);
  T102 = nvf::from_half(T1[thread_x]);
  T103[thread_x] = nvf::fmod_f32(T101, T102);
  T104 = nvf::from_half(T0[thread_x]);
  T105 = nvf::from_half(T1[thread_x]);
  T106[thread_x] = T104 >= T105;
  T107 = nvf::from_half(T0[thread_x]);
  T108 = nvf::from_half(T1[thread_x]);
  T109[thread_x] = T107 > T108;
  T110 = nvf::from_half(T0[thread_x]);
  T111 = nvf::from_half(T1[thread_x]);
  T112[thread_x] = T110 <= T111;
  T113 = nvf::from_half(T0[thread_x]) != 0.0f;
  T114 = nvf::from_half(T1[thread_x]) != 0.0f;
  T115[thread_x] = (T113 != 0) && (T114 != 0);
  T116 = nvf::from_half(T0[thread_x]) != 0.0f;
  T117 = nvf::from_half(T1[thread_x]) != 0.0f;
  T118[thread_x] = (T116 != 0) || (T117 != 0);
  T119 = nvf::from_half(T0[thread_x]);
  T120 = nvf::from_half(T1[thread_x]);
  T121[thread_x] = T119 < T120;
  T122 = nvf::from_half(T0[thread_x]);
  T123 = nvf::from_half(T1[thread_x]);
  T124[thread_x] = nvf::maximum_f32(T122, T123);
  T125 = nvf::from_half(T0[thread_x]);
  T126 = nvf::from_half(T1[thread_x]);
  T127[thread_x] = nvf::minimum_f32(T125, T126);
  T128 = nvf::from_half(T0[thread_x]);
  T129 = nvf::from_half(T1[thread_x]);
  T130[thread_x] = nvf::fmod_f32(T128, T129);
  T131 = nvf::from_half(T0[thread_x]);
  T132 = nvf::from_half(T1[thread_x]);
  T133[thread_x] = T131 * T132;
  T134 = nvf::from_half(T0[thread_x]);
  T135 = nvf::from_half(T1[thread_x]);
  T136[thread_x] = T134 != T135;
  T137 = nvf::from_half(T0[thread_x]);
  T138 = nvf::from_half(T1[thread_x]);
  T139[thread_x] = nvf::nextafter_f32(T137, T138);
  T140 = nvf::from_half(T0[thread_x]);
  T141 = nvf::from_half(T1[thread_x]);
  T142[thread_x] = nvf::pow_f32(T140, T141);
  T143 = nvf::from_half(T0[thread_x]);
  T144 = nvf::from_half(T1[thread_x]);
  T145[thread_x] = nvf::remainder_f32(T143, T144);
  T146 = nvf::from_half(T0[thread_x]);
  T147 = nvf::from_half(T1[thread_x]);
  T148[thread_x] = T146 - T147;
  T149 = nvf::from_half(T0[thread_x]);
  T150 = nvf::from_half(T1[thread_x]);
  T151[thread_x] = nvf::div_f32(T149, T150);
  T152[thread_x] = (T3[thread_x] != 0) ? T0[thread_x] : T1[thread_x];
  T153 = nvf::from_half(T0[thread_x]);
  T154 = nvf::from_half(T1[thread_x]);
  T155 = nvf::from_half(T2[thread_x]);
  T156[thread_x] = T153 + (T155 * (T154 - T153));
  T157[thread_x] = nvf::to_half(nvf::clamp(nvf::from_half(T0[thread_x]), nvf::from_half(nvf::to_half(0.0f)), nvf::from_half(nvf::to_half(1.0f))));
  T158[thread_x] = nvf::to_half(nvf::threshold(nvf::from_half(T0[thread_x]), nvf::from_half(nvf::to_half(0.0f)), nvf::from_half(nvf::to_half(1.0f))));
  T159 = nvf::from_half(T0[thread_x]);
  T160 = nvf::from_half(T1[thread_x]);
  T161 = nvf::from_half(T2[thread_x]);
  T162[thread_x] = T159 + (nvf::from_half(nvf::to_half(1.0f)) * (T160 * T161));
}
