extern "C" __global__ void __launch_bounds__(128) scan_in_parts_phase0(
    const nvf::bfloat16* __restrict__ T0,
    const nvf::bfloat16* __restrict__ T3,
    float* __restrict__ T10,
    const float* __restrict__ T14) {
  nvf::follow_kernel<1024>(T0, T3, T14);
  const int block_x = blockIdx.x;
  const int block_y = blockIdx.y;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T11;
  T11 = 0.0f;
  const int i2 = block_y * 4;
  const int i10 = block_x * 1000000;
  for (int i0 = 0; i0 < 4; ++i0) {
    alignas(16) nvf::bfloat16 T7[32];
    const int i3 = i2 + i0;
    const int i4 = i3 * 4;
    #pragma unroll
    for (int i1 = 0; i1 < 4; ++i1) {
      const int i5 = i4 + i1;
      const int i6 = i5 * 128;
      const int i7 = i6 + thread_x;
      const int i8 = i1 * 8;
      const int i9 = i7 * 8;
      const int i11 = i10 + i9;
      if (i7 < 125000) {
        nvf::copy<8>(&T7[i8], &T0[i11]);
      }
    }
    #pragma unroll
    for (int i12 = 0; i12 < 4; ++i12) {
      const int i14 = i12 * 8;
      const int i16 = i4 + i12;
      const int i17 = i16 * 128;
      const int i18 = i17 + thread_x;
      #pragma unroll
      for (int i13 = 0; i13 < 8; ++i13) {
        float T8;
        const int i15 = i14 + i13;
        T8 = nvf::from_bfloat16(T7[i15]);
        const bool i19 = i18 < 125000;
        T11 = i19 ? T11 + T8 : T11;
      }
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T11, [](float a, float b) -> float { return a + b; }));
  const int i20 = i2 + block_x;
  if (thread_x == 0) {
    T10[i20] = T11;
  }
}

extern "C" __global__ void __launch_bounds__(64) scan_in_parts_phase1(
    const nvf::bfloat16* __restrict__ T0,
    const nvf::bfloat16* __restrict__ T3,
    const float* __restrict__ T10,
    float* __restrict__ T14) {
  nvf::follow_kernel<1024>(T0, T3, T10);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T13;
  float T15;
  float T16;
  T16 = 0.0f;
  T15 = 0.0f;
  const int i0 = thread_x * 4;
  const int i1 = i0 + block_x;
  T15 = T15 + T10[i1];
  T13 = T15;
  nvf::block_scan<nvf::Threads<64, 1, 1>, /*axis=*/0, /*repeated=*/false>(
      shared,
      nvf::scan_part(T15, T16, [](float a, float b) -> float { return a + b; }));
  T13 = T13 + T15;
  const int i2 = block_x * 64;
  const int i3 = i2 + thread_x;
  T14[i3] = T13;
}

extern "C" __global__ void __launch_bounds__(128) scan_in_parts_phase2(
    const nvf::bfloat16* __restrict__ T0,
    nvf::bfloat16* __restrict__ T3,
    const float* __restrict__ T10,
    const float* __restrict__ T14) {
  nvf::follow_kernel<1024>(T0, T10, T14);
  const int block_x = gridDim.x - 1 - blockIdx.x;
  const int block_y = gridDim.y - 1 - blockIdx.y;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T18;
  const int i0 = block_y * 4;
  const int i1 = i0 * 4;
  const int i2 = i1 * 128;
  const int i3 = i2 + thread_x;
  const int i4 = block_y - 1;
  const int i5 = block_x * 64;
  const int i6 = i5 + i4;
  if (0 < block_y && i3 < 125000) {
    T18 = T14[i6];
  }
  else {
    T18 = 0.0f;
  }
  const int i16 = block_x * 1000000;
  for (int i7 = 0; i7 < 4; ++i7) {
    alignas(16) nvf::bfloat16 T6[32];
    float T2[32];
    float T17[4];
    const int i9 = i0 + i7;
    const int i10 = i9 * 4;
    #pragma unroll
    for (int i8 = 0; i8 < 4; ++i8) {
      const int i11 = i10 + i8;
      const int i12 = i11 * 128;
      const int i13 = i12 + thread_x;
      const int i14 = i8 * 8;
      const int i15 = i13 * 8;
      const int i17 = i16 + i15;
      if (i13 < 125000) {
        nvf::copy<8>(&T6[i14], &T0[i17]);
      }
    }
    #pragma unroll
    for (int i18 = 0; i18 < 4; ++i18) {
      T17[i18] = 0.0f;
    }
    #pragma unroll
    for (int i19 = 0; i19 < 4; ++i19) {
      const int i21 = i19 * 8;
      const int i23 = i10 + i19;
      const int i24 = i23 * 128;
      const int i25 = i24 + thread_x;
      #pragma unroll
      for (int i20 = 0; i20 < 8; ++i20) {
        float T1;
        const int i22 = i21 + i20;
        T1 = nvf::from_bfloat16(T6[i22]);
        const bool i26 = i25 < 125000;
        T17[i19] = i26 ? T17[i19] + T1 : T17[i19];
        T2[i22] = T17[i19];
      }
    }
    nvf::block_scan<nvf::Threads<128, 1, 1>, /*axis=*/0, /*repeated=*/true>(
      shared,
      nvf::scan_part(T17[0], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[1], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[2], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[3], T18, [](float a, float b) -> float { return a + b; }));
    #pragma unroll
    for (int i27 = 0; i27 < 4; ++i27) {
      const int i29 = i27 * 8;
      #pragma unroll
      for (int i28 = 0; i28 < 8; ++i28) {
        const int i30 = i29 + i28;
        T2[i30] = T2[i30] + T17[i27];
      }
    }
    #pragma unroll
    for (int i31 = 0; i31 < 4; ++i31) {
      alignas(16) nvf::bfloat16 T4[8];
      const int i33 = i31 * 8;
      #pragma unroll
      for (int i32 = 0; i32 < 8; ++i32) {
        const int i34 = i33 + i32;
        T4[i32] = nvf::to_bfloat16(T2[i34]);
      }
      const int i35 = i10 + i31;
      const int i36 = i35 * 128;
      const int i37 = i36 + thread_x;
      const int i38 = i37 * 8;
      const int i39 = i16 + i38;
      if (i37 < 125000) {
        nvf::copy<8>(&T3[i39], T4);
      }
    }
  }
}
