extern "C" __global__ void __launch_bounds__(32) casts_phase0(
    const short* __restrict__ T0,
    const signed char* __restrict__ T12,
    const unsigned char* __restrict__ T24,
    const double* __restrict__ T36,
    const float* __restrict__ T40,
    const nvf::half* __restrict__ T44,
    const nvf::bfloat16* __restrict__ T48,
    const long long* __restrict__ T52,
    const int* __restrict__ T56,
    const unsigned long long* __restrict__ T60,
    const unsigned char* __restrict__ T64,
    const short* __restrict__ T68,
    const signed char* __restrict__ T71,
    const unsigned char* __restrict__ T74,
    const nvf::complex_f32* __restrict__ T77,
    double* __restrict__ T1,
    float* __restrict__ T2,
    nvf::half* __restrict__ T3,
    nvf::bfloat16* __restrict__ T4,
    long long* __restrict__ T5,
    int* __restrict__ T6,
    unsigned long long* __restrict__ T7,
    unsigned char* __restrict__ T8,
    signed char* __restrict__ T9,
    unsigned char* __restrict__ T10,
    nvf::complex_f32* __restrict__ T11,
    double* __restrict__ T13,
    float* __restrict__ T14,
    nvf::half* __restrict__ T15,
    nvf::bfloat16* __restrict__ T16,
    long long* __restrict__ T17,
    int* __restrict__ T18,
    unsigned long long* __restrict__ T19,
    unsigned char* __restrict__ T20,
    short* __restrict__ T21,
    unsigned char* __restrict__ T22,
    nvf::complex_f32* __restrict__ T23,
    double* __restrict__ T25,
    float* __restrict__ T26,
    nvf::half* __restrict__ T27,
    nvf::bfloat16* __restrict__ T28,
    long long* __restrict__ T29,
    int* __restrict__ T30,
    unsigned long long* __restrict__ T31,
    unsigned char* __restrict__ T32,
    short* __restrict__ T33,
    signed char* __restrict__ T34,
    nvf::complex_f32* __restrict__ T35,
    short* __restrict__ T37,
    signed char* __restrict__ T38,
    unsigned char* __restrict__ T39,
    short* __restrict__ T41,
    signed char* __restrict__ T42,
    unsigned char* __restrict__ T43,
    short* __restrict__ T45,
    signed char* __restrict__ T46,
    unsigned char* __restrict__ T47,
    short* __restrict__ T49,
    signed char* __restrict__ T50,
    unsigned char* __restrict__ T51,
    short* __restrict__ T53,
    signed char* __restrict__ T54,
    unsigned char* __restrict__ T55,
    short* __restrict__ T57,
    signed char* __restrict__ T58,
    unsigned char* __restrict__ T59,
    short* __restrict__ T61,
    signed char* __restrict__ T62,
    unsigned char* __restrict__ T63,
    short* __restrict__ T65,
    signed char* __restrict__ T66,
    unsigned char* __restrict__ T67,
    signed char* __restrict__ T69,
    unsigned char* __restrict__ T70,
    short* __restrict__ T72,
    unsigned char* __restrict__ T73,
    short* __restrict__ T75,
    signed char* __restrict__ T76,
    short* __restrict__ T78,
    signed char* __restrict__ T79,
    unsigned char* __restrict__ T80) {
  const int thread_x = threadIdx.x;
  T1[thread_x] = (double)T0[thread_x];
  T2[thread_x] = (float)T0[thread_x];
  T3[thread_x] = nvf::to_half((float)T0[thread_x]);
  T4[thread_x] = nvf::to_bfloat16((float)T0[thread_x]);
  T5[thread_x] = (long long)T0[thread_x];
  T6[thread_x] = (int)T0[thread_x];
  T7[thread_x] = (unsigned long long)T0[thread_x];
  T8[thread_x] = T0[thread_x] != ((short)0);
  T9[thread_x] = (signed char)T0[thread_x];
  T10[thread_x] = (unsigned char)T0[thread_x];
  T11[thread_x] = nvf::complex_f32{(float)T0[thread_x], 0.0f};
  T13[thread_x] = (double)T12[thread_x];
  T14[thread_x] = (float)T12[thread_x];
  T15[thread_x] = nvf::to_half((float)T12[thread_x]);
  T16[thread_x] = nvf::to_bfloat16((float)T12[thread_x]);
  T17[thread_x] = (long long)T12[thread_x];
  T18[thread_x] = (int)T12[thread_x];
  T19[thread_x] = (unsigned long long)T12[thread_x];
  T20[thread_x] = T12[thread_x] != ((signed char)0);
  T21[thread_x] = (short)T12[thread_x];
  T22[thread_x] = (unsigned char)T12[thread_x];
  T23[thread_x] = nvf::complex_f32{(float)T12[thread_x], 0.0f};
  T25[thread_x] = (double)T24[thread_x];
  T26[thread_x] = (float)T24[thread_x];
  T27[thread_x] = nvf::to_half((float)T24[thread_x]);
  T28[thread_x] = nvf::to_bfloat16((float)T24[thread_x]);
  T29[thread_x] = (long long)T24[thread_x];
  T30[thread_x] = (int)T24[thread_x];
  T31[thread_x] = (unsigned long long)T24[thread_x];
  T32[thread_x] = T24[thread_x] != ((unsigned char)0);
  T33[thread_x] = (short)T24[thread_x];
  T34[thread_x] = (signed char)T24[thread_x];
  T35[thread_x] = nvf::complex_f32{(float)T24[thread_x], 0.0f};
  T37[thread_x] = (short)nvf::to_i32_f64(T36[thread_x]);
  T38[thread_x] = (signed char)nvf::to_i32_f64(T36[thread_x]);
  T39[thread_x] = (unsigned char)nvf::to_i32_f64(T36[thread_x]);
  T41[thread_x] = (short)nvf::to_i32_f32(T40[thread_x]);
  T42[thread_x] = (signed char)nvf::to_i32_f32(T40[thread_x]);
  T43[thread_x] = (unsigned char)nvf::to_i32_f32(T40[thread_x]);
  T45[thread_x] = (short)nvf::to_i32_f32(nvf::from_half(T44[thread_x]));
  T46[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_half(T44[thread_x]));
  T47[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_half(T44[thread_x]));
  T49[thread_x] = (short)nvf::to_i32_f32(nvf::from_bfloat16(T48[thread_x]));
  T50[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_bfloat16(T48[thread_x]));
  T51[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_bfloat16(T48[thread_x]));
  T53[thread_x] = (short)T52[thread_x];
  T54[thread_x] = (signed char)T52[thread_x];
  T55[thread_x] = (unsigned char)T52[thread_x];
  T57[thread_x] = (short)T56[thread_x];
  T58[thread_x] = (signed char)T56[thread_x];
  T59[thread_x] = (unsigned char)T56[thread_x];
  T61[thread_x] = (short)T60[thread_x];
  T62[thread_x] = (signed char)T60[thread_x];
  T63[thread_x] = (unsigned char)T60[thread_x];
  T65[thread_x] = (short)(T64[thread_x] != 0);
  T66[thread_x] = (signed char)(T64[thread_x] != 0);
  T67[thread_x] = (unsigned char)(T64[thread_x] != 0);
  T69[thread_x] = (signed char)T68[thread_x];
  T70[thread_x] = (unsigned char)T68[thread_x];
  T72[thread_x] = (short)T71[thread_x];
  T73[thread_x] = (unsigned char)T71[thread_x];
  T75[thread_x] = (short)T74[thread_x];
  T76[thread_x] = (signed char)T74[thread_x];
  T78[thread_x] = (short)nvf::to_i32_f32(T77[thread_x].re);
  T79[thread_x] = (signed char)nvf::to_i32_f32(T77[thread_x].re);
  T80[thread_x] = (unsigned char)nvf::to_i32_f32(T77[thread_x].re);
}
