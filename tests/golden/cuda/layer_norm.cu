extern "C" __global__ void __launch_bounds__(128) layer_norm_phase0(
    const nvf::bfloat16* __restrict__ T0,
    nvf::bfloat16* __restrict__ T13) {
  nvf::follow_kernel<1024>(T0);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) nvf::bfloat16 T16[32];
  alignas(16) nvf::bfloat16 T20[32];
  float T2;
  float T3;
  float T4;
  float T7;
  float T8;
  float T9;
  float T10;
  float T11;
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
      float T1;
      const int i14 = i13 + i12;
      T1 = nvf::from_bfloat16(T16[i14]);
      T2 = T2 + T1;
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T2, [](float a, float b) -> float { return a + b; }));
  nvf::hold(T20);
  T3 = T2;
  T4 = T3 / 4096.0f;
  T7 = 0.0f;
  #pragma unroll
  for (int i15 = 0; i15 < 4; ++i15) {
    const int i17 = i15 * 8;
    #pragma unroll
    for (int i16 = 0; i16 < 8; ++i16) {
      float T17;
      float T5;
      float T6;
      const int i18 = i17 + i16;
      T17 = nvf::from_bfloat16(T20[i18]);
      T5 = T17 - T4;
      T6 = T5 * T5;
      T7 = T7 + T6;
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared + 512,
      nvf::reduction(T7, [](float a, float b) -> float { return a + b; }));
  nvf::hold(T20);
  T8 = T7;
  T9 = T8 / 4096.0f;
  T10 = T9 + 1e-05f;
  T11 = nvf::rsqrt_f32(T10);
  #pragma unroll
  for (int i19 = 0; i19 < 4; ++i19) {
    alignas(16) nvf::bfloat16 T14[8];
    const int i21 = i19 * 8;
    #pragma unroll
    for (int i20 = 0; i20 < 8; ++i20) {
      float T18;
      float T19;
      float T12;
      const int i22 = i21 + i20;
      T18 = nvf::from_bfloat16(T20[i22]);
      T19 = T18 - T4;
      T12 = T19 * T11;
      T14[i20] = nvf::to_bfloat16(T12);
    }
    const int i23 = i19 * 128;
    const int i24 = i23 + thread_x;
    const int i25 = i24 * 8;
    const int i26 = i5 + i25;
    nvf::copy<8>(&T13[i26], T14);
  }
}
