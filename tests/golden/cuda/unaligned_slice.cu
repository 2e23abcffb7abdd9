extern "C" __global__ void __launch_bounds__(128) slice_phase0(
    const nvf::bfloat16* __restrict__ T0,
    float* __restrict__ T3) {
  nvf::follow_kernel<1024>(T0);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  alignas(16) nvf::bfloat16 T1[8];
  alignas(16) float T4[8];
  const int i0 = thread_x * 8;
  const int i1 = i0 - -3;
  const int i2 = block_x * 1027;
  const int i3 = i2 + i1;
  nvf::load_unaligned<8>(T1, &T0[i3]);
  #pragma unroll
  for (int i4 = 0; i4 < 8; ++i4) {
    float T2;
    T2 = nvf::from_bfloat16(T1[i4]);
    T4[i4] = -T2;
  }
  const int i5 = block_x * 1024;
  const int i6 = i5 + i0;
  nvf::copy<8>(&T3[i6], T4);
}
