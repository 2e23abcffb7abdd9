// Moments and exponentials of several values at once.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// What an unrolled loop merges one by one is kept, and merged together behind the loop: moments of
// a known number of values take no division, and exponentials one for each value, and not one for
// what was merged before, too.
//   for i in n: { t = moments_of(x[i]); m = merge_moments(m, t); }
// becomes
//   for i in n: v[i] = x[i];
//   m = merge_moments(m, v);
void mergeVectors(const PassContext& context);

}  // namespace nvfuser
