extern "C" __global__ void __launch_bounds__(256) block_reductions_phase0(
    const double* __restrict__ T0,
    const float* __restrict__ T5,
    const nvf::half* __restrict__ T10,
    const nvf::bfloat16* __restrict__ T23,
    const long long* __restrict__ T36,
    const int* __restrict__ T41,
    const unsigned char* __restrict__ T48,
    const nvf::complex_f32* __restrict__ T55,
    const nvf::complex_f64* __restrict__ T58,
    double* __restrict__ T1,
    double* __restrict__ T2,
    double* __restrict__ T3,
    double* __restrict__ T4,
    float* __restrict__ T6,
    float* __restrict__ T7,
    float* __restrict__ T8,
    float* __restrict__ T9,
    nvf::half* __restrict__ T13,
    nvf::half* __restrict__ T16,
    nvf::half* __restrict__ T19,
    nvf::half* __restrict__ T22,
    nvf::bfloat16* __restrict__ T26,
    nvf::bfloat16* __restrict__ T29,
    nvf::bfloat16* __restrict__ T32,
    nvf::bfloat16* __restrict__ T35,
    long long* __restrict__ T37,
    long long* __restrict__ T38,
    long long* __restrict__ T39,
    long long* __restrict__ T40,
    long long* __restrict__ T43,
    long long* __restrict__ T45,
    int* __restrict__ T46,
    int* __restrict__ T47,
    long long* __restrict__ T50,
    long long* __restrict__ T52,
    unsigned char* __restrict__ T53,
    unsigned char* __restrict__ T54,
    nvf::complex_f32* __restrict__ T56,
    nvf::complex_f32* __restrict__ T57,
    nvf::complex_f64* __restrict__ T59,
    nvf::complex_f64* __restrict__ T60) {
  nvf::follow_kernel<1024>(T0, T5, T10, T23, T36, T41, T48, T55, T58);
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  double T61;
  double T63;
  double T65;
  double T67;
  float T69;
  float T71;
  float T73;
  float T75;
  float T11;
  float T12;
  nvf::half T77;
  float T14;
  float T15;
  nvf::half T79;
  float T17;
  float T18;
  nvf::half T81;
  float T20;
  float T21;
  nvf::half T83;
  float T24;
  float T25;
  nvf::bfloat16 T85;
  float T27;
  float T28;
  nvf::bfloat16 T87;
  float T30;
  float T31;
  nvf::bfloat16 T89;
  float T33;
  float T34;
  nvf::bfloat16 T91;
  long long T93;
  long long T95;
  long long T97;
  long long T99;
  long long T42;
  long long T101;
  long long T44;
  long long T103;
  int T105;
  int T107;
  long long T49;
  long long T109;
  long long T51;
  long long T111;
  unsigned char T113;
  unsigned char T115;
  nvf::complex_f32 T117;
  nvf::complex_f32 T119;
  nvf::complex_f64 T121;
  nvf::complex_f64 T123;
  T61 = 0.0;
  T61 = T61 + T0[thread_x];
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T61, [](double a, double b) -> double { return a + b; }));
  if (thread_x == 0) {
    T1[0] = T61;
  }
  T63 = 1.0;
  T63 = T63 * T0[thread_x];
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 2048,
      nvf::reduction(T63, [](double a, double b) -> double { return a * b; }));
  if (thread_x == 0) {
    T2[0] = T63;
  }
  T65 = -nvf::infinity_f64();
  T65 = nvf::maximum_f64(T65, T0[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 4096,
      nvf::reduction(T65, [](double a, double b) -> double { return nvf::maximum_f64(a, b); }));
  if (thread_x == 0) {
    T3[0] = T65;
  }
  T67 = nvf::infinity_f64();
  T67 = nvf::minimum_f64(T67, T0[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 6144,
      nvf::reduction(T67, [](double a, double b) -> double { return nvf::minimum_f64(a, b); }));
  if (thread_x == 0) {
    T4[0] = T67;
  }
  T69 = 0.0f;
  T69 = T69 + T5[thread_x];
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 8192,
      nvf::reduction(T69, [](float a, float b) -> float { return a + b; }));
  if (thread_x == 0) {
    T6[0] = T69;
  }
  T71 = 1.0f;
  T71 = T71 * T5[thread_x];
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 9216,
      nvf::reduction(T71, [](float a, float b) -> float { return a * b; }));
  if (thread_x == 0) {
    T7[0] = T71;
  }
  T73 = -nvf::infinity_f32();
  T73 = nvf::maximum_f32(T73, T5[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 10240,
      nvf::reduction(T73, [](float a, float b) -> float { return nvf::maximum_f32(a, b); }));
  if (thread_x == 0) {
    T8[0] = T73;
  }
  T75 = nvf::infinity_f32();
  T75 = nvf::minimum_f32(T75, T5[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 11264,
      nvf::reduction(T75, [](float a, float b) -> float { return nvf::minimum_f32(a, b); }));
  if (thread_x == 0) {
    T9[0] = T75;
  }
  T12 = 0.0f;
  T11 = nvf::from_half(T10[thread_x]);
  T12 = T12 + T11;
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 12288,
      nvf::reduction(T12, [](float a, float b) -> float { return a + b; }));
  T77 = nvf::to_half(T12);
  if (thread_x == 0) {
    T13[0] = T77;
  }
  T15 = 1.0f;
  T14 = nvf::from_half(T10[thread_x]);
  T15 = T15 * T14;
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 13312,
      nvf::reduction(T15, [](float a, float b) -> float { return a * b; }));
  T79 = nvf::to_half(T15);
  if (thread_x == 0) {
    T16[0] = T79;
  }
  T18 = -nvf::infinity_f32();
  T17 = nvf::from_half(T10[thread_x]);
  T18 = nvf::maximum_f32(T18, T17);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 14336,
      nvf::reduction(T18, [](float a, float b) -> float { return nvf::maximum_f32(a, b); }));
  T81 = nvf::to_half(T18);
  if (thread_x == 0) {
    T19[0] = T81;
  }
  T21 = nvf::infinity_f32();
  T20 = nvf::from_half(T10[thread_x]);
  T21 = nvf::minimum_f32(T21, T20);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 15360,
      nvf::reduction(T21, [](float a, float b) -> float { return nvf::minimum_f32(a, b); }));
  T83 = nvf::to_half(T21);
  if (thread_x == 0) {
    T22[0] = T83;
  }
  T25 = 0.0f;
  T24 = nvf::from_bfloat16(T23[thread_x]);
  T25 = T25 + T24;
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 16384,
      nvf::reduction(T25, [](float a, float b) -> float { return a + b; }));
  T85 = nvf::to_bfloat16(T25);
  if (thread_x == 0) {
    T26[0] = T85;
  }
  T28 = 1.0f;
  T27 = nvf::from_bfloat16(T23[thread_x]);
  T28 = T28 * T27;
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 17408,
      nvf::reduction(T28, [](float a, float b) -> float { return a * b; }));
  T87 = nvf::to_bfloat16(T28);
  if (thread_x == 0) {
    T29[0] = T87;
  }
  T31 = -nvf::infinity_f32();
  T30 = nvf::from_bfloat16(T23[thread_x]);
  T31 = nvf::maximum_f32(T31, T30);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 18432,
      nvf::reduction(T31, [](float a, float b) -> float { return nvf::maximum_f32(a, b); }));
  T89 = nvf::to_bfloat16(T31);
  if (thread_x == 0) {
    T32[0] = T89;
  }
  T34 = nvf::infinity_f32();
  T33 = nvf::from_bfloat16(T23[thread_x]);
  T34 = nvf::minimum_f32(T34, T33);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 19456,
      nvf::reduction(T34, [](float a, float b) -> float { return nvf::minimum_f32(a, b); }));
  T91 = nvf::to_bfloat16(T34);
  if (thread_x == 0) {
    T35[0] = T91;
  }
  T93 = 0ll;
  T93 = nvf::add_int(T93, T36[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 20480,
      nvf::reduction(T93, [](long long a, long long b) -> long long { return nvf::add_int(a, b); }));
  if (thread_x == 0) {
    T37[0] = T93;
  }
  T95 = 1ll;
  T95 = nvf::mul_int(T95, T36[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 22528,
      nvf::reduction(T95, [](long long a, long long b) -> long long { return nvf::mul_int(a, b); }));
  if (thread_x == 0) {
    T38[0] = T95;
  }
  T97 = (-9223372036854775807ll - 1);
  T97 = nvf::maximum_int(T97, T36[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 24576,
      nvf::reduction(T97, [](long long a, long long b) -> long long { return nvf::maximum_int(a, b); }));
  if (thread_x == 0) {
    T39[0] = T97;
  }
  T99 = 9223372036854775807ll;
  T99 = nvf::minimum_int(T99, T36[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 26624,
      nvf::reduction(T99, [](long long a, long long b) -> long long { return nvf::minimum_int(a, b); }));
  if (thread_x == 0) {
    T40[0] = T99;
  }
  T101 = 0ll;
  T42 = (long long)T41[thread_x];
  T101 = nvf::add_int(T101, T42);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 28672,
      nvf::reduction(T101, [](long long a, long long b) -> long long { return nvf::add_int(a, b); }));
  if (thread_x == 0) {
    T43[0] = T101;
  }
  T103 = 1ll;
  T44 = (long long)T41[thread_x];
  T103 = nvf::mul_int(T103, T44);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 30720,
      nvf::reduction(T103, [](long long a, long long b) -> long long { return nvf::mul_int(a, b); }));
  if (thread_x == 0) {
    T45[0] = T103;
  }
  T105 = (-2147483647 - 1);
  T105 = nvf::maximum_int(T105, T41[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 32768,
      nvf::reduction(T105, [](int a, int b) -> int { return nvf::maximum_int(a, b); }));
  if (thread_x == 0) {
    T46[0] = T105;
  }
  T107 = 2147483647;
  T107 = nvf::minimum_int(T107, T41[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 33792,
      nvf::reduction(T107, [](int a, int b) -> int { return nvf::minimum_int(a, b); }));
  if (thread_x == 0) {
    T47[0] = T107;
  }
  T109 = 0ll;
  T49 = (long long)(T48[thread_x] != 0);
  T109 = nvf::add_int(T109, T49);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 34816,
      nvf::reduction(T109, [](long long a, long long b) -> long long { return nvf::add_int(a, b); }));
  if (thread_x == 0) {
    T50[0] = T109;
  }
  T111 = 1ll;
  T51 = (long long)(T48[thread_x] != 0);
  T111 = nvf::mul_int(T111, T51);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 36864,
      nvf::reduction(T111, [](long long a, long long b) -> long long { return nvf::mul_int(a, b); }));
  if (thread_x == 0) {
    T52[0] = T111;
  }
  T113 = false;
  T113 = (T113 != 0) || (T48[thread_x] != 0);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 38912,
      nvf::reduction(T113, [](unsigned char a, unsigned char b) -> unsigned char { return (a != 0) || (b != 0); }));
  if (thread_x == 0) {
    T53[0] = T113 != 0;
  }
  T115 = true;
  T115 = (T115 != 0) && (T48[thread_x] != 0);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 39168,
      nvf::reduction(T115, [](unsigned char a, unsigned char b) -> unsigned char { return (a != 0) && (b != 0); }));
  if (thread_x == 0) {
    T54[0] = T115 != 0;
  }
  T117 = nvf::complex_f32{0.0f, 0.0f};
  T117 = nvf::add_complex(T117, T55[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 39424,
      nvf::reduction(T117, [](nvf::complex_f32 a, nvf::complex_f32 b) -> nvf::complex_f32 { return nvf::add_complex(a, b); }));
  if (thread_x == 0) {
    T56[0] = T117;
  }
  T119 = nvf::complex_f32{1.0f, 0.0f};
  T119 = nvf::mul_complex(T119, T55[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 41472,
      nvf::reduction(T119, [](nvf::complex_f32 a, nvf::complex_f32 b) -> nvf::complex_f32 { return nvf::mul_complex(a, b); }));
  if (thread_x == 0) {
    T57[0] = T119;
  }
  T121 = nvf::complex_f64{0.0, 0.0};
  T121 = nvf::add_complex(T121, T58[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 43520,
      nvf::reduction(T121, [](nvf::complex_f64 a, nvf::complex_f64 b) -> nvf::complex_f64 { return nvf::add_complex(a, b); }));
  if (thread_x == 0) {
    T59[0] = T121;
  }
  T123 = nvf::complex_f64{1.0, 0.0};
  T123 = nvf::mul_complex(T123, T58[thread_x]);
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 47616,
      nvf::reduction(T123, [](nvf::complex_f64 a, nvf::complex_f64 b) -> nvf::complex_f64 { return nvf::mul_complex(a, b); }));
  if (thread_x == 0) {
    T60[0] = T123;
  }
}
