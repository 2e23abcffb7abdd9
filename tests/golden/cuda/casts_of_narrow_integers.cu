extern "C" __global__ void __launch_bounds__(32) casts_phase0(
    const short* __restrict__ T0,
    const signed char* __restrict__ T14,
    const unsigned char* __restrict__ T28,
    const unsigned short* __restrict__ T42,
    const unsigned* __restrict__ T56,
    const double* __restrict__ T70,
    const float* __restrict__ T76,
    const nvf::half* __restrict__ T82,
    const nvf::bfloat16* __restrict__ T88,
    const long long* __restrict__ T94,
    const int* __restrict__ T100,
    const unsigned long long* __restrict__ T106,
    const unsigned char* __restrict__ T112,
    const short* __restrict__ T118,
    const signed char* __restrict__ T123,
    const unsigned char* __restrict__ T128,
    const unsigned short* __restrict__ T133,
    const unsigned* __restrict__ T138,
    const nvf::complex_f32* __restrict__ T143,
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
    unsigned* __restrict__ T12,
    nvf::complex_f32* __restrict__ T13,
    double* __restrict__ T15,
    float* __restrict__ T16,
    nvf::half* __restrict__ T17,
    nvf::bfloat16* __restrict__ T18,
    long long* __restrict__ T19,
    int* __restrict__ T20,
    unsigned long long* __restrict__ T21,
    unsigned char* __restrict__ T22,
    short* __restrict__ T23,
    unsigned char* __restrict__ T24,
    unsigned short* __restrict__ T25,
    unsigned* __restrict__ T26,
    nvf::complex_f32* __restrict__ T27,
    double* __restrict__ T29,
    float* __restrict__ T30,
    nvf::half* __restrict__ T31,
    nvf::bfloat16* __restrict__ T32,
    long long* __restrict__ T33,
    int* __restrict__ T34,
    unsigned long long* __restrict__ T35,
    unsigned char* __restrict__ T36,
    short* __restrict__ T37,
    signed char* __restrict__ T38,
    unsigned short* __restrict__ T39,
    unsigned* __restrict__ T40,
    nvf::complex_f32* __restrict__ T41,
    double* __restrict__ T43,
    float* __restrict__ T44,
    nvf::half* __restrict__ T45,
    nvf::bfloat16* __restrict__ T46,
    long long* __restrict__ T47,
    int* __restrict__ T48,
    unsigned long long* __restrict__ T49,
    unsigned char* __restrict__ T50,
    short* __restrict__ T51,
    signed char* __restrict__ T52,
    unsigned char* __restrict__ T53,
    unsigned* __restrict__ T54,
    nvf::complex_f32* __restrict__ T55,
    double* __restrict__ T57,
    float* __restrict__ T58,
    nvf::half* __restrict__ T59,
    nvf::bfloat16* __restrict__ T60,
    long long* __restrict__ T61,
    int* __restrict__ T62,
    unsigned long long* __restrict__ T63,
    unsigned char* __restrict__ T64,
    short* __restrict__ T65,
    signed char* __restrict__ T66,
    unsigned char* __restrict__ T67,
    unsigned short* __restrict__ T68,
    nvf::complex_f32* __restrict__ T69,
    short* __restrict__ T71,
    signed char* __restrict__ T72,
    unsigned char* __restrict__ T73,
    unsigned short* __restrict__ T74,
    unsigned* __restrict__ T75,
    short* __restrict__ T77,
    signed char* __restrict__ T78,
    unsigned char* __restrict__ T79,
    unsigned short* __restrict__ T80,
    unsigned* __restrict__ T81,
    short* __restrict__ T83,
    signed char* __restrict__ T84,
    unsigned char* __restrict__ T85,
    unsigned short* __restrict__ T86,
    unsigned* __restrict__ T87,
    short* __restrict__ T89,
    signed char* __restrict__ T90,
    unsigned char* __restrict__ T91,
    unsigned short* __restrict__ T92,
    unsigned* __restrict__ T93,
    short* __restrict__ T95,
    signed char* __restrict__ T96,
    unsigned char* __restrict__ T97,
    unsigned short* __restrict__ T98,
    unsigned* __restrict__ T99,
    short* __restrict__ T101,
    signed char* __restrict__ T102,
    unsigned char* __restrict__ T103,
    unsigned short* __restrict__ T104,
    unsigned* __restrict__ T105,
    short* __restrict__ T107,
    signed char* __restrict__ T108,
    unsigned char* __restrict__ T109,
    unsigned short* __restrict__ T110,
    unsigned* __restrict__ T111,
    short* __restrict__ T113,
    signed char* __restrict__ T114,
    unsigned char* __restrict__ T115,
    unsigned short* __restrict__ T116,
    unsigned* __restrict__ T117,
    signed char* __restrict__ T119,
    unsigned char* __restrict__ T120,
    unsigned short* __restrict__ T121,
    unsigned* __restrict__ T122,
    short* __restrict__ T124,
    unsigned char* __restrict__ T125,
    unsigned short* __restrict__ T126,
    unsigned* __restrict__ T127,
    short* __restrict__ T129,
    signed char* __restrict__ T130,
    unsigned short* __restrict__ T131,
    unsigned* __restrict__ T132,
    short* __restrict__ T134,
    signed char* __restrict__ T135,
    unsigned char* __restrict__ T136,
    unsigned* __restrict__ T137,
    short* __restrict__ T139,
    signed char* __restrict__ T140,
    unsigned char* __restrict__ T141,
    unsigned short* __restrict__ T142,
    short* __restrict__ T144,
    signed char* __restrict__ T145,
    unsigned char* __restrict__ T146,
    unsigned short* __restrict__ T147,
    unsigned* __restrict__ T148) {
  nvf::follow_kernel<1024>(T0, T14, T28, T42, T56, T70, T76, T82, T88, T94, T100, T106, T112, T118, T123, T128, T133, T138, T143);
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
  T12[thread_x] = (unsigned)T0[thread_x];
  T13[thread_x] = nvf::complex_f32{(float)T0[thread_x], 0.0f};
  T15[thread_x] = (double)T14[thread_x];
  T16[thread_x] = (float)T14[thread_x];
  T17[thread_x] = nvf::to_half((float)T14[thread_x]);
  T18[thread_x] = nvf::to_bfloat16((float)T14[thread_x]);
  T19[thread_x] = (long long)T14[thread_x];
  T20[thread_x] = (int)T14[thread_x];
  T21[thread_x] = (unsigned long long)T14[thread_x];
  T22[thread_x] = T14[thread_x] != ((signed char)0);
  T23[thread_x] = (short)T14[thread_x];
  T24[thread_x] = (unsigned char)T14[thread_x];
  T25[thread_x] = (unsigned short)T14[thread_x];
  T26[thread_x] = (unsigned)T14[thread_x];
  T27[thread_x] = nvf::complex_f32{(float)T14[thread_x], 0.0f};
  T29[thread_x] = (double)T28[thread_x];
  T30[thread_x] = (float)T28[thread_x];
  T31[thread_x] = nvf::to_half((float)T28[thread_x]);
  T32[thread_x] = nvf::to_bfloat16((float)T28[thread_x]);
  T33[thread_x] = (long long)T28[thread_x];
  T34[thread_x] = (int)T28[thread_x];
  T35[thread_x] = (unsigned long long)T28[thread_x];
  T36[thread_x] = T28[thread_x] != ((unsigned char)0);
  T37[thread_x] = (short)T28[thread_x];
  T38[thread_x] = (signed char)T28[thread_x];
  T39[thread_x] = (unsigned short)T28[thread_x];
  T40[thread_x] = (unsigned)T28[thread_x];
  T41[thread_x] = nvf::complex_f32{(float)T28[thread_x], 0.0f};
  T43[thread_x] = (double)T42[thread_x];
  T44[thread_x] = (float)T42[thread_x];
  T45[thread_x] = nvf::to_half((float)T42[thread_x]);
  T46[thread_x] = nvf::to_bfloat16((float)T42[thread_x]);
  T47[thread_x] = (long long)T42[thread_x];
  T48[thread_x] = (int)T42[thread_x];
  T49[thread_x] = (unsigned long long)T42[thread_x];
  T50[thread_x] = T42[thread_x] != ((unsigned short)0);
  T51[thread_x] = (short)T42[thread_x];
  T52[thread_x] = (signed char)T42[thread_x];
  T53[thread_x] = (unsigned char)T42[thread_x];
  T54[thread_x] = (unsigned)T42[thread_x];
  T55[thread_x] = nvf::complex_f32{(float)T42[thread_x], 0.0f};
  T57[thread_x] = (double)T56[thread_x];
  T58[thread_x] = (float)T56[thread_x];
  T59[thread_x] = nvf::to_half((float)T56[thread_x]);
  T60[thread_x] = nvf::to_bfloat16((float)T56[thread_x]);
  T61[thread_x] = (long long)T56[thread_x];
  T62[thread_x] = (int)T56[thread_x];
  T63[thread_x] = (unsigned long long)T56[thread_x];
  T64[thread_x] = T56[thread_x] != 0u;
  T65[thread_x] = (short)T56[thread_x];
  T66[thread_x] = (signed char)T56[thread_x];
  T67[thread_x] = (unsigned char)T56[thread_x];
  T68[thread_x] = (unsigned short)T56[thread_x];
  T69[thread_x] = nvf::complex_f32{(float)T56[thread_x], 0.0f};
  T71[thread_x] = (short)nvf::to_i32_f64(T70[thread_x]);
  T72[thread_x] = (signed char)nvf::to_i32_f64(T70[thread_x]);
  T73[thread_x] = (unsigned char)nvf::to_i32_f64(T70[thread_x]);
  T74[thread_x] = (unsigned short)nvf::to_i32_f64(T70[thread_x]);
  T75[thread_x] = (unsigned)nvf::to_i64_f64(T70[thread_x]);
  T77[thread_x] = (short)nvf::to_i32_f32(T76[thread_x]);
  T78[thread_x] = (signed char)nvf::to_i32_f32(T76[thread_x]);
  T79[thread_x] = (unsigned char)nvf::to_i32_f32(T76[thread_x]);
  T80[thread_x] = (unsigned short)nvf::to_i32_f32(T76[thread_x]);
  T81[thread_x] = (unsigned)nvf::to_i64_f32(T76[thread_x]);
  T83[thread_x] = (short)nvf::to_i32_f32(nvf::from_half(T82[thread_x]));
  T84[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_half(T82[thread_x]));
  T85[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_half(T82[thread_x]));
  T86[thread_x] = (unsigned short)nvf::to_i32_f32(nvf::from_half(T82[thread_x]));
  T87[thread_x] = (unsigned)nvf::to_i64_f32(nvf::from_half(T82[thread_x]));
  T89[thread_x] = (short)nvf::to_i32_f32(nvf::from_bfloat16(T88[thread_x]));
  T90[thread_x] = (signed char)nvf::to_i32_f32(nvf::from_bfloat16(T88[thread_x]));
  T91[thread_x] = (unsigned char)nvf::to_i32_f32(nvf::from_bfloat16(T88[thread_x]));
  T92[thread_x] = (unsigned short)nvf::to_i32_f32(nvf::from_bfloat16(T88[thread_x]));
  T93[thread_x] = (unsigned)nvf::to_i64_f32(nvf::from_bfloat16(T88[thread_x]));
  T95[thread_x] = (short)T94[thread_x];
  T96[thread_x] = (signed char)T94[thread_x];
  T97[thread_x] = (unsigned char)T94[thread_x];
  T98[thread_x] = (unsigned short)T94[thread_x];
  T99[thread_x] = (unsigned)T94[thread_x];
  T101[thread_x] = (short)T100[thread_x];
  T102[thread_x] = (signed char)T100[thread_x];
  T103[thread_x] = (unsigned char)T100[thread_x];
  T104[thread_x] = (unsigned short)T100[thread_x];
  T105[thread_x] = (unsigned)T100[thread_x];
  T107[thread_x] = (short)T106[thread_x];
  T108[thread_x] = (signed char)T106[thread_x];
  T109[thread_x] = (unsigned char)T106[thread_x];
  T110[thread_x] = (unsigned short)T106[thread_x];
  T111[thread_x] = (unsigned)T106[thread_x];
  T113[thread_x] = (short)(T112[thread_x] != 0);
  T114[thread_x] = (signed char)(T112[thread_x] != 0);
  T115[thread_x] = (unsigned char)(T112[thread_x] != 0);
  T116[thread_x] = (unsigned short)(T112[thread_x] != 0);
  T117[thread_x] = (unsigned)(T112[thread_x] != 0);
  T119[thread_x] = (signed char)T118[thread_x];
  T120[thread_x] = (unsigned char)T118[thread_x];
  T121[thread_x] = (unsigned short)T118[thread_x];
  T122[thread_x] = (unsigned)T118[thread_x];
  T124[thread_x] = (short)T123[thread_x];
  T125[thread_x] = (unsigned char)T123[thread_x];
  T126[thread_x] = (unsigned short)T123[thread_x];
  T127[thread_x] = (unsigned)T123[thread_x];
  T129[thread_x] = (short)T128[thread_x];
  T130[thread_x] = (signed char)T128[thread_x];
  T131[thread_x] = (unsigned short)T128[thread_x];
  T132[thread_x] = (unsigned)T128[thread_x];
  T134[thread_x] = (short)T133[thread_x];
  T135[thread_x] = (signed char)T133[thread_x];
  T136[thread_x] = (unsigned char)T133[thread_x];
  T137[thread_x] = (unsigned)T133[thread_x];
  T139[thread_x] = (short)T138[thread_x];
  T140[thread_x] = (signed char)T138[thread_x];
  T141[thread_x] = (unsigned char)T138[thread_x];
  T142[thread_x] = (unsigned short)T138[thread_x];
  T144[thread_x] = (short)nvf::to_i32_f32(T143[thread_x].re);
  T145[thread_x] = (signed char)nvf::to_i32_f32(T143[thread_x].re);
  T146[thread_x] = (unsigned char)nvf::to_i32_f32(T143[thread_x].re);
  T147[thread_x] = (unsigned short)nvf::to_i32_f32(T143[thread_x].re);
  T148[thread_x] = (unsigned)nvf::to_i64_f32(T143[thread_x].re);
}
