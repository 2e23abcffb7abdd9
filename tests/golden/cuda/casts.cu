extern "C" __global__ void __launch_bounds__(32) casts_phase0(
    const double* __restrict__ T0,
    const float* __restrict__ T14,
    const nvf::half* __restrict__ T28,
    const nvf::bfloat16* __restrict__ T42,
    const long long* __restrict__ T56,
    const int* __restrict__ T70,
    const unsigned long long* __restrict__ T84,
    const unsigned char* __restrict__ T98,
    const nvf::complex_f32* __restrict__ T112,
    const nvf::complex_f64* __restrict__ T126,
    const nvf::float8_e4m3fn* __restrict__ T140,
    const nvf::float8_e5m2* __restrict__ T154,
    const nvf::float8_e8m0fnu* __restrict__ T168,
    const nvf::float4_e2m1fn_x2* __restrict__ T182,
    float* __restrict__ T1,
    nvf::half* __restrict__ T2,
    nvf::bfloat16* __restrict__ T3,
    long long* __restrict__ T4,
    int* __restrict__ T5,
    unsigned long long* __restrict__ T6,
    unsigned char* __restrict__ T7,
    nvf::complex_f32* __restrict__ T8,
    nvf::complex_f64* __restrict__ T9,
    nvf::float8_e4m3fn* __restrict__ T10,
    nvf::float8_e5m2* __restrict__ T11,
    nvf::float8_e8m0fnu* __restrict__ T12,
    nvf::float4_e2m1fn_x2* __restrict__ T13,
    double* __restrict__ T15,
    nvf::half* __restrict__ T16,
    nvf::bfloat16* __restrict__ T17,
    long long* __restrict__ T18,
    int* __restrict__ T19,
    unsigned long long* __restrict__ T20,
    unsigned char* __restrict__ T21,
    nvf::complex_f32* __restrict__ T22,
    nvf::complex_f64* __restrict__ T23,
    nvf::float8_e4m3fn* __restrict__ T24,
    nvf::float8_e5m2* __restrict__ T25,
    nvf::float8_e8m0fnu* __restrict__ T26,
    nvf::float4_e2m1fn_x2* __restrict__ T27,
    double* __restrict__ T29,
    float* __restrict__ T30,
    nvf::bfloat16* __restrict__ T31,
    long long* __restrict__ T32,
    int* __restrict__ T33,
    unsigned long long* __restrict__ T34,
    unsigned char* __restrict__ T35,
    nvf::complex_f32* __restrict__ T36,
    nvf::complex_f64* __restrict__ T37,
    nvf::float8_e4m3fn* __restrict__ T38,
    nvf::float8_e5m2* __restrict__ T39,
    nvf::float8_e8m0fnu* __restrict__ T40,
    nvf::float4_e2m1fn_x2* __restrict__ T41,
    double* __restrict__ T43,
    float* __restrict__ T44,
    nvf::half* __restrict__ T45,
    long long* __restrict__ T46,
    int* __restrict__ T47,
    unsigned long long* __restrict__ T48,
    unsigned char* __restrict__ T49,
    nvf::complex_f32* __restrict__ T50,
    nvf::complex_f64* __restrict__ T51,
    nvf::float8_e4m3fn* __restrict__ T52,
    nvf::float8_e5m2* __restrict__ T53,
    nvf::float8_e8m0fnu* __restrict__ T54,
    nvf::float4_e2m1fn_x2* __restrict__ T55,
    double* __restrict__ T57,
    float* __restrict__ T58,
    nvf::half* __restrict__ T59,
    nvf::bfloat16* __restrict__ T60,
    int* __restrict__ T61,
    unsigned long long* __restrict__ T62,
    unsigned char* __restrict__ T63,
    nvf::complex_f32* __restrict__ T64,
    nvf::complex_f64* __restrict__ T65,
    nvf::float8_e4m3fn* __restrict__ T66,
    nvf::float8_e5m2* __restrict__ T67,
    nvf::float8_e8m0fnu* __restrict__ T68,
    nvf::float4_e2m1fn_x2* __restrict__ T69,
    double* __restrict__ T71,
    float* __restrict__ T72,
    nvf::half* __restrict__ T73,
    nvf::bfloat16* __restrict__ T74,
    long long* __restrict__ T75,
    unsigned long long* __restrict__ T76,
    unsigned char* __restrict__ T77,
    nvf::complex_f32* __restrict__ T78,
    nvf::complex_f64* __restrict__ T79,
    nvf::float8_e4m3fn* __restrict__ T80,
    nvf::float8_e5m2* __restrict__ T81,
    nvf::float8_e8m0fnu* __restrict__ T82,
    nvf::float4_e2m1fn_x2* __restrict__ T83,
    double* __restrict__ T85,
    float* __restrict__ T86,
    nvf::half* __restrict__ T87,
    nvf::bfloat16* __restrict__ T88,
    long long* __restrict__ T89,
    int* __restrict__ T90,
    unsigned char* __restrict__ T91,
    nvf::complex_f32* __restrict__ T92,
    nvf::complex_f64* __restrict__ T93,
    nvf::float8_e4m3fn* __restrict__ T94,
    nvf::float8_e5m2* __restrict__ T95,
    nvf::float8_e8m0fnu* __restrict__ T96,
    nvf::float4_e2m1fn_x2* __restrict__ T97,
    double* __restrict__ T99,
    float* __restrict__ T100,
    nvf::half* __restrict__ T101,
    nvf::bfloat16* __restrict__ T102,
    long long* __restrict__ T103,
    int* __restrict__ T104,
    unsigned long long* __restrict__ T105,
    nvf::complex_f32* __restrict__ T106,
    nvf::complex_f64* __restrict__ T107,
    nvf::float8_e4m3fn* __restrict__ T108,
    nvf::float8_e5m2* __restrict__ T109,
    nvf::float8_e8m0fnu* __restrict__ T110,
    nvf::float4_e2m1fn_x2* __restrict__ T111,
    double* __restrict__ T113,
    float* __restrict__ T114,
    nvf::half* __restrict__ T115,
    nvf::bfloat16* __restrict__ T116,
    long long* __restrict__ T117,
    int* __restrict__ T118,
    unsigned long long* __restrict__ T119,
    unsigned char* __restrict__ T120,
    nvf::complex_f64* __restrict__ T121,
    nvf::float8_e4m3fn* __restrict__ T122,
    nvf::float8_e5m2* __restrict__ T123,
    nvf::float8_e8m0fnu* __restrict__ T124,
    nvf::float4_e2m1fn_x2* __restrict__ T125,
    double* __restrict__ T127,
    float* __restrict__ T128,
    nvf::half* __restrict__ T129,
    nvf::bfloat16* __restrict__ T130,
    long long* __restrict__ T131,
    int* __restrict__ T132,
    unsigned long long* __restrict__ T133,
    unsigned char* __restrict__ T134,
    nvf::complex_f32* __restrict__ T135,
    nvf::float8_e4m3fn* __restrict__ T136,
    nvf::float8_e5m2* __restrict__ T137,
    nvf::float8_e8m0fnu* __restrict__ T138,
    nvf::float4_e2m1fn_x2* __restrict__ T139,
    double* __restrict__ T141,
    float* __restrict__ T142,
    nvf::half* __restrict__ T143,
    nvf::bfloat16* __restrict__ T144,
    long long* __restrict__ T145,
    int* __restrict__ T146,
    unsigned long long* __restrict__ T147,
    unsigned char* __restrict__ T148,
    nvf::complex_f32* __restrict__ T149,
    nvf::complex_f64* __restrict__ T150,
    nvf::float8_e5m2* __restrict__ T151,
    nvf::float8_e8m0fnu* __restrict__ T152,
    nvf::float4_e2m1fn_x2* __restrict__ T153,
    double* __restrict__ T155,
    float* __restrict__ T156,
    nvf::half* __restrict__ T157,
    nvf::bfloat16* __restrict__ T158,
    long long* __restrict__ T159,
    int* __restrict__ T160,
    unsigned long long* __restrict__ T161,
    unsigned char* __restrict__ T162,
    nvf::complex_f32* __restrict__ T163,
    nvf::complex_f64* __restrict__ T164,
    nvf::float8_e4m3fn* __restrict__ T165,
    nvf::float8_e8m0fnu* __restrict__ T166,
    nvf::float4_e2m1fn_x2* __restrict__ T167,
    double* __restrict__ T169,
    float* __restrict__ T170,
    nvf::half* __restrict__ T171,
    nvf::bfloat16* __restrict__ T172,
    long long* __restrict__ T173,
    int* __restrict__ T174,
    unsigned long long* __restrict__ T175,
    unsigned char* __restrict__ T176,
    nvf::complex_f32* __restrict__ T177,
    nvf::complex_f64* __restrict__ T178,
    nvf::float8_e4m3fn* __restrict__ T179,
    nvf::float8_e5m2* __restrict__ T180,
    nvf::float4_e2m1fn_x2* __restrict__ T181,
    double* __restrict__ T183,
    float* __restrict__ T184,
    nvf::half* __restrict__ T185,
    nvf::bfloat16* __restrict__ T186,
    long long* __restrict__ T187,
    int* __restrict__ T188,
    unsigned long long* __restrict__ T189,
    unsigned char* __restrict__ T190,
    nvf::complex_f32* __restrict__ T191,
    nvf::complex_f64* __restrict__ T192,
    nvf::float8_e4m3fn* __restrict__ T193,
    nvf::float8_e5m2* __restrict__ T194,
    nvf::float8_e8m0fnu* __restrict__ T195) {
  nvf::follow_kernel<1024>(T0, T14, T28, T42, T56, T70, T84, T98, T112, T126, T140, T154, T168, T182);
  const int thread_x = threadIdx.x;
  T1[thread_x] = (float)T0[thread_x];
  T2[thread_x] = nvf::to_half((float)T0[thread_x]);
  T3[thread_x] = nvf::to_bfloat16((float)T0[thread_x]);
  T4[thread_x] = nvf::to_i64_f64(T0[thread_x]);
  T5[thread_x] = nvf::to_i32_f64(T0[thread_x]);
  T6[thread_x] = nvf::to_u64_f64(T0[thread_x]);
  T7[thread_x] = T0[thread_x] != 0.0;
  T8[thread_x] = nvf::complex_f32{(float)T0[thread_x], 0.0f};
  T9[thread_x] = nvf::complex_f64{T0[thread_x], 0.0};
  T10[thread_x] = nvf::to_float8_e4m3fn((float)T0[thread_x]);
  T11[thread_x] = nvf::to_float8_e5m2((float)T0[thread_x]);
  T12[thread_x] = nvf::to_float8_e8m0fnu((float)T0[thread_x]);
  nvf::store_packed(T13, thread_x, nvf::to_float4_e2m1fn((float)T0[thread_x]));
  T15[thread_x] = (double)T14[thread_x];
  T16[thread_x] = nvf::to_half(T14[thread_x]);
  T17[thread_x] = nvf::to_bfloat16(T14[thread_x]);
  T18[thread_x] = nvf::to_i64_f32(T14[thread_x]);
  T19[thread_x] = nvf::to_i32_f32(T14[thread_x]);
  T20[thread_x] = nvf::to_u64_f32(T14[thread_x]);
  T21[thread_x] = T14[thread_x] != 0.0f;
  T22[thread_x] = nvf::complex_f32{T14[thread_x], 0.0f};
  T23[thread_x] = nvf::complex_f64{(double)T14[thread_x], 0.0};
  T24[thread_x] = nvf::to_float8_e4m3fn(T14[thread_x]);
  T25[thread_x] = nvf::to_float8_e5m2(T14[thread_x]);
  T26[thread_x] = nvf::to_float8_e8m0fnu(T14[thread_x]);
  nvf::store_packed(T27, thread_x, nvf::to_float4_e2m1fn(T14[thread_x]));
  T29[thread_x] = (double)nvf::from_half(T28[thread_x]);
  T30[thread_x] = nvf::from_half(T28[thread_x]);
  T31[thread_x] = nvf::to_bfloat16(nvf::from_half(T28[thread_x]));
  T32[thread_x] = nvf::to_i64_f32(nvf::from_half(T28[thread_x]));
  T33[thread_x] = nvf::to_i32_f32(nvf::from_half(T28[thread_x]));
  T34[thread_x] = nvf::to_u64_f32(nvf::from_half(T28[thread_x]));
  T35[thread_x] = nvf::from_half(T28[thread_x]) != 0.0f;
  T36[thread_x] = nvf::complex_f32{nvf::from_half(T28[thread_x]), 0.0f};
  T37[thread_x] = nvf::complex_f64{(double)nvf::from_half(T28[thread_x]), 0.0};
  T38[thread_x] = nvf::to_float8_e4m3fn(nvf::from_half(T28[thread_x]));
  T39[thread_x] = nvf::to_float8_e5m2(nvf::from_half(T28[thread_x]));
  T40[thread_x] = nvf::to_float8_e8m0fnu(nvf::from_half(T28[thread_x]));
  nvf::store_packed(T41, thread_x, nvf::to_float4_e2m1fn(nvf::from_half(T28[thread_x])));
  T43[thread_x] = (double)nvf::from_bfloat16(T42[thread_x]);
  T44[thread_x] = nvf::from_bfloat16(T42[thread_x]);
  T45[thread_x] = nvf::to_half(nvf::from_bfloat16(T42[thread_x]));
  T46[thread_x] = nvf::to_i64_f32(nvf::from_bfloat16(T42[thread_x]));
  T47[thread_x] = nvf::to_i32_f32(nvf::from_bfloat16(T42[thread_x]));
  T48[thread_x] = nvf::to_u64_f32(nvf::from_bfloat16(T42[thread_x]));
  T49[thread_x] = nvf::from_bfloat16(T42[thread_x]) != 0.0f;
  T50[thread_x] = nvf::complex_f32{nvf::from_bfloat16(T42[thread_x]), 0.0f};
  T51[thread_x] = nvf::complex_f64{(double)nvf::from_bfloat16(T42[thread_x]), 0.0};
  T52[thread_x] = nvf::to_float8_e4m3fn(nvf::from_bfloat16(T42[thread_x]));
  T53[thread_x] = nvf::to_float8_e5m2(nvf::from_bfloat16(T42[thread_x]));
  T54[thread_x] = nvf::to_float8_e8m0fnu(nvf::from_bfloat16(T42[thread_x]));
  nvf::store_packed(T55, thread_x, nvf::to_float4_e2m1fn(nvf::from_bfloat16(T42[thread_x])));
  T57[thread_x] = (double)T56[thread_x];
  T58[thread_x] = (float)T56[thread_x];
  T59[thread_x] = nvf::to_half((float)T56[thread_x]);
  T60[thread_x] = nvf::to_bfloat16((float)T56[thread_x]);
  T61[thread_x] = (int)T56[thread_x];
  T62[thread_x] = (unsigned long long)T56[thread_x];
  T63[thread_x] = T56[thread_x] != 0ll;
  T64[thread_x] = nvf::complex_f32{(float)T56[thread_x], 0.0f};
  T65[thread_x] = nvf::complex_f64{(double)T56[thread_x], 0.0};
  T66[thread_x] = nvf::to_float8_e4m3fn((float)T56[thread_x]);
  T67[thread_x] = nvf::to_float8_e5m2((float)T56[thread_x]);
  T68[thread_x] = nvf::to_float8_e8m0fnu((float)T56[thread_x]);
  nvf::store_packed(T69, thread_x, nvf::to_float4_e2m1fn((float)T56[thread_x]));
  T71[thread_x] = (double)T70[thread_x];
  T72[thread_x] = (float)T70[thread_x];
  T73[thread_x] = nvf::to_half((float)T70[thread_x]);
  T74[thread_x] = nvf::to_bfloat16((float)T70[thread_x]);
  T75[thread_x] = (long long)T70[thread_x];
  T76[thread_x] = (unsigned long long)T70[thread_x];
  T77[thread_x] = T70[thread_x] != 0;
  T78[thread_x] = nvf::complex_f32{(float)T70[thread_x], 0.0f};
  T79[thread_x] = nvf::complex_f64{(double)T70[thread_x], 0.0};
  T80[thread_x] = nvf::to_float8_e4m3fn((float)T70[thread_x]);
  T81[thread_x] = nvf::to_float8_e5m2((float)T70[thread_x]);
  T82[thread_x] = nvf::to_float8_e8m0fnu((float)T70[thread_x]);
  nvf::store_packed(T83, thread_x, nvf::to_float4_e2m1fn((float)T70[thread_x]));
  T85[thread_x] = (double)T84[thread_x];
  T86[thread_x] = (float)T84[thread_x];
  T87[thread_x] = nvf::to_half((float)T84[thread_x]);
  T88[thread_x] = nvf::to_bfloat16((float)T84[thread_x]);
  T89[thread_x] = (long long)T84[thread_x];
  T90[thread_x] = (int)T84[thread_x];
  T91[thread_x] = T84[thread_x] != 0ull;
  T92[thread_x] = nvf::complex_f32{(float)T84[thread_x], 0.0f};
  T93[thread_x] = nvf::complex_f64{(double)T84[thread_x], 0.0};
  T94[thread_x] = nvf::to_float8_e4m3fn((float)T84[thread_x]);
  T95[thread_x] = nvf::to_float8_e5m2((float)T84[thread_x]);
  T96[thread_x] = nvf::to_float8_e8m0fnu((float)T84[thread_x]);
  nvf::store_packed(T97, thread_x, nvf::to_float4_e2m1fn((float)T84[thread_x]));
  T99[thread_x] = (double)(T98[thread_x] != 0);
  T100[thread_x] = (float)(T98[thread_x] != 0);
  T101[thread_x] = nvf::to_half((float)(T98[thread_x] != 0));
  T102[thread_x] = nvf::to_bfloat16((float)(T98[thread_x] != 0));
  T103[thread_x] = (long long)(T98[thread_x] != 0);
  T104[thread_x] = (int)(T98[thread_x] != 0);
  T105[thread_x] = (unsigned long long)(T98[thread_x] != 0);
  T106[thread_x] = nvf::complex_f32{(float)(T98[thread_x] != 0), 0.0f};
  T107[thread_x] = nvf::complex_f64{(double)(T98[thread_x] != 0), 0.0};
  T108[thread_x] = nvf::to_float8_e4m3fn((float)(T98[thread_x] != 0));
  T109[thread_x] = nvf::to_float8_e5m2((float)(T98[thread_x] != 0));
  T110[thread_x] = nvf::to_float8_e8m0fnu((float)(T98[thread_x] != 0));
  nvf::store_packed(T111, thread_x, nvf::to_float4_e2m1fn((float)(T98[thread_x] != 0)));
  T113[thread_x] = (double)T112[thread_x].re;
  T114[thread_x] = T112[thread_x].re;
  T115[thread_x] = nvf::to_half(T112[thread_x].re);
  T116[thread_x] = nvf::to_bfloat16(T112[thread_x].re);
  T117[thread_x] = nvf::to_i64_f32(T112[thread_x].re);
  T118[thread_x] = nvf::to_i32_f32(T112[thread_x].re);
  T119[thread_x] = nvf::to_u64_f32(T112[thread_x].re);
  T120[thread_x] = !nvf::logical_not_complex(T112[thread_x]);
  T121[thread_x] = nvf::widen_complex(T112[thread_x]);
  T122[thread_x] = nvf::to_float8_e4m3fn(T112[thread_x].re);
  T123[thread_x] = nvf::to_float8_e5m2(T112[thread_x].re);
  T124[thread_x] = nvf::to_float8_e8m0fnu(T112[thread_x].re);
  nvf::store_packed(T125, thread_x, nvf::to_float4_e2m1fn(T112[thread_x].re));
  T127[thread_x] = T126[thread_x].re;
  T128[thread_x] = (float)T126[thread_x].re;
  T129[thread_x] = nvf::to_half((float)T126[thread_x].re);
  T130[thread_x] = nvf::to_bfloat16((float)T126[thread_x].re);
  T131[thread_x] = nvf::to_i64_f64(T126[thread_x].re);
  T132[thread_x] = nvf::to_i32_f64(T126[thread_x].re);
  T133[thread_x] = nvf::to_u64_f64(T126[thread_x].re);
  T134[thread_x] = !nvf::logical_not_complex(T126[thread_x]);
  T135[thread_x] = nvf::narrow_complex(T126[thread_x]);
  T136[thread_x] = nvf::to_float8_e4m3fn((float)T126[thread_x].re);
  T137[thread_x] = nvf::to_float8_e5m2((float)T126[thread_x].re);
  T138[thread_x] = nvf::to_float8_e8m0fnu((float)T126[thread_x].re);
  nvf::store_packed(T139, thread_x, nvf::to_float4_e2m1fn((float)T126[thread_x].re));
  T141[thread_x] = (double)nvf::from_float8_e4m3fn(T140[thread_x]);
  T142[thread_x] = nvf::from_float8_e4m3fn(T140[thread_x]);
  T143[thread_x] = nvf::to_half(nvf::from_float8_e4m3fn(T140[thread_x]));
  T144[thread_x] = nvf::to_bfloat16(nvf::from_float8_e4m3fn(T140[thread_x]));
  T145[thread_x] = nvf::to_i64_f32(nvf::from_float8_e4m3fn(T140[thread_x]));
  T146[thread_x] = nvf::to_i32_f32(nvf::from_float8_e4m3fn(T140[thread_x]));
  T147[thread_x] = nvf::to_u64_f32(nvf::from_float8_e4m3fn(T140[thread_x]));
  T148[thread_x] = nvf::from_float8_e4m3fn(T140[thread_x]) != 0.0f;
  T149[thread_x] = nvf::complex_f32{nvf::from_float8_e4m3fn(T140[thread_x]), 0.0f};
  T150[thread_x] = nvf::complex_f64{(double)nvf::from_float8_e4m3fn(T140[thread_x]), 0.0};
  T151[thread_x] = nvf::to_float8_e5m2(nvf::from_float8_e4m3fn(T140[thread_x]));
  T152[thread_x] = nvf::to_float8_e8m0fnu(nvf::from_float8_e4m3fn(T140[thread_x]));
  nvf::store_packed(T153, thread_x, nvf::to_float4_e2m1fn(nvf::from_float8_e4m3fn(T140[thread_x])));
  T155[thread_x] = (double)nvf::from_float8_e5m2(T154[thread_x]);
  T156[thread_x] = nvf::from_float8_e5m2(T154[thread_x]);
  T157[thread_x] = nvf::to_half(nvf::from_float8_e5m2(T154[thread_x]));
  T158[thread_x] = nvf::to_bfloat16(nvf::from_float8_e5m2(T154[thread_x]));
  T159[thread_x] = nvf::to_i64_f32(nvf::from_float8_e5m2(T154[thread_x]));
  T160[thread_x] = nvf::to_i32_f32(nvf::from_float8_e5m2(T154[thread_x]));
  T161[thread_x] = nvf::to_u64_f32(nvf::from_float8_e5m2(T154[thread_x]));
  T162[thread_x] = nvf::from_float8_e5m2(T154[thread_x]) != 0.0f;
  T163[thread_x] = nvf::complex_f32{nvf::from_float8_e5m2(T154[thread_x]), 0.0f};
  T164[thread_x] = nvf::complex_f64{(double)nvf::from_float8_e5m2(T154[thread_x]), 0.0};
  T165[thread_x] = nvf::to_float8_e4m3fn(nvf::from_float8_e5m2(T154[thread_x]));
  T166[thread_x] = nvf::to_float8_e8m0fnu(nvf::from_float8_e5m2(T154[thread_x]));
  nvf::store_packed(T167, thread_x, nvf::to_float4_e2m1fn(nvf::from_float8_e5m2(T154[thread_x])));
  T169[thread_x] = (double)nvf::from_float8_e8m0fnu(T168[thread_x]);
  T170[thread_x] = nvf::from_float8_e8m0fnu(T168[thread_x]);
  T171[thread_x] = nvf::to_half(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T172[thread_x] = nvf::to_bfloat16(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T173[thread_x] = nvf::to_i64_f32(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T174[thread_x] = nvf::to_i32_f32(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T175[thread_x] = nvf::to_u64_f32(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T176[thread_x] = nvf::from_float8_e8m0fnu(T168[thread_x]) != 0.0f;
  T177[thread_x] = nvf::complex_f32{nvf::from_float8_e8m0fnu(T168[thread_x]), 0.0f};
  T178[thread_x] = nvf::complex_f64{(double)nvf::from_float8_e8m0fnu(T168[thread_x]), 0.0};
  T179[thread_x] = nvf::to_float8_e4m3fn(nvf::from_float8_e8m0fnu(T168[thread_x]));
  T180[thread_x] = nvf::to_float8_e5m2(nvf::from_float8_e8m0fnu(T168[thread_x]));
  nvf::store_packed(T181, thread_x, nvf::to_float4_e2m1fn(nvf::from_float8_e8m0fnu(T168[thread_x])));
  T183[thread_x] = (double)nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x));
  T184[thread_x] = nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x));
  T185[thread_x] = nvf::to_half(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T186[thread_x] = nvf::to_bfloat16(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T187[thread_x] = nvf::to_i64_f32(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T188[thread_x] = nvf::to_i32_f32(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T189[thread_x] = nvf::to_u64_f32(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T190[thread_x] = nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)) != 0.0f;
  T191[thread_x] = nvf::complex_f32{nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)), 0.0f};
  T192[thread_x] = nvf::complex_f64{(double)nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)), 0.0};
  T193[thread_x] = nvf::to_float8_e4m3fn(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T194[thread_x] = nvf::to_float8_e5m2(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
  T195[thread_x] = nvf::to_float8_e8m0fnu(nvf::from_float4_e2m1fn(nvf::load_packed(T182, thread_x)));
}
