extern "C" __global__ void __launch_bounds__(256) outer_reduction_phase0(
    const float* __restrict__ T0,
    const float* __restrict__ T1,
    float* __restrict__ T5) {
  nvf::follow_kernel<1024>(T0, T1);
  const int block_x = blockIdx.x;
  const int block_y = blockIdx.y;
  const int thread_x = threadIdx.x;
  const int thread_y = threadIdx.y;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T6[4];
  #pragma unroll
  for (int i0 = 0; i0 < 4; ++i0) {
    T6[i0] = 0.0f;
  }
  const int i4 = block_x * 32;
  const int i5 = i4 + thread_x;
  const int i6 = i5 * 4;
  for (int i1 = 0; i1 < 8; ++i1) {
    alignas(16) float T4[16];
    const int i7 = i1 * 16;
    const int i8 = i7 + block_y;
    const int i9 = i8 * 4;
    #pragma unroll
    for (int i2 = 0; i2 < 4; ++i2) {
      const int i3 = i2 * 4;
      const int i10 = i9 + i2;
      const int i11 = i10 * 8;
      const int i12 = i11 + thread_y;
      const int i13 = i12 * 4096;
      const int i14 = i13 + i6;
      nvf::copy<4>(&T4[i3], &T0[i14]);
    }
    #pragma unroll
    for (int i15 = 0; i15 < 4; ++i15) {
      const int i17 = i15 * 4;
      #pragma unroll
      for (int i16 = 0; i16 < 4; ++i16) {
        const int i18 = i17 + i16;
        T6[i16] = T6[i16] + T4[i18];
      }
    }
  }
  nvf::block_reduce<nvf::Threads<32, 8, 1>, false, true, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T6[0], [](float a, float b) -> float { return a + b; }),
      nvf::reduction(T6[1], [](float a, float b) -> float { return a + b; }),
      nvf::reduction(T6[2], [](float a, float b) -> float { return a + b; }),
      nvf::reduction(T6[3], [](float a, float b) -> float { return a + b; }));
  const int i21 = block_y * 4096;
  #pragma unroll
  for (int i19 = 0; i19 < 4; ++i19) {
    const int i20 = i6 + i19;
    const int i22 = i21 + i20;
    if (thread_y == 0) {
      T5[i22] = T6[i19];
    }
  }
}

extern "C" __global__ void __launch_bounds__(512) outer_reduction_phase1(
    const float* __restrict__ T0,
    float* __restrict__ T1,
    const float* __restrict__ T5) {
  nvf::follow_kernel<1024>(T0, T5);
  const int block_x = blockIdx.x;
  const int block_y = blockIdx.y;
  const int thread_x = threadIdx.x;
  const int thread_y = threadIdx.y;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T2;
  T2 = 0.0f;
  const int i0 = nvf::modulo(thread_x, 4);
  const int i1 = nvf::quotient(thread_x, 4);
  const int i2 = block_y * 8;
  const int i3 = i2 + i1;
  const int i4 = block_x * 32;
  const int i5 = i4 + i3;
  const int i6 = i5 * 4;
  const int i7 = i6 + i0;
  const int i8 = thread_y * 4096;
  const int i9 = i8 + i7;
  T2 = T2 + T5[i9];
  nvf::block_reduce<nvf::Threads<32, 16, 1>, false, true, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T2, [](float a, float b) -> float { return a + b; }));
  if (thread_y == 0) {
    T1[i7] = T2;
  }
}
