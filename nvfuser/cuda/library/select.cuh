// Operations on any type that can be compared.

// x limited to the range from low to high. NaN is in no comparison less or greater, so it stays.
template <typename T>
__device__ inline T clamp(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}

// torch.threshold keeps NaN: the value replaces x only where x <= threshold.
template <typename T>
__device__ inline T threshold(T x, T threshold, T value) {
  return x <= threshold ? value : x;
}
