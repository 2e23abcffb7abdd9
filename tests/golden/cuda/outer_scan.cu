extern "C" __global__ void __launch_bounds__(256) outer_scan_phase0(
    const float* __restrict__ T0,
    float* __restrict__ T1) {
  nvf::follow_kernel<1024>(T0);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  const int thread_y = threadIdx.y;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  float T6;
  T6 = -nvf::infinity_f32();
  const int i2 = block_x * 32;
  const int i3 = i2 + thread_x;
  for (int i0 = 0; i0 < 64; ++i0) {
    float T4[8];
    float T2[8];
    float T5;
    T5 = -nvf::infinity_f32();
    const int i4 = i0 * 8;
    const int i5 = i4 + thread_y;
    const int i6 = i5 * 8;
    #pragma unroll
    for (int i1 = 0; i1 < 8; ++i1) {
      const int i7 = i6 + i1;
      const int i8 = i7 * 4096;
      const int i9 = i8 + i3;
      T4[i1] = T0[i9];
    }
    #pragma unroll
    for (int i10 = 0; i10 < 8; ++i10) {
      T5 = nvf::maximum_f32(T5, T4[i10]);
      T2[i10] = T5;
    }
    nvf::block_scan<nvf::Threads<32, 8, 1>, /*axis=*/1, /*repeated=*/true>(
      shared,
      nvf::scan_part(T5, T6, [](float a, float b) -> float { return nvf::maximum_f32(a, b); }));
    #pragma unroll
    for (int i11 = 0; i11 < 8; ++i11) {
      T2[i11] = nvf::maximum_f32(T2[i11], T5);
    }
    #pragma unroll
    for (int i12 = 0; i12 < 8; ++i12) {
      const int i13 = i6 + i12;
      const int i14 = i13 * 4096;
      const int i15 = i14 + i3;
      T1[i15] = T2[i12];
    }
  }
}
