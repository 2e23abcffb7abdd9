// Mean and sum of squared deviations in one pass over the values, without cancellation.

// Of `count` values.
struct moments_f32 {
  static constexpr bool is_combined_by_parts = true;
  float mean;
  float deviations;
  float count;
  // Those of several threads, given how these combine a float with an operation.
  template <typename Combine>
  __device__ moments_f32 combined(Combine combine) const {
    const auto add = [](float a, float b) { return a + b; };
    const float all = combine(count, add);
    // None of none has no share.
    const float center = combine(mean * count, add) * reciprocal_fast(fmaxf(all, 1.0f));
    const float difference = mean - center;
    return {center, combine(deviations + difference * difference * count, add), all};
  }
};

__device__ inline moments_f32 moments_of(float x) {
  return {x, 0.0f, 1.0f};
}

// Those of all values of both: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating Formulae and a
// Pairwise Algorithm for Computing Sample Variances", 1979.
__device__ inline moments_f32 merge_moments(moments_f32 a, moments_f32 b) {
  const float count = a.count + b.count;
  // None of none is no share.
  const float share = b.count * reciprocal_fast(fmaxf(count, 1.0f));
  const float difference = b.mean - a.mean;
  const float step = difference * share;
  return {a.mean + step, a.deviations + b.deviations + difference * a.count * step, count};
}

// The same with the moments of `count` values.
template <int count>
__device__ inline moments_f32 merge_moments_of(moments_f32 a, const float* values) {
  float sum = values[0];
  #pragma unroll
  for (int i = 1; i < count; ++i) {
    sum += values[i];
  }
  const float mean = sum * (1.0f / count);
  float deviations = 0.0f;
  #pragma unroll
  for (int i = 0; i < count; ++i) {
    deviations += (values[i] - mean) * (values[i] - mean);
  }
  return merge_moments(a, {mean, deviations, (float)count});
}
