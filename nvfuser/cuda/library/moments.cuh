// Mean and sum of squared deviations in one pass over the values, without cancellation.

// Of `count` values.
struct moments_f32 {
  float mean;
  float deviations;
  float count;
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
