extern "C" __global__ void __launch_bounds__(128) bias_gelu_phase0(
    const nvf::bfloat16* __restrict__ T0,
    const nvf::bfloat16* __restrict__ T1,
    nvf::bfloat16* __restrict__ T7) {
  nvf::follow_kernel<1024>(T0, T1);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  alignas(16) nvf::bfloat16 T10[32];
  alignas(16) nvf::bfloat16 T11[8];
  const int i2 = nvf::modulo(block_x, 4);
  const int i3 = i2 * 128;
  const int i4 = i3 + thread_x;
  const int i5 = i4 * 8;
  const int i6 = nvf::quotient(block_x, 4);
  const int i7 = i6 * 4;
  #pragma unroll
  for (int i0 = 0; i0 < 4; ++i0) {
    const int i1 = i0 * 8;
    const int i8 = i7 + i0;
    const int i9 = i8 * 4096;
    const int i10 = i9 + i5;
    nvf::copy<8>(&T10[i1], &T0[i10]);
  }
  nvf::copy<8>(T11, &T1[i5]);
  #pragma unroll
  for (int i11 = 0; i11 < 4; ++i11) {
    alignas(16) nvf::bfloat16 T8[8];
    const int i13 = i11 * 8;
    #pragma unroll
    for (int i12 = 0; i12 < 8; ++i12) {
      float T3;
      nvf::bfloat16 T2;
      float T4;
      float T5;
      float T6;
      const int i14 = i13 + i12;
      T3 = nvf::from_bfloat16(T10[i14]);
      T2 = T11[i12];
      T4 = nvf::from_bfloat16(T2);
      T5 = T3 + T4;
      T6 = nvf::gelu_narrow_f32(T5);
      T8[i12] = nvf::to_bfloat16(T6);
    }
    const int i15 = i7 + i11;
    const int i16 = i15 * 4096;
    const int i17 = i16 + i5;
    nvf::copy<8>(&T7[i17], T8);
  }
}
