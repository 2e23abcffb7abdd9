// Variances in one pass over memory.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::heuristics {

// The sum of x and that of (x - c)^2 over the same dimensions, where c is computed from the former,
// take two passes over x. Here both are computed from the moments of x, which take one: with the
// mean m, the sum of squared deviations d and the number n of elements they are n m and
// d + n (m - c)^2. Sums of Float only.
// Returns whether there were any.
bool combineMoments(Fusion* fusion);

}  // namespace nvfuser::heuristics
