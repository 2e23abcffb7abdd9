extern "C" __global__ void __launch_bounds__(128) inner_scan_phase0(
    const nvf::bfloat16* __restrict__ T0,
    nvf::bfloat16* __restrict__ T3,
    long long arg_T0_size1) {
  const int T0_size1 = (int)arg_T0_size1;
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) nvf::bfloat16 T6[32];
  float T1;
  float T2[32];
  alignas(16) nvf::bfloat16 T4[8];
  float T7[4];
  float T8;
  T8 = 0.0f;
  const int i0 = nvf::ceil_quotient(T0_size1, 8);
  const int i1 = nvf::ceil_quotient(i0, 128);
  const int i2 = nvf::ceil_quotient(i1, 4);
  const int i11 = block_x * T0_size1;
  for (int i3 = 0; i3 < i2; ++i3) {
    const int i5 = i3 * 4;
    #pragma unroll
    for (int i4 = 0; i4 < 4; ++i4) {
      const int i6 = i5 + i4;
      const int i7 = i6 * 128;
      const int i8 = i7 + thread_x;
      const int i9 = i4 * 8;
      const int i10 = i8 * 8;
      const int i12 = i11 + i10;
      if (i8 < i0) {
        nvf::copy<8>(&T6[i9], &T0[i12]);
      }
    }
    #pragma unroll
    for (int i13 = 0; i13 < 4; ++i13) {
      T7[i13] = 0.0f;
    }
    #pragma unroll
    for (int i14 = 0; i14 < 4; ++i14) {
      const int i16 = i14 * 8;
      const int i18 = i5 + i14;
      const int i19 = i18 * 128;
      const int i20 = i19 + thread_x;
      #pragma unroll
      for (int i15 = 0; i15 < 8; ++i15) {
        const int i17 = i16 + i15;
        T1 = nvf::from_bfloat16(T6[i17]);
        if (i20 < i0) {
          T7[i14] = T7[i14] + T1;
        }
        T2[i17] = T7[i14];
      }
    }
    nvf::block_scan<nvf::Threads<128, 1, 1>, /*axis=*/0, /*repeated=*/true>(
      shared,
      nvf::scan_part(T7[0], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[1], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[2], T8, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T7[3], T8, [](float a, float b) -> float { return a + b; }));
    #pragma unroll
    for (int i21 = 0; i21 < 4; ++i21) {
      const int i23 = i21 * 8;
      #pragma unroll
      for (int i22 = 0; i22 < 8; ++i22) {
        const int i24 = i23 + i22;
        T2[i24] = T2[i24] + T7[i21];
      }
    }
    #pragma unroll
    for (int i25 = 0; i25 < 4; ++i25) {
      const int i27 = i25 * 8;
      #pragma unroll
      for (int i26 = 0; i26 < 8; ++i26) {
        const int i28 = i27 + i26;
        T4[i26] = nvf::to_bfloat16(T2[i28]);
      }
      const int i29 = i5 + i25;
      const int i30 = i29 * 128;
      const int i31 = i30 + thread_x;
      const int i32 = i31 * 8;
      const int i33 = i11 + i32;
      if (i31 < i0) {
        nvf::copy<8>(&T3[i33], T4);
      }
    }
  }
}
