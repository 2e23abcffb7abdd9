extern "C" __global__ void __launch_bounds__(128) inner_scan_phase0(
    const nvf::bfloat16* __restrict__ T0,
    nvf::bfloat16* __restrict__ T3,
    long long arg_scalar8,
    long long arg_scalar4,
    long long arg_T0_size1) {
  const int scalar8 = (int)arg_scalar8;
  const int scalar4 = (int)arg_scalar4;
  const int T0_size1 = (int)arg_T0_size1;
  nvf::follow_kernel<1024>(T0);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T8;
  T8 = 0.0f;
  const int i8 = block_x * T0_size1;
  for (int i0 = 0; i0 < scalar8; ++i0) {
    alignas(16) nvf::bfloat16 T6[32];
    float T2[32];
    float T7[4];
    const int i2 = i0 * 4;
    #pragma unroll
    for (int i1 = 0; i1 < 4; ++i1) {
      const int i3 = i2 + i1;
      const int i4 = i3 * 128;
      const int i5 = i4 + thread_x;
      const int i6 = i1 * 8;
      const int i7 = i5 * 8;
      const int i9 = i8 + i7;
      if (i5 < scalar4) {
        nvf::copy<8>(&T6[i6], &T0[i9]);
      }
    }
    #pragma unroll
    for (int i10 = 0; i10 < 4; ++i10) {
      T7[i10] = 0.0f;
    }
    #pragma unroll
    for (int i11 = 0; i11 < 4; ++i11) {
      const int i13 = i11 * 8;
      const int i15 = i2 + i11;
      const int i16 = i15 * 128;
      const int i17 = i16 + thread_x;
      #pragma unroll
      for (int i12 = 0; i12 < 8; ++i12) {
        float T1;
        const int i14 = i13 + i12;
        T1 = nvf::from_bfloat16(T6[i14]);
        const bool i18 = i17 < scalar4;
        T7[i11] = i18 ? T7[i11] + T1 : T7[i11];
        T2[i14] = T7[i11];
      }
    }
    nvf::block_scan<nvf::Threads<128, 1, 1>, /*axis=*/0, /*repeated=*/true>(
      shared,
      nvf::scan_part(T7[0], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[1], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[2], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[3], T8, [](float a, float b) -> float { return a + b; }));
    #pragma unroll
    for (int i19 = 0; i19 < 4; ++i19) {
      const int i21 = i19 * 8;
      #pragma unroll
      for (int i20 = 0; i20 < 8; ++i20) {
        const int i22 = i21 + i20;
        T2[i22] = T2[i22] + T7[i19];
      }
    }
    #pragma unroll
    for (int i23 = 0; i23 < 4; ++i23) {
      alignas(16) nvf::bfloat16 T4[8];
      const int i25 = i23 * 8;
      #pragma unroll
      for (int i24 = 0; i24 < 8; ++i24) {
        const int i26 = i25 + i24;
        T4[i24] = nvf::to_bfloat16(T2[i26]);
      }
      const int i27 = i2 + i23;
      const int i28 = i27 * 128;
      const int i29 = i28 + thread_x;
      const int i30 = i29 * 8;
      const int i31 = i8 + i30;
      if (i29 < scalar4) {
        nvf::copy<8>(&T3[i31], T4);
      }
    }
  }
}
