// What takes two passes over memory as it is written, in one.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::heuristics {

// The sum of x and that of (x - c)^2 over the same dimensions, where c is computed from the former,
// take two passes over x. Here both are computed from the moments of x, which take one: with the
// mean m, the sum of squared deviations d and the number n of elements they are n m and
// d + n (m - c)^2. Sums of Float only.
// Returns whether there were any.
bool combineMoments(Fusion* fusion);

// The same for the maximum m of x and the sum of exp(x - c), where c is computed from the former:
// with s, the sum of exp(x - m), that is s exp(m - c). Only where nothing else keeps what they were
// reduced along until then: cross-entropies and the like, but no softmax. Of Floats only.
// Returns whether there were any.
bool combineExponentials(Fusion* fusion);

}  // namespace nvfuser::heuristics
