// Maximum m and sum of exp(x - m) in one pass over the values x, which does not overflow (M.
// Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018).

// The maximum; 0 in place of an infinite one, of which nothing can be subtracted.
__device__ inline float center_of_maximum(float maximum) {
  return fabsf(maximum) == infinity_f32() ? 0.0f : maximum;
}

// Right to 2^-21 for differences near 0, which are those that matter in a sum.
__device__ inline float exp_below(float difference) {
  return exp2_fast(difference * 1.442695041f);
}

struct alignas(8) exponentials_f32 {
  static constexpr bool is_combined_by_parts = true;
  float maximum;
  // Of exp(x - center_of_maximum(maximum)).
  float sum;
  // Those of several threads, given how these combine a float with an operation: an exponential for
  // each, and not for each two that are merged.
  template <typename Combine>
  __device__ exponentials_f32 combined(Combine combine) const {
    const float most = combine(maximum, [](float a, float b) { return maximum_f32(a, b); });
    const float own = sum * exp_below(maximum - center_of_maximum(most));
    return {most, combine(own, [](float a, float b) { return a + b; })};
  }
};

__device__ inline exponentials_f32 no_exponentials() {
  return {-infinity_f32(), 0.0f};
}

__device__ inline float center_of(exponentials_f32 x) {
  return center_of_maximum(x.maximum);
}

__device__ inline exponentials_f32 exponentials_of(float x) {
  return {x, exp_below(x - center_of_maximum(x))};
}

__device__ inline exponentials_f32 merge_exponentials(exponentials_f32 a, exponentials_f32 b) {
  const float maximum = maximum_f32(a.maximum, b.maximum);
  const float center = center_of_maximum(maximum);
  return {maximum,
          a.sum * exp_below(a.maximum - center) + b.sum * exp_below(b.maximum - center)};
}

// The same with the exponentials of `count` values: one for each.
template <int count>
__device__ inline exponentials_f32 merge_exponentials_of(exponentials_f32 a, const float* values) {
  float maximum = a.maximum;
  #pragma unroll
  for (int i = 0; i < count; ++i) {
    maximum = maximum_f32(maximum, values[i]);
  }
  const float center = center_of_maximum(maximum);
  float sum = a.sum * exp_below(a.maximum - center);
  #pragma unroll
  for (int i = 0; i < count; ++i) {
    sum += exp_below(values[i] - center);
  }
  return {maximum, sum};
}
