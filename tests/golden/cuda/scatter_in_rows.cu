extern "C" __global__ void __launch_bounds__(32) scatter_phase0(
    const float* __restrict__ T0,
    const long long* __restrict__ T1,
    const float* __restrict__ T2,
    float* __restrict__ T3,
    float* __restrict__ T4) {
  nvf::follow_kernel<1024>(T0, T1, T2);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) float T8[4];
  float* const T9 = (float*)shared;
  alignas(16) float T6[4];
  const int i0 = thread_x * 4;
  const int i1 = block_x * 128;
  const int i2 = i1 + i0;
  nvf::copy<4>(T8, &T0[i2]);
  nvf::copy<4>(&T9[i0], T8);
  __syncthreads();
  for (int i3 = 0; i3 < 4; ++i3) {
    const int i4 = i3 * 32;
    const int i5 = i4 + thread_x;
    const int i6 = i1 + i5;
    if (block_x < 132) {
      const long long i7 = T1[i6];
      const bool i8 = (unsigned long long)i7 < (unsigned long long)128;
      const int i9 = i8 ? (int)i7 : 0;
      if (i8) {
        T9[i9] = T2[i6];
      }
    }
  }
  __syncthreads();
  nvf::copy<4>(&T3[i2], &T9[i0]);
  #pragma unroll
  for (int i10 = 0; i10 < 4; ++i10) {
    const int i11 = i0 + i10;
    T6[i10] = nvf::relu_f32(T9[i11]);
  }
  nvf::copy<4>(&T4[i2], T6);
}
