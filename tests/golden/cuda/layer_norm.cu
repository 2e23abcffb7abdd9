extern "C" __global__ void __launch_bounds__(128) layer_norm_phase0(
    const nvf::bfloat16* __restrict__ T0,
    nvf::bfloat16* __restrict__ T13) {
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) nvf::bfloat16 T16[32];
  alignas(16) nvf::bfloat16 T20[32];
  float T1;
  float T2;
  float T3;
  float T4;
  float T17;
  float T5;
  float T6;
  float T7;
  float T18;
  float T19;
  float T8;
  float T9;
  float T10;
  float T11;
  float T12;
  alignas(16) nvf::bfloat16 T14[8];
  const int i5 = block_x * 4096;
  #pragma unroll
  for (int i0 = 0; i0 < 4; ++i0) {
    const int i1 = i0 * 8;
    const int i2 = i0 * 128;
    const int i3 = i2 + thread_x;
    const int i4 = i3 * 8;
    const int i6 = i5 + i4;
    nvf::copy<8>(&T16[i1], &T0[i6]);
  }
  #pragma unroll
  for (int i7 = 0; i7 < 4; ++i7) {
    const int i9 = i7 * 8;
    #pragma unroll
    for (int i8 = 0; i8 < 8; ++i8) {
      const int i10 = i9 + i8;
      T20[i10] = T16[i10];
    }
  }
  T2 = 0.0f;
  #pragma unroll
  for (int i11 = 0; i11 < 4; ++i11) {
    const int i13 = i11 * 8;
    #pragma unroll
    for (int i12 = 0; i12 < 8; ++i12) {
      const int i14 = i13 + i12;
      T1 = nvf::from_bfloat16(T16[i14]);
      T2 = T2 + T1;
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T2, [](float a, float b) -> float { return a + b; }));
  nvf::hold(T20);
  for (int i15 = 0; i15 < 4; ++i15) {
    for (int i16 = 0; i16 < 8; ++i16) {
      T3 = T2;
      T4 = T3 / 4096.0f;
    }
  }
  T7 = 0.0f;
  #pragma unroll
  for (int i17 = 0; i17 < 4; ++i17) {
    const int i19 = i17 * 8;
    #pragma unroll
    for (int i18 = 0; i18 < 8; ++i18) {
      const int i20 = i19 + i18;
      T17 = nvf::from_bfloat16(T20[i20]);
      T5 = T17 - T4;
      T6 = T5 * T5;
      T7 = T7 + T6;
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 512,
      nvf::reduction(T7, [](float a, float b) -> float { return a + b; }));
  nvf::hold(T20);
  #pragma unroll
  for (int i21 = 0; i21 < 4; ++i21) {
    const int i23 = i21 * 8;
    #pragma unroll
    for (int i22 = 0; i22 < 8; ++i22) {
      const int i24 = i23 + i22;
      T18 = nvf::from_bfloat16(T20[i24]);
      T19 = T18 - T4;
      T8 = T7;
      T9 = T8 / 4096.0f;
      T10 = T9 + 1e-05f;
      T11 = nvf::rsqrt_f32(T10);
      T12 = T19 * T11;
      T14[i22] = nvf::to_bfloat16(T12);
    }
    const int i25 = i21 * 128;
    const int i26 = i25 + thread_x;
    const int i27 = i26 * 8;
    const int i28 = i5 + i27;
    nvf::copy<8>(&T13[i28], T14);
  }
}
