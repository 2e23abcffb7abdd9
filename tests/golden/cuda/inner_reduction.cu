extern "C" __global__ void __launch_bounds__(256) inner_reduction_phase0(
    const float* __restrict__ T0,
    float* __restrict__ T1) {
  nvf::follow_kernel<1024>(T0);
  const int block_x = blockIdx.x;
  const int thread_x = threadIdx.x;
  extern __shared__ uint4 shared_vectors[];
  unsigned char* const shared = (unsigned char*)shared_vectors;
  alignas(16) float T4[16];
  float T2;
  const int i5 = block_x * 4096;
  #pragma unroll
  for (int i0 = 0; i0 < 4; ++i0) {
    const int i1 = i0 * 4;
    const int i2 = i0 * 256;
    const int i3 = i2 + thread_x;
    const int i4 = i3 * 4;
    const int i6 = i5 + i4;
    nvf::load_vector_streaming<4>(&T4[i1], &T0[i6]);
  }
  T2 = 0.0f;
  #pragma unroll
  for (int i7 = 0; i7 < 4; ++i7) {
    const int i9 = i7 * 4;
    #pragma unroll
    for (int i8 = 0; i8 < 4; ++i8) {
      const int i10 = i9 + i8;
      T2 = T2 + T4[i10];
    }
  }
  nvf::block_reduce<nvf::Threads<256, 1, 1>, true, false, false, /*repeated=*/false>(
      shared,
      nvf::reduction(T2, [](float a, float b) -> float { return a + b; }));
  if (thread_x == 0) {
    T1[block_x] = T2;
  }
}
