extern "C" __global__ void __launch_bounds__(128) lookup_phase0(
    const float* __restrict__ T0,
    const long long* __restrict__ T1,
    float* __restrict__ T2) {
  nvf::follow_kernel<1024>(T0, T1);
  const int block_x = blockIdx.x;
  const int block_y = blockIdx.y;
  const int thread_x = threadIdx.x;
  const int thread_y = threadIdx.y;
  long long T5;
  float T3;
  const int i0 = block_x * 4;
  const int i1 = i0 + thread_y;
  const int i2 = block_y * 32;
  const int i3 = i2 + thread_x;
  const int i4 = i1 * 100;
  const int i5 = i4 + i3;
  if (i3 < 100 && i1 < 50) {
    T5 = T1[i5];
    const long long i6 = T5;
    const bool i7 = (unsigned long long)i6 < (unsigned long long)64;
    const int i8 = i7 ? (int)i6 : 0;
    T3 = 0.0f;
    const int i9 = i8 * 100;
    const int i10 = i3 + i9;
    if (i7) {
      T3 = T0[i10];
    }
    T2[i5] = T3;
  }
}
