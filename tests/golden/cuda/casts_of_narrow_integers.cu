extern "C" __global__ void __launch_bounds__(32) casts_phase0(
    const short* __restrict__ T0,
    const signed char* __restrict__ T13,
    const unsigned char* __restrict__ T26,
    const unsigned short* __restrict__ T39,
    const double* __restrict__ T52,
    const float* __restrict__ T57,
    const nvf::half* __restrict__ T62,
    const nvf::bfloat16* __restrict__ T67,
    const long long* __restrict__ T72,
    const int* __restrict__ T77,
    const unsigned long long* __restrict__ T82,
    const unsigned char* __restrict__ T87,
    const short* __restrict__ T92,
    const signed char* __restrict__ T96,
    const unsigned char* __restrict__ T100,
    const unsigned short* __restrict__ T104,
    const nvf::complex_f32* __restrict__ T108,
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
    unsigned short* __restrict__ T11,
    nvf::complex_f32* __restrict__ T12,
    double* __restrict__ T14,
    float* __restrict__ T15,
    nvf::half* __restrict__ T16,
    nvf::bfloat16* __restrict__ T17,
    long long* __restrict__ T18,
    int* __restrict__ T19,
    unsigned long long* __restrict__ T20,
    unsigned char* __restrict__ T21,
    short* __restrict__ T22,
    unsigned char* __restrict__ T23,
    unsigned short* __restrict__ T24,
    nvf::complex_f32* __restrict__ T25,
    double* __restrict__ T27,
    float* __restrict__ T28,
    nvf::half* __restrict__ T29,
    nvf::bfloat16* __restrict__ T30,
    long long* __restrict__ T31,
    int* __restrict__ T32,
    unsigned long long* __restrict__ T33,
    unsigned char* __restrict__ T34,
    short* __restrict__ T35,
    signed char* __restrict__ T36,
    unsigned short* __restrict__ T37,
    nvf::complex_f32* __restrict__ T38,
    double* __restrict__ T40,
    float* __restrict__ T41,
    nvf::half* __restrict__ T42,
    nvf::bfloat16* __restrict__ T43,
    long long* __restrict__ T44,
    int* __restrict__ T45,
    unsigned long long* __restrict__ T46,
    unsigned char* __restrict__ T47,
    short* __restrict__ T48,
    signed char* __restrict__ T49,
    unsigned char* __restrict__ T50,
    nvf::complex_f32* __restrict__ T51,
    short* __restrict__ T53,
    signed char* __restrict__ T54,
    unsigned char* __restrict__ T55,
    unsigned short* __restrict__ T56,
    short* __restrict__ T58,
    signed char* __restrict__ T59,
    unsigned char* __restrict__ T60,
    unsigned short* __restrict__ T61,
    short* __restrict__ T63,
    signed char* __restrict__ T64,
    unsigned char* __restrict__ T65,
    unsigned short* __restrict__ T66,
    short* __restrict__ T68,
    signed char* __restrict__ T69,
    unsigned char* __restrict__ T70,
    unsigned short* __restrict__ T71,
    short* __restrict__ T73,
    signed char* __restrict__ T74,
    unsigned char* __restrict__ T75,
    unsigned short* __restrict__ T76,
    short* __restrict__ T78,
    signed char* __restrict__ T79,
    unsigned char* __restrict__ T80,
    unsigned short* __restrict__ T81,
    short* __restrict__ T83,
    signed char* __restrict__ T84,
    unsigned char* __restrict__ T85,
    unsigned short* __restrict__ T86,
    short* __restrict__ T88,
    signed char* __restrict__ T89,
    unsigned char* __restrict__ T90,
    unsigned short* __restrict__ T91,
    signed char* __restrict__ T93,
    unsigned char* __restrict__ T94,
    unsigned short* __restrict__ T95,
    short* __restrict__ T97,
    unsigned char* __restrict__ T98,
    unsigned short* __restrict__ T99,
    short* __restrict__ T101,
    signed char* __restrict__ T102,
    unsigned short* __restrict__ T103,
    short* __restrict__ T105,
    signed char* __restrict__ T106,
    unsigned char* __restrict__ T107,
    short* __restrict__ T109,
    signed char* __restrict__ T110,
    unsigned char* __restrict__ T111,
    unsigned short* __restrict__ T112) {
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
  T11[thread_x] = (unsigned short)T0[thread_x];
  T12[thread_x] = nvf::complex_f32{(float)T0[thread_x], 0.0f};
  T14[thread_x] = (double)T13[thread_x];
  T15[thread_x] = (float)T13[thread_x];
  T16[thread_x] = nvf::to_half((float)T13[thread_x]);
  T17[thread_x] = nvf::to_bfloat16((float)T13[thread_x]);
  T18[thread_x] = (long long)T13[thread_x];
  T19[thread_x] = (int)T13[thread_x];
  T20[thread_x] = (unsigned long long)T13[thread_x];
  T21[thread_x] = T13[thread_x] != ((signed char)0);
  T22[thread_x] = (short)T13[thread_x];
  T23[thread_x] = (unsigned char)T13[thread_x];
  T24[thread_x] = (unsigned short)T13[thread_x];
  T25[thread_x] = nvf::complex_f32{(float)T13[thread_x], 0.0f};
  T27[thread_x] = (double)T26[thread_x];
  T28[thread_x] = (float)T26[thread_x];
  T29[thread_x] = nvf::to_half((float)T26[thread_x]);
  T30[thread_x] = nvf::to_bfloat16((float)T26[thread_x]);
  T31[thread_x] = (long long)T26[thread_x];
  T32[thread_x] = (int)T26[thread_x];
  T33[thread_x] = (unsigned long long)T26[thread_x];
  T34[thread_x] = T26[thread_x] != ((unsigned char)0);
  T35[thread_x] = (short)T26[thread_x];
  T36[thread_x] = (signed char)T26[thread_x];
  T37[thread_x] = (unsigned short)T26[thread_x];
  T38[thread_x] = nvf::complex_f32{(float)T26[thread_x], 0.0f};
  T40[thread_x] = (double)T39[thread_x];
  T41[thread_x] = (float)T39[thread_x];
  T42[thread_x] = nvf::to_half((float)T39[thread_x]);
  T43[thread_x] = nvf::to_bfloat16((float)T39[thread_x]);
  T44[thread_x] = (long long)T39[thread_x];
  T45[thread_x] = (int)T39[thread_x];
  T46[thread_x] = (unsigned long long)T39[thread_x];
  T47[thread_x] = T39[thread_x] != ((unsigned short)0);
  T48[thread_x] = (short)T39[thread_x];
  T49[thread_x] = (signed char)T39[thread_x];
  T50[thread_x] = (unsigned char)T39[thread_x];
  T51[thread_x] = nvf::complex_f32{(float)T39[thread_x], 0.0f};
  T53[thread_x] = (short)nvf::to_i32_f64(T52[thread_x]);
  T54[thread_x] = (signed char)nvf::to_i32_f64(T52[thread_x]);
  T55[thread_x] = (unsigned char)nvf::to_i32_f64(T52[thread_x]);
  T56[thread_x] = (unsigned short)nvf::to_i32_f64(T52[thread_x]);
  T58[thread_x] = (short)nvf::to_i32_f32(T57[thread_x]);
  T59[thread_x] = (signed char)nvf::to_i32_f32(T57[thread_x]);
  T60[thread_x] = (unsigned char)nvf::to_i32_f32(T57[thread_x]);
  T61[thread_x] = (unsigned short)nvf::to_i32_f32(T57[thread_x]);
  T63[thread_x] = (short)nvf::to_i32_f32(nvf::from_half(T62[thread_x]));
  T64[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_half(T62[thread_x]));
  T65[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_half(T62[thread_x]));
  T66[thread_x] = (unsigned short)nvf::to_i32_f32(nvf::from_half(T62[thread_x]));
  T68[thread_x] = (short)nvf::to_i32_f32(nvf::from_bfloat16(T67[thread_x]));
  T69[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_bfloat16(T67[thread_x]));
  T70[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_bfloat16(T67[thread_x]));
  T71[thread_x] = (unsigned short)nvf::to_i32_f32(nvf::from_bfloat16(T67[thread_x]));
  T73[thread_x] = (short)T72[thread_x];
  T74[thread_x] = (signed char)T72[thread_x];
  T75[thread_x] = (unsigned char)T72[thread_x];
  T76[thread_x] = (unsigned short)T72[thread_x];
  T78[thread_x] = (short)T77[thread_x];
  T79[thread_x] = (signed char)T77[thread_x];
  T80[thread_x] = (unsigned char)T77[thread_x];
  T81[thread_x] = (unsigned short)T77[thread_x];
  T83[thread_x] = (short)T82[thread_x];
  T84[thread_x] = (signed char)T82[thread_x];
  T85[thread_x] = (unsigned char)T82[thread_x];
  T86[thread_x] = (unsigned short)T82[thread_x];
  T88[thread_x] = (short)(T87[thread_x] != 0);
  T89[thread_x] = (signed char)(T87[thread_x] != 0);
  T90[thread_x] = (unsigned char)(T87[thread_x] != 0);
  T91[thread_x] = (unsigned short)(T87[thread_x] != 0);
  T93[thread_x] = (signed char)T92[thread_x];
  T94[thread_x] = (unsigned char)T92[thread_x];
  T95[thread_x] = (unsigned short)T92[thread_x];
  T97[thread_x] = (short)T96[thread_x];
  T98[thread_x] = (unsigned char)T96[thread_x];
  T99[thread_x] = (unsigned short)T96[thread_x];
  T101[thread_x] = (short)T100[thread_x];
  T102[thread_x] = (signed char)T100[thread_x];
  T103[thread_x] = (unsigned short)T100[thread_x];
  T105[thread_x] = (short)T104[thread_x];
  T106[thread_x] = (signed char)T104[thread_x];
  T107[thread_x] = (unsigned char)T104[thread_x];
  T109[thread_x] = (short)nvf::to_i32_f32(T108[thread_x].re);
  T110[thread_x] = (signed char)nvf::to_i32_f32(T108[thread_x].re);
  T111[thread_x] = (unsigned char)nvf::to_i32_f32(T108[thread_x].re);
  T112[thread_x] = (unsigned short)nvf::to_i32_f32(T108[thread_x].re);
}
