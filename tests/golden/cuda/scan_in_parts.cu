extern "C" __global__ void __launch_bounds__(128) scan_in_parts_phase0(
    const nvf::bfloat16* __restrict__ T0,
    const nvf::bfloat16* __restrict__ T3,
    float* __restrict__ T10,
    const float* __restrict__ T14,
    long long arg_T0_size1) {
  const int T0_size1 = (int)arg_T0_size1;
  const int block_x = blockIdx.x;
  const int block_y = blockIdx.y;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) nvf::bfloat16 T7[32];
  float T8;
  float T11;
  T11 = 0.0f;
  const int i0 = nvf::ceil_quotient(T0_size1, 8);
  const int i1 = nvf::ceil_quotient(i0, 128);
  const int i2 = nvf::ceil_quotient(i1, 4);
  const int i3 = nvf::ceil_quotient(i2, 64);
  const int i4 = block_y * i3;
  const int i5 = i2 - i4;
  const int i6 = nvf::smaller(i3, i5);
  const int i16 = block_x * T0_size1;
  for (int i7 = 0; i7 < i6; ++i7) {
    const int i9 = i4 + i7;
    const int i10 = i9 * 4;
    #pragma unroll
    for (int i8 = 0; i8 < 4; ++i8) {
      const int i11 = i10 + i8;
      const int i12 = i11 * 128;
      const int i13 = i12 + thread_x;
      const int i14 = i8 * 8;
      const int i15 = i13 * 8;
      const int i17 = i16 + i15;
      if (i13 < i0) {
        nvf::copy<8>(&T7[i14], &T0[i17]);
      }
    }
    #pragma unroll
    for (int i18 = 0; i18 < 4; ++i18) {
      const int i20 = i18 * 8;
      const int i22 = i10 + i18;
      const int i23 = i22 * 128;
      const int i24 = i23 + thread_x;
      #pragma unroll
      for (int i19 = 0; i19 < 8; ++i19) {
        const int i21 = i20 + i19;
        T8 = nvf::from_bfloat16(T7[i21]);
        if (i24 < i0) {
          T11 = T11 + T8;
        }
      }
    }
  }
  nvf::block_reduce<nvf::Threads<128, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T11, [](float a, float b) -> float { return a + b; }));
  const int i25 = block_y * 4;
  const int i26 = i25 + block_x;
  if (thread_x == 0) {
    T10[i26] = T11;
  }
}

extern "C" __global__ void __launch_bounds__(64) scan_in_parts_phase1(
    const nvf::bfloat16* __restrict__ T0,
    const nvf::bfloat16* __restrict__ T3,
    const float* __restrict__ T10,
    float* __restrict__ T14,
    long long arg_T0_size1) {
  const int T0_size1 = (int)arg_T0_size1;
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
    const float* __restrict__ T14,
    long long arg_T0_size1) {
  const int T0_size1 = (int)arg_T0_size1;
  const int block_x = gridDim.x - 1 - blockIdx.x;
  const int block_y = gridDim.y - 1 - blockIdx.y;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) nvf::bfloat16 T6[32];
  float T1;
  float T2[32];
  alignas(16) nvf::bfloat16 T4[8];
  float T17[4];
  float T18;
  const int i0 = nvf::ceil_quotient(T0_size1, 8);
  const int i1 = nvf::ceil_quotient(i0, 128);
  const int i2 = nvf::ceil_quotient(i1, 4);
  const int i3 = nvf::ceil_quotient(i2, 64);
  const int i4 = block_y * i3;
  const int i5 = i4 * 4;
  const int i6 = i5 * 128;
  const int i7 = i6 + thread_x;
  const int i8 = block_y - 1;
  const int i9 = block_x * 64;
  const int i10 = i9 + i8;
  if (0 < block_y && i7 < i0) {
    T18 = T14[i10];
  }
  else {
    T18 = 0.0f;
  }
  const int i11 = i2 - i4;
  const int i12 = nvf::smaller(i3, i11);
  const int i22 = block_x * T0_size1;
  for (int i13 = 0; i13 < i12; ++i13) {
    const int i15 = i4 + i13;
    const int i16 = i15 * 4;
    #pragma unroll
    for (int i14 = 0; i14 < 4; ++i14) {
      const int i17 = i16 + i14;
      const int i18 = i17 * 128;
      const int i19 = i18 + thread_x;
      const int i20 = i14 * 8;
      const int i21 = i19 * 8;
      const int i23 = i22 + i21;
      if (i19 < i0) {
        nvf::copy<8>(&T6[i20], &T0[i23]);
      }
    }
    #pragma unroll
    for (int i24 = 0; i24 < 4; ++i24) {
      T17[i24] = 0.0f;
    }
    #pragma unroll
    for (int i25 = 0; i25 < 4; ++i25) {
      const int i27 = i25 * 8;
      const int i29 = i16 + i25;
      const int i30 = i29 * 128;
      const int i31 = i30 + thread_x;
      #pragma unroll
      for (int i26 = 0; i26 < 8; ++i26) {
        const int i28 = i27 + i26;
        T1 = nvf::from_bfloat16(T6[i28]);
        if (i31 < i0) {
          T17[i25] = T17[i25] + T1;
        }
        T2[i28] = T17[i25];
      }
    }
    nvf::block_scan<nvf::Threads<128, 1, 1>, /*axis=*/0, /*repeated=*/true>(
      shared,
      nvf::scan_part(T17[0], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[1], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[2], T18, [](float a, float b) -> float { return a + b; }),
      nvf::scan_part(T17[3], T18, [](float a, float b) -> float { return a + b; }));
    #pragma unroll
    for (int i32 = 0; i32 < 4; ++i32) {
      const int i34 = i32 * 8;
      #pragma unroll
      for (int i33 = 0; i33 < 8; ++i33) {
        const int i35 = i34 + i33;
        T2[i35] = T2[i35] + T17[i32];
      }
    }
    #pragma unroll
    for (int i36 = 0; i36 < 4; ++i36) {
      const int i38 = i36 * 8;
      #pragma unroll
      for (int i37 = 0; i37 < 8; ++i37) {
        const int i39 = i38 + i37;
        T4[i37] = nvf::to_bfloat16(T2[i39]);
      }
      const int i40 = i16 + i36;
      const int i41 = i40 * 128;
      const int i42 = i41 + thread_x;
      const int i43 = i42 * 8;
      const int i44 = i22 + i43;
      if (i42 < i0) {
        nvf::copy<8>(&T3[i44], T4);
      }
    }
  }
}
